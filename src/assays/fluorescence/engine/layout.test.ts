/** Replicates in one row or column hide an effect of the plate: told, and covered by the interval. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { fluorescence } from './assay.ts';
import type { FluorescenceSettingsInput } from './settings.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { createNormals, createUniforms, toFile } from '#testing/analysis/synthetic.ts';
import type { FluorescenceAnalysis } from './types.ts';

const ROWS = 'ABCDEFGH';
const COLUMNS = 12;
const RUNS = Math.min(30, countCalibrationSets(15));
const BLANK = 100;
const REFERENCE = 10_000;

interface Content {
  role: string;
  sample: string;
  brightness: number;
}

/** The well of each place, from A1 down the columns. */
function nameWell(place: number): string {
  return `${ROWS[place % ROWS.length]}${Math.floor(place / ROWS.length) + 1}`;
}

/**
 * A plate whose columns differ by up to `effect`, with 24 designs in three wells; `order` says which content is in
 * which place.
 */
function analyze(
  seed: number,
  {
    effect,
    falloff = 0,
    order,
    settings = {},
  }: {
    effect: number;
    /** Part of the light that is lost from the first column to the last. */
    falloff?: number;
    order: (contents: readonly Content[], uniform: () => number) => readonly Content[];
    settings?: FluorescenceSettingsInput;
  },
): { found: FluorescenceAnalysis; truth: ReadonlyMap<string, number> } {
  const uniform = createUniforms(seed);
  const normal = createNormals(seed + 1_000);
  const truth = new Map(Array.from({ length: 24 }, (_, i) => [`d${i}`, 0.2 + 2.8 * uniform()]));
  const controls = [
    ...Array.from({ length: 8 }, () => ({ role: 'positive_control', sample: 'ref', brightness: 1 })),
    ...Array.from({ length: 8 }, () => ({ role: 'blank', sample: '', brightness: 0 })),
  ];
  const designs = [...truth].flatMap(([sample, brightness]) =>
    Array.from({ length: 3 }, () => ({ role: 'sample', sample, brightness })),
  );
  const factors = Array.from(
    { length: COLUMNS },
    (_, column) => (1 + effect * (2 * uniform() - 1)) * (1 - (falloff * column) / (COLUMNS - 1)),
  );
  const placed = order([...controls, ...designs], uniform);
  const counts = new Map<string, number>();
  const lines = placed.map(({ role, sample, brightness }, place) => {
    const replicate = (counts.get(sample) ?? 0) + 1;
    counts.set(sample, replicate);
    const factor = factors[Math.floor(place / ROWS.length)];
    const value = BLANK + REFERENCE * brightness * factor * (1 + 0.02 * normal()) + 3 * normal();
    return {
      map: `${nameWell(place)},${role},${sample},${replicate},,`,
      value: `${nameWell(place)},fluorescence,485,520,80,${value.toFixed(2)}`,
    };
  });
  const text = [
    '# assayer-plate: 1',
    '# plate: P1',
    '# unit: RFU',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...lines.map(({ map }) => map),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...lines.map(({ value }) => value),
    '',
  ].join('\n');
  const { found } = analyzeHere(fluorescence, {
    files: [toFile('plate.csv', text)],
    settings: { ...settings },
  });
  return { found, truth };
}

/** Replicates below one another; the references are a column, and so are the blanks. */
const fillColumns = (contents: readonly Content[]): readonly Content[] => contents;

const shuffleContents = (contents: readonly Content[], uniform: () => number): readonly Content[] =>
  contents
    .map((content) => ({ content, at: uniform() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ content }) => content);

/** Fractions of results with the flag, with an interval that holds the truth, and its median width as a factor. */
function countHeld(options: Parameters<typeof analyze>[1]): { flagged: number; held: number; width: number } {
  let [n, flagged, held] = [0, 0, 0];
  const widths: number[] = [];
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { found, truth } = analyze(seed, options);
    for (const { sample, flags, normalized } of found.sequences) {
      const expected = truth.get(sample) ?? Number.NaN;
      const { ci95Low: low, ci95High: high } = normalized ?? {};
      n += 1;
      if (flags.some(({ code }) => code === 'LAYOUT_BLIND')) flagged += 1;
      if (low === undefined || low === null || high === undefined || high === null) continue;
      if (low <= expected && expected <= high) held += 1;
      widths.push((high - low) / 2 / (normalized?.value ?? Number.NaN));
    }
  }
  return {
    flagged: flagged / n,
    held: held / n,
    width: widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)],
  };
}

test('LAYOUT_BLIND: replicates in one column, columns that differ by up to a quarter → told, and the interval holds the truth', () => {
  const { flagged, held } = countHeld({ effect: 0.25, order: fillColumns });
  assert.ok(flagged === 1, `flagged ${flagged}`);
  assert.ok(held >= 0.93, `held ${held}`);
});

test('LAYOUT_BLIND: replicates anywhere on the plate → not told, and the interval holds the truth without being wide', () => {
  const even = countHeld({ effect: 0, order: shuffleContents });
  assert.ok(even.flagged <= 0.03, `flagged ${even.flagged}`);
  assert.ok(even.held >= 0.93 && even.width < 0.12, `held ${even.held}, width ${even.width}`);
  const uneven = countHeld({ effect: 0.25, order: shuffleContents });
  assert.ok(uneven.flagged <= 0.03 && uneven.held >= 0.9, `flagged ${uneven.flagged}, held ${uneven.held}`);
});

/** Fraction of intensities in RFU whose interval holds the light at an undisturbed place, and the median half-width. */
function countIntensities(options: Parameters<typeof analyze>[1]): { held: number; width: number } {
  const found = Array.from({ length: RUNS }, (_, index) => analyze(index + 1, options)).flatMap(
    ({ found: { sequences }, truth }) =>
      sequences.map(({ sample, intensity }) => {
        const expected = REFERENCE * (truth.get(sample) ?? Number.NaN);
        const { value = Number.NaN, ci95Low: low = null, ci95High: high = null } = intensity ?? {};
        const isHeld = low !== null && high !== null && low <= expected && expected <= high;
        return { isHeld, width: ((high ?? Number.NaN) - (low ?? Number.NaN)) / 2 / value };
      }),
  );
  const widths = found.map(({ width }) => width).toSorted((a, b) => a - b);
  return {
    held: found.filter(({ isHeld }) => isHeld).length / found.length,
    width: widths[widths.length >> 1],
  };
}

test('intensity: light that falls off by 30 % across the plate → the interval in RFU holds what an undisturbed place gives', () => {
  const { held, width } = countIntensities({ effect: 0, falloff: 0.3, order: shuffleContents });
  assert.ok(held >= 0.93, `held ${held}`);
  assert.ok(width < 0.5, `width ${width}`);
});

test('intensity: even light, or effects that are divided out → the interval in RFU is not widened', () => {
  const even = countIntensities({ effect: 0, order: shuffleContents });
  assert.ok(even.held >= 0.93 && even.width < 0.09, `held ${even.held}, width ${even.width}`);
  const corrected = countIntensities({
    effect: 0,
    falloff: 0.3,
    order: shuffleContents,
    settings: { plateEffects: 'correct' },
  });
  assert.ok(corrected.width < 0.17, `width ${corrected.width}`);
});

/**
 * Every quality rule of the fluorescence assay, from files: the flag is raised beyond the limit, and not just within
 * it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { fluorescence } from './assay.ts';
import type { Flag, FlagCode } from '#analysis/quality/flags.ts';
import { createNormals, toFile } from '#testing/analysis/synthetic.ts';
import type { FluorescenceSettingsInput } from './settings.ts';
import type { FluorescenceAnalysis } from './types.ts';

interface Well {
  role: 'blank' | 'positive_control' | 'negative_control' | 'sample';
  sample?: string;
  value: number | 'OVER';
  /** Name of the well; by default the next free well of a row of 12. */
  well?: string;
  gain?: number;
}

function createWells(role: Well['role'], ...values: readonly Well['value'][]): Well[] {
  const sample = { blank: '', positive_control: 'ref', negative_control: 'dark', sample: 'design' }[role];
  return values.map((value) => ({ role, sample, value }));
}

const BLANKS = createWells('blank', 98, 102, 98, 102);
const REFERENCES = createWells('positive_control', 10_000, 10_200, 10_100, 10_100);
const DARKS = createWells('negative_control', 118, 122, 118, 122);
const DESIGN = createWells('sample', 5_000, 5_050, 5_100);

interface Plate {
  blanks?: Well[];
  references?: Well[];
  darks?: Well[];
  samples?: Well[];
  settings?: FluorescenceSettingsInput;
}

function analyze({
  blanks = BLANKS,
  references = REFERENCES,
  darks = DARKS,
  samples = DESIGN,
  settings = {},
}: Plate = {}): FluorescenceAnalysis {
  const all = [...blanks, ...references, ...darks, ...samples].map((each, i) => ({
    ...each,
    well: each.well ?? `${'ABCDEFGH'[Math.floor(i / 12)]}${(i % 12) + 1}`,
  }));
  const counts = new Map<string, number>();
  const text = [
    '# assayer-plate: 1',
    '# plate: P1',
    '# unit: RFU',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...all.map(({ well, role, sample = '' }) => {
      const replicate = (counts.get(`${role} ${sample}`) ?? 0) + 1;
      counts.set(`${role} ${sample}`, replicate);
      return `${well},${role},${sample},${replicate},,`;
    }),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...all.map(({ well, value, gain = 80 }) => `${well},fluorescence,485,520,${gain},${value}`),
    '',
  ];
  const { found } = analyzeHere(fluorescence, {
    files: [toFile('plate.csv', text.join('\n'))],
    settings: { ...settings },
  });
  return found;
}

function findFlag({ plates, sequences }: FluorescenceAnalysis, code: FlagCode): Flag | undefined {
  return [...sequences[0].flags, ...plates[0].flags].find((each) => each.code === code);
}

/** Twelve designs three times each, over six inner rows; one row, column or the edge is brighter by a fraction. */
function analyzePlaced(
  brighter: (row: number, column: number) => number,
  settings?: FluorescenceSettingsInput,
) {
  return analyze({ samples: createDesigns(brighter), darks: [], settings });
}

/** The same plate with the first design as the reference, which is then in every row. */
function spread(brighter: (row: number, column: number) => number, settings?: FluorescenceSettingsInput) {
  const all = createDesigns(brighter);
  const references = all
    .filter(({ sample }) => sample === 'd0')
    .map((each): Well => ({ ...each, role: 'positive_control' }));
  return analyze({ references, samples: all.filter(({ sample }) => sample !== 'd0'), darks: [], settings });
}

function createDesigns(brighter: (row: number, column: number) => number): Well[] {
  const noise = createNormals(2);
  return Array.from({ length: 72 }, (_, i): Well => {
    const [row, column] = [1 + Math.floor(i / 12), i % 12];
    // Each design moves by five columns from one of its rows to the next.
    const design = (column + 5 * row) % 12;
    const value = (1_000 + 400 * design) * brighter(row, column) * (1 + 0.003 * noise());
    return { role: 'sample', sample: `d${design}`, value, well: `${'ABCDEFGH'[row]}${column + 1}` };
  });
}

/** References that scatter so that Z′ beside a tight dark control is 1 − 3·SD/(10,000 − 20). */
const createScattered = (sd: number): Well[] =>
  createWells('positive_control', 10_120 - sd, 10_120 + sd, 10_120 - sd, 10_120 + sd);

const RULES: readonly [
  code: FlagCode,
  severity: Flag['severity'],
  beyond: () => FluorescenceAnalysis,
  within: () => FluorescenceAnalysis,
][] = [
  ['BLANK_MISSING', 'error', () => analyze({ blanks: [] }), () => analyze()],
  ['BLANK_MISSING', 'warning', () => analyze({ blanks: BLANKS.slice(1) }), () => analyze()],
  ['CONTROL_FAILED', 'warning', () => analyze({ references: [] }), () => analyze()],
  // Three SD of the blanks are 6.9.
  [
    'CONTROL_FAILED',
    'warning',
    () => analyze({ references: createWells('positive_control', 105, 107) }),
    () => analyze({ references: createWells('positive_control', 107, 109), darks: [] }),
  ],
  // Reference and dark control are swapped.
  [
    'CONTROL_FAILED',
    'warning',
    () =>
      analyze({
        references: createWells('positive_control', 118, 122, 118, 122),
        darks: createWells('negative_control', 10_000, 10_200, 10_100, 10_100),
      }),
    () => analyze({ references: createWells('positive_control', 128, 132, 128, 132) }),
  ],
  [
    'CONTROL_FAILED',
    'warning',
    () => analyze({ blanks: createWells('blank', 98, 102, 97, 5_000) }),
    () => analyze(),
  ],
  // Three SD of the blanks, 6.9, above the dark control at 120.
  [
    'CONTROL_FAILED',
    'error',
    () => analyze({ blanks: createWells('blank', 126, 130, 126, 130) }),
    () => analyze({ blanks: createWells('blank', 124, 128, 124, 128) }),
  ],
  [
    'CONTROL_FAILED',
    'warning',
    () => analyze({ references: createWells('positive_control', 10_000, 10_100, 10_200, 'OVER') }),
    () => analyze({ references: createWells('positive_control', 10_000, 10_100, 10_200) }),
  ],
  [
    'FEW_REFERENCES',
    'info',
    () => analyze({ references: REFERENCES.slice(3) }),
    () => analyze({ references: REFERENCES.slice(2) }),
  ],
  // 1 − 3 (1.155·sd + 2.3)/10,000 is 0.5 at sd 1,441.
  [
    'LOW_Z_PRIME',
    'warning',
    () => analyze({ references: createScattered(1_460) }),
    () => analyze({ references: createScattered(1_420) }),
  ],
  [
    'BELOW_DETECTION',
    'info',
    () => analyze({ samples: createWells('sample', 106, 106) }),
    () => analyze({ samples: createWells('sample', 108, 108) }),
  ],
  [
    'SATURATED',
    'warning',
    () => analyze({ settings: { saturationSignal: 5_100 } }),
    () => analyze({ settings: { saturationSignal: 5_101 } }),
  ],
  ['SATURATED', 'warning', () => analyze({ samples: createWells('sample', 'OVER', 5_000) }), () => analyze()],
  // A 16-bit converter at its limit, and another detector whose limit shows in equal largest values.
  [
    'SATURATED',
    'warning',
    () => analyze({ samples: createWells('sample', 65_535) }),
    () => analyze({ samples: createWells('sample', 65_534) }),
  ],
  [
    'SATURATED',
    'warning',
    () => analyze({ samples: createWells('sample', 52_000, 52_000, 52_000) }),
    () => analyze({ samples: createWells('sample', 52_000, 52_000, 51_999) }),
  ],
  [
    'REPLICATES_DISAGREE',
    'warning',
    () => analyze({ samples: createWells('sample', 4_000, 5_420) }),
    () => analyze({ samples: createWells('sample', 4_000, 5_280) }),
  ],
  [
    'MIXED_RELATIONS',
    'warning',
    () => analyze({ samples: createWells('sample', 106, 130) }),
    () => analyze(),
  ],
  [
    'ROW_EFFECT',
    'warning',
    () => analyzePlaced((row) => (row === 3 ? 1.14 : 1)),
    () => analyzePlaced((row) => (row === 3 ? 1.07 : 1)),
  ],
  [
    'COLUMN_EFFECT',
    'warning',
    () => analyzePlaced((_, column) => (column === 5 ? 1.14 : 1)),
    () => analyzePlaced((_, column) => (column === 5 ? 1.07 : 1)),
  ],
  [
    'ROW_EFFECT',
    'info',
    () => spread((row) => (row === 3 ? 1.14 : 1), { plateEffects: 'correct' }),
    () => spread((row) => (row === 3 ? 1.14 : 1), { plateEffects: 'off' }),
  ],
  // All references are in row A, whose effect is unknown.
  [
    'ROW_EFFECT',
    'warning',
    () => analyzePlaced((row) => (row === 3 ? 1.14 : 1), { plateEffects: 'correct' }),
    () => analyzePlaced((row) => (row === 3 ? 1.07 : 1), { plateEffects: 'correct' }),
  ],
  [
    'EDGE_EFFECT',
    'warning',
    () => analyzePlaced((_, column) => (column % 11 === 0 ? 1.14 : 1)),
    () => analyzePlaced((_, column) => (column % 11 === 0 ? 1.07 : 1)),
  ],
];

describe('flags at their limits', () => {
  for (const [index, [code, severity, beyond, within]] of RULES.entries()) {
    test(`${code}: case ${index + 1}, beyond and within its limit → raised, not raised`, () => {
      const found = findFlag(beyond(), code);
      assert.equal(found?.severity, severity, JSON.stringify(found));
      assert.equal(findFlag(within(), code), undefined);
    });
  }
});

/** Every sample in several rows and columns. */
const spreadOut = (wells: readonly Well[], ...names: readonly string[]): Well[] =>
  wells.map((each, i) => ({ ...each, ...(names[i] === undefined ? {} : { well: names[i] }) }));

test('fluorescence: a plate without faults → it passes without a flag', () => {
  const { plates, sequences } = analyze({
    references: spreadOut(REFERENCES, 'C2', 'D5', 'E8', 'F11'),
    samples: spreadOut(DESIGN, 'B7', 'E3', 'G10'),
  });
  assert.deepEqual([plates[0].pass, plates[0].flags, sequences[0].flags], [true, [], []]);
});

test('fluorescence: no blank, no reference, or an overflow with a known limit → no value, no normalized value, a lower limit', () => {
  assert.equal(analyze({ blanks: [] }).sequences[0].outcome, 'failed_qc');
  const [bare] = analyze({ references: [] }).sequences;
  assert.ok(bare.intensity !== null && bare.normalized === null);
  const [over] = analyze({
    samples: createWells('sample', 'OVER'),
    settings: { saturationSignal: 60_000 },
  }).sequences;
  assert.deepEqual([over.intensity?.relation, over.intensity?.value], ['>', 59_900]);
});

test('Z′: swapped controls → no Z′, and nothing is normalized', () => {
  const swapped = analyze({
    references: createWells('positive_control', 118, 122, 118, 122),
    darks: createWells('negative_control', 10_000, 10_200, 10_100, 10_100),
  });
  const [plate] = swapped.plates;
  assert.deepEqual([plate.pass, plate.zPrime, plate.zPrimeRobust], [false, null, null]);
  assert.equal(swapped.sequences[0].normalized, null);
});

test('blanks: above the dark control → no value; references: few overflows → the median stands', () => {
  const [sample] = analyze({ blanks: createWells('blank', 6_000, 6_100, 5_900, 6_000) }).sequences;
  assert.deepEqual([sample.outcome, sample.intensity], ['failed_qc', null]);
  const analyzeReferred = (...values: Well['value'][]) =>
    analyze({ references: createWells('positive_control', ...values) }).plates[0].reference.value;
  assert.equal(analyzeReferred(10_000, 10_100, 10_200, 'OVER', 10_150), 10_050);
  assert.equal(analyzeReferred(10_000, 'OVER', 'OVER'), null);
});

test('SATURATED: overflows without a known limit → a lower limit; one of three → an estimate', () => {
  const [all] = analyze({ samples: createWells('sample', 'OVER', 'OVER', 'OVER') }).sequences;
  assert.deepEqual([all.outcome, all.intensity?.relation, all.intensity?.value], ['measured', '>', 10_100]);
  const [some] = analyze({ samples: createWells('sample', 5_000, 'OVER', 5_100) }).sequences;
  assert.deepEqual([some.intensity?.relation, some.intensity?.value], ['~', 5_000]);
});

test('plate effects: a brighter row in the references → divided out of them too', () => {
  const brighter = (row: number): number => (row === 2 || row === 3 ? 1.5 : 1);
  for (const found of [spread(brighter, { plateEffects: 'correct', reference: 'mean' }), spread(() => 1)]) {
    const [plate] = found.plates;
    assert.ok(Math.abs((plate.reference.value ?? 0) / 900 - 1) < 0.03, `${plate.reference.value}`);
    for (const { sample, normalized } of found.sequences) {
      const expected = (900 + 400 * Number(sample.slice(1))) / 900;
      assert.ok(Math.abs((normalized?.value ?? 0) / expected - 1) < 0.03, `${sample} ${normalized?.value}`);
    }
  }
});

test('plate effects: a brighter rim with all references on it → a warning although known effects are corrected', () => {
  const noise = createNormals(5);
  const wells = Array.from({ length: 96 }, (_, i): Well => {
    const [row, column] = [Math.floor(i / 12), i % 12];
    const isRim = row === 0 || row === 7 || column === 0 || column === 11;
    const factor = (isRim ? 1.3 : 1) * (1 + 0.02 * noise());
    const well = `${'ABCDEFGH'[row]}${column + 1}`;
    if (column === 0 && row < 4) return { role: 'blank', sample: '', value: 100 + 3 * noise(), well };
    if (column === 11 && row < 4)
      return { role: 'positive_control', sample: 'ref', value: 10_000 * factor, well };
    if (column === 11) return { role: 'negative_control', sample: 'dark', value: 120 * factor, well };
    return { role: 'sample', sample: `d${i % 24}`, value: 5_000 * factor, well };
  });
  const of = (role: Well['role']): Well[] => wells.filter((each) => each.role === role);
  const { plates, sequences } = analyze({
    blanks: of('blank'),
    references: of('positive_control'),
    darks: of('negative_control'),
    samples: of('sample'),
    settings: { plateEffects: 'correct' },
  });
  assert.equal(plates[0].pass, false);
  const flag = sequences[0].flags.find(({ code }) => code === 'EDGE_EFFECT');
  assert.equal(flag?.severity, 'warning');
  assert.match(flag?.message ?? '', /divided out where it is known, not in .* more wells/);
  assert.equal(plates[0].effects.columnsPct, null);
  assert.equal(sequences[0].normalized?.ci95Low, null);
});

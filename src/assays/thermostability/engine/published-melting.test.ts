/** Published melting curves, read from ../shared/data beside the project; never copied into it. Skipped where it is absent, except under CI. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findPublished } from '#testing/analysis/published-data.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';
import type { SequenceMelting } from './types.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { computeRelativeError } from '#testing/analysis/synthetic.ts';
import { createMeltSet } from '#testing/analysis/melts.ts';
import { parseMelts } from '#analysis/formats/parse-wells.ts';
import type { MeltSet } from '#analysis/curves/trace.ts';

const FOLDER = 'nanodsf_g3bp1/data1_CAP_PH7_330nm/';
const SIGNAL = 'fluo_signal_data.csv';
const PUBLISHED = 'Fitted_Parameters_Fluorescence.csv';

function readRows(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

/** Eleven curves in ascending concentration, as in the published table. */
function createTitration(signal: string): MeltSet {
  const byCurve = [...Map.groupBy(readRows(signal), (row) => Number(row[3]))].sort(([a], [b]) => a - b);
  return createMeltSet(
    byCurve.map(([concentrationM, points], i) => {
      return {
        well: `C${i + 1}`,
        role: 'sample',
        sample: 'G3BP1',
        replicate: 1,
        concentrationM,
        concentrationNgPerUl: null,
        channel: '330nm',
        temperatureC: Float64Array.from(points, (row) => Number(row[0])),
        signal: Float64Array.from(points, (row) => Number(row[2])),
      };
    }),
  );
}

interface Comparison {
  sequences: SequenceMelting[];
  slopes: { foldedPerC: number; unfoldedPerC: number } | null;
  tmErrors: number[];
  dhErrors: number[];
}

function compare(context: TestContext, settings: MeltingSettingsInput): Comparison | null {
  const signal = findPublished(context, `${FOLDER}${SIGNAL}`);
  const parameters = findPublished(context, `${FOLDER}${PUBLISHED}`);
  if (signal === null || parameters === null) return null;
  const { sequences, analysis } = analyzeMeltingSets([createTitration(signal)], {
    method: 'two_state',
    ...settings,
  });
  const published = readRows(parameters);
  assert.equal(sequences.length, 11);
  assert.equal(published.length, 11);
  const tmErrors = sequences.map(({ tm }, i) =>
    Math.abs((tm?.value ?? Number.NaN) - Number(published[i][0])),
  );
  const dhErrors = sequences.map(({ dh }, i) => computeRelativeError(dh?.value, Number(published[i][1])));
  context.diagnostic(
    `Tm: largest difference ${Math.max(...tmErrors).toFixed(3)}, median ${computeMedian(tmErrors).toFixed(3)} °C; dH: ${(100 * Math.max(...dhErrors)).toFixed(2)} %`,
  );
  return { sequences, slopes: analysis.sharedSlopes, tmErrors, dhErrors };
}

test('nanoDSF titration: published slopes fixed → Tm within 0.06 °C, median 0.03 °C, ΔH within 2 %', (context) => {
  const found = compare(context, {
    baseline: 'fixed',
    fixedSlopes: { foldedPerC: -10.3, unfoldedPerC: -12.1 },
  });
  if (found === null) return;
  assert.ok(Math.max(...found.tmErrors) <= 0.06);
  assert.ok(computeMedian(found.tmErrors) <= 0.03);
  assert.ok(Math.max(...found.dhErrors) <= 0.02);
});

test('nanoDSF titration: shared slopes fitted → the published slopes, and Tm within 0.2 °C', (context) => {
  const found = compare(context, { baseline: 'shared' });
  if (found === null) return;
  assert.ok(Math.abs((found.slopes?.foldedPerC ?? 0) + 10.3) < 0.1);
  assert.ok(Math.abs((found.slopes?.unfoldedPerC ?? 0) + 12.1) < 0.1);
  assert.ok(Math.max(...found.tmErrors) <= 0.2);
  assert.ok(Math.max(...found.dhErrors) <= 0.02);
});

/** The readings of a curve within a range of temperatures. */
function cutRange(set: MeltSet, fromC: number, toC: number): MeltSet {
  const traces = set.traces.map((trace) => {
    const kept = [...trace.temperatureC.keys()].filter(
      (index) => trace.temperatureC[index] >= fromC && trace.temperatureC[index] <= toC,
    );
    return {
      ...trace,
      temperatureC: Float64Array.from(kept, (index) => trace.temperatureC[index]),
      signal: Float64Array.from(kept, (index) => trace.signal[index]),
    };
  });
  return { ...set, traces };
}

test('relation: the titration by default, with many and with few points below the step → firm, and holding the published Tm; cut within it → none is firm', (context) => {
  const signal = findPublished(context, `${FOLDER}${SIGNAL}`);
  const parameters = findPublished(context, `${FOLDER}${PUBLISHED}`);
  if (signal === null || parameters === null) return;
  const published = readRows(parameters).map(([tm]) => Number(tm));
  const set = createTitration(signal);
  const measure = (fromC: number, toC: number): SequenceMelting[] =>
    analyzeMeltingSets([cutRange(set, fromC, toC)], { method: 'two_state', curves: false }).sequences;
  const startC = Math.min(...set.traces.map(({ temperatureC }) => temperatureC[0]));
  for (const missingC of [0, 4, 6]) {
    const sequences = measure(startC + missingC, 200);
    const firm = sequences.flatMap(({ tm }, index) => (tm?.relation === '=' ? [{ tm, index }] : []));
    context.diagnostic(`${missingC} °C missing: ${firm.length} of ${sequences.length} firm`);
    assert.ok(firm.length >= 9, `${missingC} °C missing: ${firm.length} firm`);
    for (const { tm, index } of firm)
      assert.ok(
        (tm.ci95Low ?? Infinity) <= published[index] && published[index] <= (tm.ci95High ?? -Infinity),
        `${missingC} °C missing, curve ${index + 1}: ${tm.value} [${tm.ci95Low}–${tm.ci95High}], published ${published[index]}`,
      );
  }
  for (const { tm, flags, noTransition } of measure(startC, 60))
    assert.ok(
      noTransition !== null || (tm?.relation !== '=' && hasFlag(flags, 'TM_UNCERTAIN')),
      `${tm?.value}`,
    );
});

test('nanoDSF titration: free slopes → Tm about 1 °C off', (context) => {
  const found = compare(context, { baseline: 'free' });
  if (found === null) return;
  assert.ok(computeMedian(found.tmErrors) > 0.7 && computeMedian(found.tmErrors) < 1.2);
  assert.ok(Math.abs((found.sequences[0].tm?.value ?? 0) - 53.2) < 0.1);
  assert.ok(found.sequences.every((each) => each.tmAll.length === 1));
});

/** Tm read from the curves, in whole °C; wells that are left out have none. Sloped baselines put A2 at 43.3 and 69.1 °C. */
const DYE: Record<string, Record<string, number[]>> = {
  'dsfworld/dsfworld_sample_raw_data_format.csv': {
    A1: [47, 59],
    A2: [43, 69],
    A3: [49],
    B1: [51, 63],
    B2: [48, 74],
    B3: [53],
    C1: [54, 66],
    C2: [51, 77],
    C3: [56],
  },
  'dsfworld/sample_data_file.csv': { A1: [73], A2: [73], A3: [73] },
};

for (const [name, expected] of Object.entries(DYE)) {
  test(`published dye curves: ${name} → each step is a transition, and nothing else is`, (context) => {
    const path = findPublished(context, name);
    if (path === null) return;
    const { sequences } = analyzeMeltingSets(parseMelts([{ name, bytes: readFileSync(path) }]));
    const wells = sequences.flatMap((each) => each.replicates).filter((each) => each.tm !== null);
    const found = wells.map(({ well, tmAll }) => [well, tmAll.map(({ tmC }) => Math.round(tmC))]);
    assert.deepEqual(Object.fromEntries(found), expected);
  });
}

test('QuantStudio dye curves: 20 wells with protein of 24 → one Tm each, within 1.1 °C of the derivative', (context) => {
  const name = 'pychemelt/quantStudio.txt';
  const path = findPublished(context, name);
  if (path === null) return;
  const { sequences } = analyzeMeltingSets(parseMelts([{ name, bytes: readFileSync(path) }]));
  const wells = sequences.flatMap((each) => each.replicates);
  const melted = wells.filter((each) => each.tm !== null);
  assert.deepEqual([wells.length, melted.length], [24, 20]);
  for (const { well, tm, inflectionPoints, tmAll } of melted) {
    assert.equal(tmAll.length, 1, well);
    assert.ok(Math.abs((tm?.value ?? 0) - inflectionPoints[0].temperatureC) < 1.1, well);
  }
});

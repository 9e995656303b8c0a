/**
 * Nonlinear captures give no yield and state the reason; linear ones, and those that bend like their standards, give
 * a yield.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { expression } from './assay.ts';
import type { FlagCode } from '#analysis/quality/flags.ts';
import { writeCaptureFile, createStandards, createWells } from '#testing/analysis/capture.ts';
import type { CaptureSensor } from '#testing/analysis/capture.ts';
import type { ExpressionAnalysis } from './types.ts';

type Shape = NonNullable<CaptureSensor['computeSignal']>;

const NO_DNA = createWells('negative_control', 'No DNA', 0, 0, 0, 0);

const shapeSensors = (sensors: readonly CaptureSensor[], shape: Shape): CaptureSensor[] =>
  sensors.map((each) => ({ ...each, computeSignal: shape }));

function run(
  samples: readonly CaptureSensor[],
  calibrators = [...createStandards(), ...NO_DNA],
): ExpressionAnalysis {
  const file = writeCaptureFile({ sensors: [...calibrators, ...samples] });
  const { found } = analyzeHere(expression, { files: [file], settings: {}, sequences: {} });
  return found;
}

/** Capacity of the sensor in nm. */
const createFilling =
  (capacity: number): Shape =>
  (loaded) =>
    capacity * (1 - Math.exp(-loaded / capacity));

const FAULTY: readonly [what: string, ngPerUl: number, shape: Shape, code: FlagCode][] = [
  ['a step on an empty well', 0, (loaded, s) => loaded + (s >= 2 ? 0.1 : 0), 'SPIKE'],
  ['a bubble', 5, (loaded, s) => loaded + (s > 15 && s < 19 ? 0.5 : 0), 'SPIKE'],
  ['a sensor that fills up in seconds', 300, createFilling(0.15), 'SATURATED'],
  ['a sensor that fills up in the window', 300, createFilling(0.5), 'SATURATED'],
  ['a capture that begins late', 50, (loaded, s) => loaded * (s / 40) ** 2, 'POOR_FIT'],
];

for (const [what, ngPerUl, shape, code] of FAULTY)
  test(`${code}: ${what} → no yield`, () => {
    const [{ outcome, yield: found, expressed, place, flags }] = run(
      shapeSensors(createWells('sample', 'design', ngPerUl, ngPerUl), shape),
    ).sequences;
    assert.deepEqual([outcome, found, expressed, place], ['failed_qc', null, null, null]);
    assert.deepEqual(
      flags.map((each) => [each.code, each.severity]),
      [[code, 'error']],
    );
  });

test('SPIKE: one of two replicates → the other gives the yield, with the flag', () => {
  const [good, bad] = createWells('sample', 'design', 20, 20);
  const [{ outcome, yield: found, flags, nReplicatesPassed }] = run([
    good,
    ...shapeSensors([bad], (loaded, s) => loaded + (s > 15 && s < 19 ? 0.5 : 0)),
  ]).sequences;
  assert.deepEqual([outcome, nReplicatesPassed, flags[0]?.code], ['measured', 1, 'SPIKE']);
  assert.ok(Math.abs((found?.value ?? 0) / 20 - 1) < 0.1);
});

test('capture: linear, drifting or slightly bent traces → the same yields without a flag', () => {
  const shapes: Shape[] = [
    (loaded) => loaded,
    (loaded, s) => loaded + 3e-4 * s,
    (loaded, s) => loaded + 0.001 * (1 - Math.exp(-s / 5)),
    createFilling(3),
  ];
  for (const shape of shapes)
    for (const ngPerUl of [0, 1, 20, 300]) {
      const [{ yield: found, flags }] = run(
        shapeSensors(createWells('sample', 'design', ngPerUl, ngPerUl), shape),
      ).sequences;
      assert.ok(found !== null && flags.every(({ code }) => code === 'BELOW_LLOQ'), JSON.stringify(flags));
    }
});

test('capture: samples level off as their standards do → read from the standards', () => {
  const calibrators = [...shapeSensors(createStandards(), createFilling(0.4)), ...NO_DNA];
  const samples = shapeSensors(createWells('sample', 'design', 100, 100), createFilling(0.4));
  const [{ outcome, yield: found, flags }] = run(samples, calibrators).sequences;
  assert.deepEqual(
    [outcome, found?.relation, flags.map(({ code }) => code)],
    ['measured', '>', ['ABOVE_ULOQ']],
  );
});

test('SPIKE: a standard jumps → left out of the standard curve', () => {
  const [first, ...others] = createStandards();
  const jumped = shapeSensors([first], (loaded, s) => loaded + (s > 15 ? 0.5 : 0));
  const { plates, sequences } = run(createWells('sample', 'design', 20), [...jumped, ...others, ...NO_DNA]);
  assert.deepEqual(
    plates[0].flags.map(({ code, severity }) => [code, severity]),
    [['SPIKE', 'info']],
  );
  assert.equal(plates[0].pass, true);
  assert.ok(Math.abs((sequences[0].yield?.value ?? 0) / 20 - 1) < 0.1);
});

test('not_expressed: beside a measured sequence → no place in the ranking', () => {
  const { sequences } = run([
    ...createWells('sample', 'low', 1, 1),
    ...createWells('sample', 'design', 20, 20),
  ]);
  assert.deepEqual(
    sequences.map(({ outcome, place }) => [outcome, place]),
    [
      ['not_expressed', null],
      ['measured', 1],
    ],
  );
});

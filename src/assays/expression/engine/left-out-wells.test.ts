/** One bad standard of many, and one contaminated blank of three: found, left out and told, at random. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unpackCurves } from '#testing/analysis/unpack-curves.ts';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { expression } from './assay.ts';
import { findContaminatedBlank } from './contaminated-blank.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { writeCaptureFile, createStandards, createWells } from '#testing/analysis/capture.ts';
import type { CaptureSensor } from '#testing/analysis/capture.ts';
import { createNormals, createUniforms } from '#testing/analysis/synthetic.ts';
import type { ExpressionAnalysis } from './types.ts';

const RUNS = Math.min(40, countCalibrationSets(20));
const YIELD = 24;

function analyze(seed: number, sensors: readonly CaptureSensor[], cv = 0.03): ExpressionAnalysis {
  const file = writeCaptureFile({ sensors, cv, seed });
  return analyzeHere(expression, { files: [file], settings: {} }).found;
}

const design = createWells('sample', 'design', YIELD, YIELD, YIELD);
const noDna = createWells('negative_control', 'No DNA', 0, 0, 0);

function hasTold({ plates, sequences, notices }: ExpressionAnalysis, code: string): boolean {
  const flagged = [plates[0].flags, sequences[0].flags].map((flags) =>
    flags.some((each) => each.code === code),
  );
  assert.equal(flagged[0], flagged[1]);
  assert.equal(flagged[0], notices.length > 0);
  return flagged[0] ?? false;
}

/** Whether the yield is within 15 % of what the wells held. */
function isRight({ sequences: [{ yield: found }] }: ExpressionAnalysis): boolean {
  return found?.relation === '=' && Math.abs(Math.log(found.value / YIELD)) < Math.log(1.15);
}

function countRuns(of: (seed: number) => boolean): number {
  return Array.from({ length: RUNS }, (_, seed) => of(seed + 1)).filter(Boolean).length;
}

/** A factor of 1.7 to 4 in either direction. */
function drawError(uniform: () => number): number {
  return (1.7 * (4 / 1.7) ** uniform()) ** (uniform() < 0.5 ? 1 : -1);
}

describe('STANDARD_LEFT_OUT', () => {
  test('STANDARD_LEFT_OUT: one well of a standard holds another amount → left out by its name, and the yield is right', () => {
    let right = 0;
    const found = countRuns((seed) => {
      const uniform = createUniforms(seed);
      // Below 5 ng/µL an error is within the noise of the sensor.
      const at = 6 + Math.floor(12 * uniform());
      const factor = drawError(uniform);
      const standards = createStandards().map((each, i) =>
        i === at ? { ...each, heldNgPerUl: each.ngPerUl * factor } : each,
      );
      const analysis = analyze(seed, [...standards, ...noDna, ...design]);
      if (isRight(analysis)) right += 1;
      const flag = analysis.plates[0].flags.find(({ code }) => code === 'STANDARD_LEFT_OUT');
      return hasTold(analysis, 'STANDARD_LEFT_OUT') && flag?.message.includes(`(T${at + 1})`) === true;
    });
    assert.ok(found >= 0.95 * RUNS, `${found} of ${RUNS} found`);
    assert.ok(right >= 0.95 * RUNS, `${right} of ${RUNS} right`);
  });

  test('STANDARD_LEFT_OUT: both wells of one dilution are wrong → left out together, and the yield is right', () => {
    let right = 0;
    const found = countRuns((seed) => {
      const uniform = createUniforms(seed);
      const level = [5, 12.5, 31.25, 78.125, 195][Math.floor(5 * uniform())];
      const factor = drawError(uniform);
      const standards = createStandards().map((each) =>
        each.ngPerUl === level ? { ...each, heldNgPerUl: level * factor } : each,
      );
      const analysis = analyze(seed, [...standards, ...noDna, ...design]);
      if (isRight(analysis)) right += 1;
      return hasTold(analysis, 'STANDARD_LEFT_OUT');
    });
    assert.ok(found >= 0.95 * RUNS, `${found} of ${RUNS} found`);
    assert.ok(right >= 0.95 * RUNS, `${right} of ${RUNS} right`);
  });

  test('standard_curve: a standard that was left out → drawn and marked; none → no mark', () => {
    const standards = createStandards();
    const wrong = standards.map((each, i) => (i === 12 ? { ...each, heldNgPerUl: each.ngPerUl * 3 } : each));
    for (const [sensors, marked] of [
      [standards, -1],
      [wrong, 12],
    ] as const) {
      const file = writeCaptureFile({ sensors: [...sensors, ...noDna, ...design], cv: 0.03, seed: 5 });
      const { packed } = analyzeHere(expression, { files: [file], settings: {} });
      const [json] = [...packed.plates.values()].map(unpackCurves);
      const expected = JSON.stringify(standards.map((_, i) => i === marked));
      assert.ok(json?.includes(`"excluded":${expected}`), json);
    }
  });

  test('STANDARD_LEFT_OUT: standards that scatter by 3 or 8 % → every one is kept', () => {
    for (const cv of [0.03, 0.08]) {
      const raised = countRuns((seed) =>
        hasTold(analyze(seed, [...createStandards(), ...noDna, ...design], cv), 'STANDARD_LEFT_OUT'),
      );
      assert.ok(raised <= 0.05 * RUNS, `${raised} of ${RUNS} at ${cv}`);
    }
  });
});

describe('BLANK_LEFT_OUT', () => {
  test('BLANK_LEFT_OUT: one of three controls without DNA holds protein → left out, and the yield is right', () => {
    let right = 0;
    const found = countRuns((seed) => {
      const held = 4 + 60 * createUniforms(seed)();
      const [first, ...others] = noDna;
      const analysis = analyze(seed, [
        ...createStandards(),
        { ...first, heldNgPerUl: held },
        ...others,
        ...design,
      ]);
      if (isRight(analysis)) right += 1;
      return hasTold(analysis, 'BLANK_LEFT_OUT');
    });
    assert.ok(found >= 0.95 * RUNS, `${found} of ${RUNS} found`);
    assert.ok(right >= 0.95 * RUNS, `${right} of ${RUNS} right`);
  });

  test('BLANK_LEFT_OUT: three clean controls without DNA → all are kept', () => {
    const raised = countRuns((seed) =>
      hasTold(analyze(seed, [...createStandards(), ...noDna, ...design]), 'BLANK_LEFT_OUT'),
    );
    assert.ok(raised <= 0.05 * RUNS, `${raised} of ${RUNS}`);
  });

  test('BLANK_LEFT_OUT: two blanks → none is left out, because nothing shows which is wrong; normal blanks → none', () => {
    assert.equal(findContaminatedBlank([0.04, 0.4], 0.002), null);
    assert.equal(findContaminatedBlank([0.04, 0.041, 0.4], 0.002), 2);
    const raised = countRuns((seed) => {
      const normal = createNormals(seed);
      const blanks = Array.from({ length: 8 }, () => 0.04 + 0.004 * normal());
      return findContaminatedBlank(blanks, 0.002) !== null;
    });
    assert.ok(raised <= 0.05 * RUNS, `${raised} of ${RUNS}`);
  });
});

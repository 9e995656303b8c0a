/** What is weighed for a weak signal: where the curve says little, what proteins show; where it says much, the curve. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMeltTrace } from '#testing/analysis/melts.ts';
import { averageSteps } from './weak-signal.ts';

const TM_C = 58;
const FROM_END_C = 3;

function averageOne(dhKcalPerMol: number, noiseSd: number, seed = 1) {
  const curve = createMeltTrace({
    well: 'A1',
    transitions: [{ tmC: TM_C, dhKcalPerMol, amplitude: 1 }],
    stepC: 0.5,
    noiseSd,
    seed,
  });
  return averageSteps([{ curve, variance: noiseSd ** 2, isLight: false }], FROM_END_C);
}

describe('steps weighed with what proteins show', () => {
  test('a step: strong against weak → the interval of Tm grows with the noise, and holds Tm', () => {
    const [clear, weak] = [averageOne(120, 0.02), averageOne(120, 0.2)];
    assert.ok(weak.sdTmC > 2 * clear.sdTmC, `${weak.sdTmC} and ${clear.sdTmC}`);
    assert.ok(Math.abs(weak.tmC - TM_C) < 3 * weak.sdTmC, JSON.stringify(weak));
  });

  test('ΔH: a clear steep step → its own; noise alone → that of proteins', () => {
    const clear = averageOne(200, 0.01);
    assert.ok(Math.abs(Math.log(clear.dhKcalPerMol / 200)) < 0.2, JSON.stringify(clear));
    const noise = createMeltTrace({ well: 'A1', transitions: [], stepC: 0.5, noiseSd: 0.2, seed: 3 });
    const found = averageSteps([{ curve: noise, variance: 0.04, isLight: false }], FROM_END_C);
    assert.ok(found.dhKcalPerMol > 50 && found.dhKcalPerMol < 250, JSON.stringify(found));
    assert.ok(found.sdTmC > 5, `${found.sdTmC} °C`);
  });

  test('replicates: three wells of the same step → a narrower interval than one', () => {
    const curves = [1, 2, 3].map((seed) => ({
      curve: createMeltTrace({
        well: 'A1',
        transitions: [{ tmC: TM_C, dhKcalPerMol: 120, amplitude: 1 }],
        stepC: 0.5,
        noiseSd: 0.2,
        seed,
      }),
      variance: 0.04,
      isLight: false,
    }));
    const together = averageSteps(curves, FROM_END_C);
    const [one] = curves.map((curve) => averageSteps([curve], FROM_END_C));
    assert.ok(together.sdTmC < 0.8 * (one?.sdTmC ?? 0), `${together.sdTmC} and ${one?.sdTmC}`);
  });
});

/** Whether the raw files of a family show the fault that the family is named for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SimulatedRun } from './family.ts';
import { WELLS_FAMILIES } from './families.ts';
import {
  computeDyeSignal,
  computeEquilibriumSignal,
  createScan,
  drawDye,
  drawIntrinsic,
} from './melt-signals.ts';
import { createRandom } from './random.ts';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

function simulate(family: string): SimulatedRun[] {
  const found = WELLS_FAMILIES.find(({ name }) => name === family);
  assert.ok(found, family);
  return SEEDS.map((seed) => found.simulate(seed));
}

/** Reads the signal of the first well from our own melting curves or from a table. */
function readFirstWell({ run }: SimulatedRun): number[] {
  const lines = (run.files[0]?.text ?? '').split('\n');
  const own = lines.filter((line) => /^A1,[^,]+,[\d.]+,/u.test(line)).map((line) => line.split(','));
  if (own.length > 0) return own.filter((cells) => cells[1] === own[0]?.[1]).map((cells) => Number(cells[3]));
  return lines.filter((line) => /^\d/u.test(line)).map((line) => Number(line.split(',')[1]));
}

function countEqual(signal: readonly number[], value: number): number {
  return signal.filter((each) => each === value).length;
}

const scan = createScan(20, 95, 0.1, 1);
const transition = { tmC: 60, dhKcal: 120, dcpKcalPerK: 1 };

function findSteepest(signal: readonly number[]): number {
  const slopes = signal.slice(1).map((value, i) => Math.abs(value - (signal[i] ?? 0)));
  return scan.temperaturesC[slopes.indexOf(Math.max(...slopes))] ?? Number.NaN;
}

describe('signals of the attack', () => {
  it('ratio: a step in equilibrium → steepest at Tm, as high as stated', () => {
    const optics = drawIntrinsic(createRandom('ratio'), 'ratio', true);
    const signal = computeEquilibriumSignal(scan, [transition], optics);
    assert.ok(Math.abs(findSteepest(signal) - 60) < 0.5);
    const height = (signal[500] ?? 0) - (signal[300] ?? 0);
    assert.ok(Math.abs(height / optics.stepHeight - 1) < 0.15);
  });

  it('light at one wavelength: no protein unfolds → fades all the way', () => {
    const optics = drawIntrinsic(createRandom('330'), '330nm', false);
    const signal = scan.temperaturesC.map((temperatureC) => optics.shine(0, temperatureC));
    assert.ok(signal.slice(1).every((value, i) => value < (signal[i] ?? 0)));
  });

  it('dye: protein that aggregates at once → a lower peak at a lower temperature than one that does not', () => {
    const dye = { ...drawDye(createRandom('dye')), onAggregate: 0.1 };
    const compute = (perMinute: number) =>
      computeDyeSignal(scan, transition, { perMinute, atC: 62, activationKcal: 60 }, dye).signal;
    const slow = compute(0.001);
    const fast = compute(2);
    assert.ok(Math.max(...fast) < Math.max(...slow));
    assert.ok(fast.indexOf(Math.max(...fast)) < slow.indexOf(Math.max(...slow)));
  });
});

describe('faults of the attack', () => {
  it('clipped_top: every run → several points at the highest value', () => {
    for (const simulated of simulate('clipped_top')) {
      const signal = readFirstWell(simulated);
      assert.ok(countEqual(signal, Math.max(...signal)) >= 2, JSON.stringify(simulated.truth.facts));
    }
  });

  it('clipped_floor: every run → several points at the lowest value', () => {
    for (const simulated of simulate('clipped_floor')) {
      const signal = readFirstWell(simulated);
      assert.ok(countEqual(signal, Math.min(...signal)) >= 2, JSON.stringify(simulated.truth.facts));
    }
  });

  it('saturated_start: every run → points among the first at the highest value', () => {
    for (const simulated of simulate('saturated_start')) {
      const signal = readFirstWell(simulated);
      assert.ok(
        countEqual(signal.slice(0, 10), Math.max(...signal)) >= 2,
        JSON.stringify(simulated.truth.facts),
      );
    }
  });

  it('clean_nanodsf: every run → no value is shared by the points at its top', () => {
    for (const simulated of simulate('clean_nanodsf')) {
      const signal = readFirstWell(simulated);
      assert.ok(countEqual(signal, Math.max(...signal)) <= 2);
    }
  });

  it('plate_effect_confounded: every run → all wells of the design in one column', () => {
    for (const { run } of simulate('plate_effect_confounded')) {
      const text = run.files[0]?.text ?? '';
      const own = [...text.matchAll(/^[A-H](\d+),sample,design-1,/gmu)].map((match) => match[1]);
      if (text.startsWith('# assayer-plate')) assert.equal(own.length, 4);
      assert.ok(new Set(own).size <= 1);
    }
  });

  it('saturated_wells: every run → a reading at the limit or a word for it, unless noise kept all below', () => {
    const shown = simulate('saturated_wells').filter(({ run, truth }) => {
      const text = run.files[0]?.text ?? '';
      return text.includes('OVER') || text.includes(String(truth.facts['limit']));
    });
    assert.ok(shown.length >= 18);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { integrateCapture } from './capture.ts';
import { computeAbsorbance280, computeMassDa } from './protein.ts';
import { createNoise, createRandom } from './random.ts';
import { findLowerLimit, findUpperLimit } from './statistics.ts';
import {
  computePopulations,
  computeUnfoldedFraction,
  computeWidthC,
  findHalfC,
  integrateLoss,
} from './unfolding.ts';

const steep = { tmC: 60, dhKcal: 120, dcpKcalPerK: 1.5 };

function assertNear(actual: number, expected: number, by: number): void {
  assert.ok(Math.abs(actual - expected) <= by, `${actual} is not within ${by} of ${expected}`);
}

const temperaturesC = Array.from({ length: 701 }, (_, i) => 20 + i / 10);

describe('unfolding of the attack', () => {
  it('equilibrium: at Tm → half unfolded, with the slope of its enthalpy', () => {
    assertNear(computeUnfoldedFraction(60, steep), 0.5, 1e-12);
    const slope = computeUnfoldedFraction(60.01, steep) - computeUnfoldedFraction(59.99, steep);
    assertNear(slope / 0.02, 1 / (4 * computeWidthC(steep)), 1e-5);
  });

  it('equilibrium: heat capacity of a real protein → stability falls in the cold', () => {
    const protein = { tmC: 60, dhKcal: 60, dcpKcalPerK: 2 };
    assert.ok(computeUnfoldedFraction(-10, protein) > computeUnfoldedFraction(30, protein));
  });

  it('three states: populations → sum to one, and the middle one peaks between its transitions', () => {
    const steps = [
      { ...steep, tmC: 50 },
      { ...steep, tmC: 70 },
    ];
    const at = (temperatureC: number) => computePopulations(temperatureC, steps);
    assertNear(
      at(58).reduce((sum, each) => sum + each, 0),
      1,
      1e-12,
    );
    assert.ok((at(60)[1] ?? 0) > 0.9);
    assertNear(at(50)[0] ?? 0, 0.5, 0.001);
    assertNear(at(70)[2] ?? 0, 0.5, 0.001);
  });

  it('loss: none → the equilibrium; fast → half is gone earlier; faster heating → later again', () => {
    const rate = (perMinute: number) => ({ perMinute, atC: 60, activationKcal: 60 });
    const half = (perMinute: number, scanCPerMinute: number) =>
      findHalfC(temperaturesC, integrateLoss(temperaturesC, steep, rate(perMinute), scanCPerMinute).native) ??
      0;
    assertNear(half(0, 1), 60, 0.001);
    assert.ok(half(5, 1) < 59.5);
    assert.ok(half(5, 2) > half(5, 1));
  });

  it('loss: any rate → nothing appears or disappears', () => {
    const { native, unfolded, lost } = integrateLoss(
      temperaturesC,
      steep,
      { perMinute: 1, atC: 60, activationKcal: 50 },
      1,
    );
    for (const [i, folded] of native.entries())
      assertNear(folded + (unfolded[i] ?? 0) + (lost[i] ?? 0), 1, 1e-9);
  });

  it('loss: constant rate of fully unfolded protein → exponential decay over the time of heating', () => {
    const unfoldedC = { tmC: 0, dhKcal: 180, dcpKcalPerK: 0 };
    const { lost } = integrateLoss([50, 70], unfoldedC, { perMinute: 0.1, atC: 60, activationKcal: 0 }, 2);
    assertNear(lost[1] ?? 0, 1 - Math.exp(-0.1 * 10), 1e-6);
  });
});

describe('capture of the attack', () => {
  const sensor = { rmaxNm: 5, onPerSPerNgPerUl: 1e-4, offPerS: 1e-3, transportLoad: 0 };

  it('capture: no transport → the exponential of the rate equation', () => {
    const signal = integrateCapture(sensor, 100, 120);
    const observed = 1e-4 * 100 + 1e-3;
    const plateau = (5 * 1e-4 * 100) / observed;
    for (const t of [1, 30, 120]) assertNear(signal[t] ?? 0, plateau * (1 - Math.exp(-observed * t)), 1e-6);
  });

  it('capture: transport → slower, with the same plateau', () => {
    const slowed = { ...sensor, transportLoad: 1 };
    assertNear(
      (integrateCapture(slowed, 10, 2)[1] ?? 0) / (integrateCapture(sensor, 10, 2)[1] ?? 1),
      0.5,
      0.01,
    );
    assertNear(
      integrateCapture(slowed, 1000, 600).at(-1) ?? 0,
      integrateCapture(sensor, 1000, 600).at(-1) ?? 1,
      1e-4,
    );
  });
});

describe('numbers of the attack', () => {
  it('random numbers: same name → the same; normal ones → mean zero, deviation one', () => {
    const draw = (name: string) => {
      const random = createRandom(name);
      return Array.from({ length: 20_000 }, () => random.normal());
    };
    const first = draw('a');
    assert.deepEqual(first, draw('a'));
    assert.notDeepEqual(first, draw('b'));
    assertNear(computeMean(first), 0, 0.03);
    assertNear(computeMean(first.map((each) => each ** 2)), 1, 0.04);
  });

  it('noise: with correlation → deviation one, neighbors as alike as asked', () => {
    const next = createNoise(createRandom('noise'), 0.4);
    const drawn = Array.from({ length: 20_000 }, next);
    assertNear(computeMean(drawn.map((each) => each ** 2)), 1, 0.05);
    assertNear(computeMean(drawn.slice(1).map((each, i) => each * (drawn[i] ?? 0))), 0.4, 0.03);
  });

  it('Clopper–Pearson: published one-sided limits → the same', () => {
    assert.equal(findLowerLimit({ hits: 0, of: 50 }), 0);
    assertNear(findUpperLimit({ hits: 0, of: 50 }), 1 - 0.05 ** (1 / 50), 1e-9);
    assertNear(findLowerLimit({ hits: 50, of: 50 }), 0.05 ** (1 / 50), 1e-9);
    // Two-sided 90 % of 5 among 100 in the tables: 0.0199 to 0.1023.
    assertNear(findLowerLimit({ hits: 5, of: 100 }), 0.0199, 1e-4);
    assertNear(findUpperLimit({ hits: 5, of: 100 }), 0.1023, 1e-4);
  });

  it('protein: glucagon → its mass and absorbance', () => {
    const glucagon = 'HSQGTFTSDYSKYLDSRRAQDFVQWLMNT';
    assertNear(computeMassDa(glucagon), 3482.8, 0.1);
    assert.equal(computeAbsorbance280(glucagon), 5500 + 2 * 1490);
  });
});

function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

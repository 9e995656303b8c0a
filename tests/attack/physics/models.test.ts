/** The closed solution of 1:1 binding and the conservation of mass test the integration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integrateSignal } from './integrate.ts';
import {
  createBleeding,
  createConformational,
  createMassTransport,
  createOneToOne,
  createSites,
} from './models.ts';
import { createRandom } from './random.ts';

const TIMES_S = Array.from({ length: 501 }, (_, index) => index - 20);
const ASSOCIATION_S = 180;
const planInjection = (concentrationM: number) => [
  { startS: -20, concentrationM: 0 },
  { startS: 0, concentrationM },
  { startS: ASSOCIATION_S, concentrationM: 0 },
];

/** Karlsson 1991; the oracle of this test alone. */
function solveOneToOne(kon: number, koff: number, concentrationM: number, timeS: number): number {
  const rate = kon * concentrationM + koff;
  const grown = (s: number) => ((kon * concentrationM) / rate) * (1 - Math.exp(-rate * s));
  if (timeS <= 0) return 0;
  return timeS <= ASSOCIATION_S
    ? grown(timeS)
    : grown(ASSOCIATION_S) * Math.exp(-koff * (timeS - ASSOCIATION_S));
}

function assertClose(actual: Float64Array, expected: readonly number[], tolerance: number): void {
  for (const [index, value] of expected.entries())
    assert.ok(Math.abs((actual[index] ?? Number.NaN) - value) <= tolerance, `point ${index}`);
}

test('attack physics: 1:1 rates over the whole range → the closed solution within 1e-6 of Rmax', () => {
  const random = createRandom('oracle');
  for (let round = 0; round < 40; round += 1) {
    const kon = random.drawLog(1e3, 1e7);
    const koff = random.drawLog(1e-5, 1);
    const concentrationM = random.drawLog(0.01, 100) * Math.min(koff / kon, 1e-6);
    const signal = integrateSignal(createOneToOne({ kon, koff }, 1), planInjection(concentrationM), TIMES_S);
    assertClose(
      signal,
      TIMES_S.map((timeS) => solveOneToOne(kon, koff, concentrationM, timeS)),
      1e-6,
    );
  }
});

test('attack physics: exchange with the layer is fast → mass transport is 1:1', () => {
  const model = createMassTransport({ kon: 1e5, koff: 1e-2 }, 100, 1e12, 1e11);
  const signal = integrateSignal(model, planInjection(1e-7), TIMES_S);
  assertClose(
    signal,
    TIMES_S.map((timeS) => 100 * solveOneToOne(1e5, 1e-2, 1e-7, timeS)),
    0.1,
  );
});

test('attack physics: mass transport → the analyte that entered is in the layer or bound', () => {
  const [transport, layer, concentrationM] = [2e8, 1e8, 5e-8];
  const model = createMassTransport({ kon: 1e6, koff: 1e-3 }, 100, transport, layer);
  const change = new Float64Array(2);
  for (const state of [
    [0, 0],
    [40, 1e-8],
    [90, 5e-8],
  ]) {
    model.derive(Float64Array.from(state), concentrationM, change);
    const held = (change[0] ?? 0) + layer * (change[1] ?? 0);
    const entered = transport * (concentrationM - (state[1] ?? 0));
    assert.ok(Math.abs(held - entered) <= 1e-9 * Math.max(1, Math.abs(entered)));
  }
});

test('attack physics: mass transport at equilibrium → the isotherm of 1:1', () => {
  const timesS = [0, 20_000];
  const model = createMassTransport({ kon: 1e6, koff: 1e-2 }, 100, 1e8, 1e8);
  const signal = integrateSignal(model, [{ startS: 0, concentrationM: 3e-8 }], timesS);
  assert.ok(Math.abs((signal[1] ?? 0) - 75) < 1e-3);
});

test('attack physics: complex that changes its shape, at equilibrium → KD/(1 + kf/kr)', () => {
  const model = createConformational({ kon: 1e5, koff: 1e-2 }, 100, 4e-3, 1e-3);
  const signal = integrateSignal(model, [{ startS: 0, concentrationM: 2e-8 }], [0, 50_000]);
  assert.ok(Math.abs((signal[1] ?? 0) - 50) < 1e-3);
});

test('attack physics: two sites → the sum of two 1:1 curves', () => {
  const sites = [
    { kon: 1e5, koff: 1e-3, rmax: 70 },
    { kon: 1e4, koff: 1e-2, rmax: 30 },
  ];
  const signal = integrateSignal(createSites(sites), planInjection(1e-7), TIMES_S);
  assertClose(
    signal,
    TIMES_S.map(
      (timeS) => 70 * solveOneToOne(1e5, 1e-3, 1e-7, timeS) + 30 * solveOneToOne(1e4, 1e-2, 1e-7, timeS),
    ),
    1e-4,
  );
});

test('attack physics: ligand leaves without analyte → the signal falls by its mass', () => {
  const model = createBleeding({ kon: 1e5, koff: 1e-3 }, 1, 1e-3, 2);
  const signal = integrateSignal(model, [{ startS: 0, concentrationM: 0 }], [0, 1000]);
  assert.ok(Math.abs((signal[1] ?? 0) - 2 * (Math.exp(-1) - 1)) < 1e-6);
});

test('attack random: the same text → the same numbers; another text → others', () => {
  const take = (text: string) => {
    const random = createRandom(text);
    return Array.from({ length: 5 }, () => random.draw(0, 1));
  };
  assert.deepEqual(take('a:1'), take('a:1'));
  assert.notDeepEqual(take('a:1'), take('a:2'));
});

test('attack random: 20,000 normal numbers → mean 0 and standard deviation 1', () => {
  const random = createRandom('normal');
  const numbers = Array.from({ length: 20_000 }, () => random.drawNormal());
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const variance = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length;
  assert.ok(Math.abs(mean) < 0.03 && Math.abs(variance - 1) < 0.04, `${mean} ${variance}`);
});

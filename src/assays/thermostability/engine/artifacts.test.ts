/**
 * Steps, bubbles and incomplete transitions get no Tm by any method, and the reason is stated; real transitions that
 * look similar keep their Tm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltWell } from '#testing/analysis/melts.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';
import type { SequenceMelting } from './types.ts';

type Signal = (temperatureC: number) => number;

const METHODS = ['auto', 'two_state', 'derivative'] as const;
const SEEDS = Array.from({ length: Math.min(10, countCalibrationSets(4)) }, (_, index) => index + 1);
const GOOD = [55, 61].map((tmC, index): MeltWell => {
  const transitions = [{ tmC, dhKcalPerMol: 100, amplitude: 0.3 }];
  return { well: `B${index + 1}`, transitions, noiseSd: 0.002, slopePerC: 0.001, seed: 90 + index };
});

/** Runs the curve of a well with `added` to it. */
function run(
  well: Omit<MeltWell, 'well'>,
  added: Signal,
  { others = [], ...settings }: MeltingSettingsInput & { others?: MeltWell[] } = {},
): SequenceMelting {
  const trace = createMeltTrace({ well: 'A1', noiseSd: 0.002, slopePerC: 0.001, ...well });
  const signal = trace.signal.map((value, i) => value + added(trace.temperatureC[i]));
  return analyzeMeltingSets([createMeltSet([{ ...trace, signal }, ...others.map(createMeltTrace)])], settings)
    .sequences[0];
}

function assertNone(found: SequenceMelting, reasons: readonly string[], what: string): void {
  assert.equal(found.tm, null, `${what}: ${found.tm?.value}`);
  assert.ok(reasons.includes(found.noTransition?.reason ?? ''), `${what}: ${found.noTransition?.reason}`);
}

for (const method of METHODS) {
  test(`NO_TRANSITION: ${method}, a step of the detector within one sample → no Tm`, () => {
    for (const height of [0.01, 0.02, 0.1])
      for (const seed of SEEDS)
        for (const others of [[], GOOD]) {
          const step = (t: number): number => (t > 50 ? height : 0);
          const found = run({ transitions: [], seed }, step, { method, others });
          assertNone(
            found,
            ['width_at_bound', 'amplitude_below_noise', 'no_inflection'],
            `${height}, ${seed}`,
          );
        }
  });

  test(`NO_TRANSITION: ${method}, a bubble of a few degrees → no Tm`, () => {
    const bubble = (t: number): number => 0.03 * Math.exp(-(((t - 50) / 1.5) ** 2));
    const reasons = ['signal_returns', 'amplitude_below_noise', 'width_at_bound'];
    for (const seed of SEEDS)
      for (const others of [[], GOOD])
        assertNone(run({ transitions: [], seed }, bubble, { method, others }), reasons, `seed ${seed}`);
  });

  test(`NO_TRANSITION: ${method}, a transition near the end of the range → no Tm`, () => {
    for (const tmC of [27, 28, 93])
      for (const seed of SEEDS) {
        const transitions = [{ tmC, dhKcalPerMol: 80, amplitude: 0.3 }];
        const found = run({ transitions, seed }, () => 0, { method });
        assert.equal(found.tm, null, `${tmC}: ${found.tm?.value}`);
      }
  });

  test(`transition: ${method}, the narrowest unfolding, or one a little inside the range → keeps its Tm`, () => {
    for (const seed of SEEDS)
      for (const [tmC, dhKcalPerMol] of [
        [60, 400],
        [31, 80],
      ]) {
        const found = run({ transitions: [{ tmC, dhKcalPerMol, amplitude: 0.1 }], seed }, () => 0, {
          method,
          transitionsMax: 1,
        });
        assert.ok(Math.abs((found.tm?.value ?? 0) - tmC) < 1, `${tmC}: ${found.noTransition?.reason}`);
      }
  });

  test(`transition: ${method}, the signal rises on unfolding and falls 15 °C later → has its Tm`, () => {
    const transitions = [
      { tmC: 50, dhKcalPerMol: 150, amplitude: 0.2 },
      { tmC: 65, dhKcalPerMol: 150, amplitude: -0.2 },
    ];
    for (const seed of SEEDS) {
      const { tmAll, noTransition } = run({ transitions, seed }, () => 0, { method });
      const near = tmAll.some(({ tmC }) => Math.abs(tmC - 50) < 1 || Math.abs(tmC - 65) < 1);
      assert.ok(near, noTransition?.reason ?? '');
    }
  });
}

/** Dye curves that are clipped, or fall before the protein is unfolded: the interval of Tm accounts for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFlag } from '#analysis/quality/flags.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { SequenceMelting } from './types.ts';

function analyzeDye(seed: number, change: (value: number, temperatureC: number) => number): SequenceMelting {
  const transitions = [{ tmC: 60, dhKcalPerMol: 100, amplitude: 5 }];
  const noise = createMeltTrace({ well: 'A1', transitions: [], offset: 0, noiseSd: 0.02, seed });
  const trace = createMeltTrace({ well: 'A1', channel: 'dye', transitions });
  const signal = trace.signal.map((value, i) => change(value, trace.temperatureC[i]) + noise.signal[i]);
  return analyzeMeltingSets([createMeltSet([{ ...trace, signal }])]).sequences[0];
}

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

for (const [what, change] of [
  ['clipped at two fifths of its height', (value: number) => Math.min(3, value)],
  [
    'falling from its Tm on',
    (value: number, t: number) => 1 + (value - 1) * Math.exp(-Math.max(0, t - 60) / 8),
  ],
] as const)
  test(`TM_UNCERTAIN: a dye curve ${what} → raised, with an interval to within half a degree of the truth`, () => {
    for (const seed of SEEDS) {
      const { tm, flags, replicates } = analyzeDye(seed, change);
      assert.ok(hasFlag(flags, 'TM_UNCERTAIN'), `seed ${seed}: ${JSON.stringify(tm)}`);
      assert.ok(
        (tm?.ci95Low ?? 99) < 60 && (tm?.ci95High ?? 0) > 59.5,
        `seed ${seed}: ${JSON.stringify(tm)}`,
      );
      assert.equal(replicates[0].confidence, 'medium');
    }
  });

test('TM_UNCERTAIN: a dye curve that falls after its transition → not raised', () => {
  for (const seed of SEEDS) {
    const { tm, flags } = analyzeDye(seed, (value, t) => value - 0.1 * Math.max(0, t - 66));
    assert.deepEqual(flags, []);
    // Sloped baselines put a fall that begins 6 °C after Tm into the step as well, and Tm 0.6 °C too high.
    assert.ok(Math.abs((tm?.value ?? 0) - 60) < 0.7, `${tm?.value}`);
  }
});

/** Rises to the ceiling of a detector, and comes down from it 30 °C later. */
function analyzeCeiling(ceiling: number, seed: number): SequenceMelting {
  const transitions = [{ tmC: 60, dhKcalPerMol: 100, amplitude: 5 }];
  const trace = createMeltTrace({ well: 'A1', channel: 'dye', transitions, noiseSd: 0.02, seed });
  const signal = trace.signal.map((value, i) =>
    Math.min(ceiling, value - 0.25 * Math.max(0, trace.temperatureC[i] - 75)),
  );
  return analyzeMeltingSets([createMeltSet([{ ...trace, signal }])]).sequences[0];
}

test('SATURATED: a ceiling that a dye leaves only long after its step → no Tm is placed where nothing was read', () => {
  for (const seed of SEEDS) {
    const { tm, flags, replicates } = analyzeCeiling(2, seed);
    const [from, to] = [58, 84];
    assert.ok(hasFlag(flags, 'SATURATED'), `seed ${seed}`);
    // A model may extrapolate a little beyond the last reading of the step.
    assert.ok(tm === null || (tm.relation !== '=' && tm.value < from + 4), `seed ${seed}: ${tm?.value}`);
    for (const { temperatureC } of replicates[0].inflectionPoints)
      assert.ok(temperatureC < from || temperatureC > to, `seed ${seed}: a peak at ${temperatureC} °C`);
  }
});

test('SATURATED: the same dye below the ceiling → Tm by its peak', () => {
  for (const seed of SEEDS) {
    const { tm, flags, replicates } = analyzeCeiling(100, seed);
    assert.ok(!hasFlag(flags, 'SATURATED'), `seed ${seed}`);
    assert.ok(Math.abs((tm?.value ?? 0) - 60) < 1, `seed ${seed}: ${tm?.value}`);
    assert.ok(replicates[0].inflectionPoints.some(({ temperatureC }) => Math.abs(temperatureC - 60) < 1));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import { countSpikes } from './spikes.ts';

const NOISE_SD = 0.004;
const RULE = { spikeSd: 12, noiseSd: NOISE_SD };

/** A dissociation with the noise of its sensor, and at one time a spike. */
function createSteep(seed: number, spike = 0): { timeS: Float64Array; signal: Float64Array } {
  const normal = createNormals(seed);
  const timeS = Float64Array.from({ length: 121 }, (_, i) => i);
  const signal = timeS.map((time) => 0.35 * Math.exp(-time / 60) + NOISE_SD * normal());
  signal[50] += spike;
  return { timeS, signal };
}

const FLAT = { timeS: Float64Array.from({ length: 121 }, (_, i) => i), signal: new Float64Array(121) };

test('SPIKE: a steep curve with ordinary noise → none; a sample beyond twelve standard deviations of it → one', () => {
  for (let seed = 1; seed <= 200; seed += 1)
    assert.equal(countSpikes(FLAT, createSteep(seed), RULE), 0, `seed ${seed}`);
  assert.equal(countSpikes(FLAT, createSteep(1, 20 * NOISE_SD), RULE), 1);
});

/** A table without the name of its channel that holds the light of a protein, which begins bright, as a dye does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltTruth } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';

const TM_C = 62;
const COUNTS = 4_000;

/** Two wells of a table that names no channel. */
function analyzeUnnamed(truth: MeltTruth, seed: number) {
  const wells = ['A1', 'A2'].map((well, k) => {
    const trace = createMeltTrace({
      well,
      sample: 'design',
      replicate: k + 1,
      ...truth,
      seed: 10 * seed + k,
    });
    const signal = trace.signal.map((value) => COUNTS * value);
    return { ...trace, channel: 'dye', isChannelAssumed: true, signal };
  });
  return analyzeMeltingSets([createMeltSet(wells)]);
}

const QUENCHED = {
  transitions: [{ tmC: TM_C, dhKcalPerMol: 140, amplitude: 0.3 }],
  offset: 1.5,
  slopePerC: -0.02,
};
const SEEDS = [1, 2, 3, 4, 5];

test('unnamed channel: a weak step on light that falls from its start → the two-state model, a firm Tm nearby', () => {
  for (const seed of SEEDS) {
    const { analysis, sequences } = analyzeUnnamed({ ...QUENCHED, noiseSd: 0.04 }, seed);
    assert.equal(analysis.model, 'two_state');
    const [{ tm }] = sequences;
    assert.equal(tm?.relation, '=');
    assert.ok(Math.abs(tm.value - TM_C) < 1.5, `${tm.value}`);
  }
});

test('unnamed channel: a dye that is dark until its protein unfolds → a Boltzmann curve', () => {
  const dye = { ...QUENCHED, offset: 0.1, slopePerC: -0.001, dyeFallPerC: 0.005, noiseSd: 0.003 };
  const { analysis, sequences } = analyzeUnnamed(dye, 1);
  assert.equal(analysis.model, 'boltzmann');
  assert.ok(Math.abs((sequences[0].tm?.value ?? 0) - TM_C) < 1);
});

test('dye_falls: an unnamed channel whose only step falls → no Tm, with that reason', () => {
  for (const seed of SEEDS) {
    const transitions = [{ tmC: TM_C, dhKcalPerMol: 140, amplitude: -0.6 }];
    const [{ tm, noTransition }] = analyzeUnnamed({ transitions, noiseSd: 0.003 }, seed).sequences;
    assert.deepEqual([tm, noTransition?.reason], [null, 'dye_falls']);
  }
});

/** Binders that dissociate too little within the window: only an upper limit is known, and it must be a true one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinitySets } from '../../../affinity/engine/affinity.ts';
import { createNoisyPlate } from '#testing/analysis/noisy-plate.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';

const PLATE = {
  noise: { sd: 0.002, rho: 0.6 },
  concentrationsM: [3.162e-8, 1e-7, 3.162e-7, 1e-6],
  blanks: true,
  references: true,
  baselineS: 60,
  associationS: 300,
  dissociationS: 600,
  rmaxCv: 0.03,
} as const;
const KON = 3e5;
/** koff at which 5 % of the complex dissociates in 600 s. */
const WINDOW_LIMIT_PER_S = -Math.log(0.95) / 600;
const BINDERS = 12;

for (const drift of [false, true]) {
  test(`KOFF_BELOW_LIMIT: tight binders, drift ${drift ? 'fitted' : 'not fitted'} → upper limits for koff and KD that hold`, (context) => {
    const counts: Record<string, number> = {};
    for (const koff of [1e-7, 2e-6, 1e-5]) {
      const samples = Array.from({ length: BINDERS }, (_, i) => {
        return { sample: `s${i}`, kon: KON, koff, rmax: 0.5 };
      });
      const set = createNoisyPlate({ ...PLATE, samples, seed: Math.round(koff * 1e8) + 5 });
      for (const { sample, kd, koff: found, flags } of analyzeAffinitySets([set], { drift }).sequences) {
        assert.ok(kd !== null && found !== null, sample);
        counts[kd.relation] = (counts[kd.relation] ?? 0) + 1;
        const numbers = JSON.stringify({ koff, kd, found });
        assert.notEqual(kd.relation, '=', numbers);
        assert.ok(kd.value > koff / KON && found.value > koff, numbers);
        // No value is below what the window can show.
        assert.ok(found.value > 0.99 * WINDOW_LIMIT_PER_S, numbers);
        assert.ok(kd.value > (0.8 * WINDOW_LIMIT_PER_S) / KON, numbers);
        if (kd.relation === '<')
          assert.ok(
            flags.some(({ code }) => code === 'KOFF_BELOW_LIMIT'),
            numbers,
          );
      }
    }
    context.diagnostic(JSON.stringify(counts).replaceAll('<', 'below'));
    assert.ok((counts['<'] ?? 0) >= 0.9 * 3 * BINDERS, JSON.stringify(counts));
  });
}

test('KOFF_BELOW_LIMIT: three replicates of a tight binder → their KD is not below the limit of each', () => {
  const uniform = createUniforms(4);
  for (let i = 0; i < 6; i += 1) {
    const koff = 10 ** (-6.5 + 1.5 * uniform());
    const samples = [1, 2, 3].map((replicate) => ({ sample: 'x', replicate, kon: KON, koff, rmax: 0.5 }));
    const set = createNoisyPlate({ ...PLATE, samples, seed: 900 + i });
    const [{ kd }] = analyzeAffinitySets([set], { drift: true }).sequences;
    assert.ok(kd !== null && kd.relation !== '=');
    assert.ok(kd.value > (0.8 * WINDOW_LIMIT_PER_S) / KON, JSON.stringify(kd));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNormals } from '#testing/analysis/synthetic.ts';
import type { Trace } from '#analysis/curves/trace.ts';
import { StepBuilder } from '#analysis/curves/trace.ts';
import { resolveSettings } from '../settings.ts';
import { alignTrace } from './align.ts';
import { keepZero } from './zero.ts';

const SETTINGS = resolveSettings({ baselineS: 60 }, 'spr');
const LENGTH_S = 60;

/** Noise of one around a level that may slope, before, during and after an injection without binding. */
function createTraces(levels: readonly number[], slopePerS = 0): Trace[] {
  const normal = createNormals(5);
  return levels.map((level, i) => ({
    id: `T${i + 1}`,
    well: null,
    role: 'sample',
    sample: 'x',
    replicate: 1,
    concentrationM: 1e-7,
    steps: (['baseline', 'association', 'dissociation'] as const).map((name, k) => {
      const builder = new StepBuilder(name, k * LENGTH_S);
      for (let t = 0; t < LENGTH_S; t += 1)
        builder.push(k * LENGTH_S + t, level + slopePerS * (t - LENGTH_S) + normal());
      return builder.build();
    }),
  }));
}

function alignAll(traces: readonly Trace[]) {
  const aligned = traces.map((trace) => alignTrace(trace, SETTINGS));
  keepZero(aligned);
  return aligned;
}

test('zero of SPR curves: exported at zero → kept as exported, and the uncertainty of the zero stays', () => {
  const traces = createTraces([0, 0, 0, 0, 0]);
  for (const [i, aligned] of alignAll(traces).entries()) {
    assert.deepEqual([aligned.level, aligned.zeroS > 50], [0, true]);
    const raw = traces[i].steps[1].signal.slice(2, 2 + aligned.association.signal.length);
    assert.ok(raw.every((value, k) => Math.abs(value - aligned.association.signal[k]) < 1e-12));
  }
});

test('zero of SPR curves: one of five at a level of its own → all are aligned to their baselines', () => {
  const found = alignAll(createTraces([0, 0, 3, 0, 0]));
  assert.ok(found.every(({ level }) => level !== 0));
  assert.ok(Math.abs(found[2].level - 3) < 0.5);
});

test('zero of SPR curves: a baseline that slopes → aligned to its last seconds; a level one → to all of it', () => {
  const sloping = alignTrace(createTraces([20], 0.5)[0], SETTINGS);
  assert.equal(sloping.zeroS, 5);
  assert.ok(Math.abs(sloping.level - 18) < 1.5, `${sloping.level}`);
  assert.ok(alignTrace(createTraces([20])[0], SETTINGS).zeroS > 50);
});

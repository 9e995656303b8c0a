import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSettings } from '../settings.ts';
import { createNoisyPlate } from '#testing/analysis/noisy-plate.ts';
import { alignTrace } from './align.ts';
import { estimateStepNoise } from './step-noise.ts';
import type { StepNoise } from './step-noise.ts';

/** Of 40 empty sensors in four concentrations. */
function estimate(interStepSd: number): StepNoise {
  const plate = createNoisyPlate({
    samples: [],
    seed: 5,
    noise: { sd: 0.001 },
    concentrationsM: Array.from({ length: 40 }, (_, i) => ((i % 4) + 1) * 1e-8),
    blanks: false,
    references: true,
    baselineS: 60,
    associationS: 120,
    dissociationS: 120,
    interStepSd,
  });
  const settings = resolveSettings();
  return estimateStepNoise(
    plate.traces.map((trace) => alignTrace(trace, settings)),
    settings.baselineS,
  );
}

test('step noise: sensors that jump at the start of dissociation → that scatter there, and none at association', () => {
  const { start, end } = estimate(0.005);
  assert.ok(end > 0.004 && end < 0.0065, `${end}`);
  assert.ok(start < 0.0005, `${start}`);
});

test('step noise: sensors without jumps → none', () => {
  const { start, end } = estimate(0);
  assert.ok(Math.max(start, end) < 0.0005, `${start}, ${end}`);
});

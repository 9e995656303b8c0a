import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSettings } from '../settings.ts';
import { createSingleCycleTrace } from '#testing/analysis/single-cycle.ts';
import { createPlateControls, synthesize } from '#testing/analysis/synthetic.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { alignTrace } from './align.ts';
import { processCurve, computeResponse } from './process.ts';

test('processing: the response computed alone → equals that of the processed curve', () => {
  const [plate] = parseTraces([synthesize({ noiseSd: 0.004, traces: createPlateControls() })]);
  const cycle = createSingleCycleTrace({ kinetics: { kon: 1e5, koff: 1e-3 }, seed: 1, stated: true });
  for (const assignment of [{}, { associationS: 90 }, { responseS: 30, interStep: 'on' as const }]) {
    const settings = resolveSettings(assignment);
    for (const trace of [...plate.traces, cycle]) {
      const aligned = alignTrace(trace, settings);
      const options = { settings, joinsSteps: true, concentrationM: 1e-7 };
      assert.equal(computeResponse(aligned, settings), processCurve(aligned, options).response);
    }
  }
});

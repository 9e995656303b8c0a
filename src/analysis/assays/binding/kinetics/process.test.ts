import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSettings } from '../settings.ts';
import { singleCycleTrace } from '#testing/analysis/single-cycle.ts';
import { plateControls, synthesize } from '#testing/analysis/synthetic.ts';
import { parseTraces } from '../../../formats/parse.ts';
import { alignTrace } from './align.ts';
import { processCurve, responseOf } from './process.ts';

test('processing: the response computed alone → equals that of the processed curve', () => {
  const [plate] = parseTraces([synthesize({ noiseSd: 0.004, traces: plateControls() })]);
  const cycle = singleCycleTrace({ kinetics: { kon: 1e5, koff: 1e-3 }, seed: 1, stated: true });
  for (const given of [{}, { associationS: 90 }, { responseS: 30, interStep: 'on' as const }]) {
    const settings = resolveSettings(given);
    for (const trace of [...plate.traces, cycle]) {
      const aligned = alignTrace(trace, settings);
      const options = { settings, joinsSteps: true, concentrationM: 1e-7 };
      assert.equal(responseOf(aligned, settings), processCurve(aligned, options).response);
    }
  }
});

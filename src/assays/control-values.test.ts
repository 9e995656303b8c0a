import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { createPlateControls, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import { affinityResult } from './affinity/record.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };
const CONTROL = 'Cetuximab scFv';

function listCharted(expectedKdM: number) {
  const sample = createSeries({ role: 'sample', sample: 'design', kinetics: BINDER, nonSpecific: 0.01 });
  const traces = [...createPlateControls(), ...sample];
  const settings = { controlKdM: { [CONTROL]: expectedKdM } };
  const analysis = analyzeAffinity([synthesize({ noiseSd: 0.0005, traces })], settings);
  const isFailed = analysis.plates[0].flags.some(({ code }) => code === 'CONTROL_FAILED');
  return { isFailed, values: affinityResult.listControlValues(analysis) };
}

test('control charts: the positive control missed its known KD → its KD is charted all the same, as where it met it', () => {
  const [met, missed] = [listCharted(2e-3 / 3e5), listCharted(1e-6)];
  assert.deepEqual([met.isFailed, missed.isFailed], [false, true]);
  const find = ({ values }: typeof met) => values.find(({ control }) => control === CONTROL);
  assert.equal(find(met)?.quantity, 'kd');
  assert.deepEqual(find(missed), find(met));
});

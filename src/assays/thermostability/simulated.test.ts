import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeMeltingSets } from './engine/melting.ts';
import { parseMelts } from '#analysis/formats/parse-wells.ts';
import { MELT_CONTROL } from '#sandbox/models/assay-truth.ts';
import { createFiles, createRequest } from '#testing/sandbox/requests.ts';
import { drawReplicateTruth } from '../simulated-wells.ts';

test('simulated thermostability: analyzed → Tm agrees with the truth, and none without unfolding', () => {
  const request = createRequest('thermostability', { nReplicates: 2 });
  const sets = parseMelts(createFiles(request));
  assert.deepEqual([...new Set(sets[0].traces.map(({ channel }) => channel))], ['ratio', '330nm', '350nm']);
  const analysis = analyzeMeltingSets(sets);
  assert.ok(analysis.plates.length >= 3);
  const control = analysis.controls.find(({ sample }) => sample === MELT_CONTROL.name);
  assert.ok(Math.abs((control?.tm?.value ?? 0) - MELT_CONTROL.truth.tmC) < 0.3, String(control?.tm?.value));
  const deviations: number[] = [];
  for (const sequence of request.sequences) {
    const found = analysis.sequences.find(({ sample }) => sample === sequence.name);
    const truths = [1, 2].map((replicate) => drawReplicateTruth(request, sequence, replicate));
    const sound = truths.filter(({ failure }) => failure === null);
    assert.ok(found !== undefined);
    const tms = sound.flatMap(({ tmC }) => tmC ?? []);
    if (tms.length === 0) {
      if (sound.length > 0) assert.equal(found.tm, null, `${sequence.name} has no transition`);
    } else if (found.tm !== null && sound.length === 2)
      deviations.push(Math.abs(found.tm.value - (tms[0] + tms[1]) / 2));
  }
  deviations.sort((a, b) => a - b);
  assert.ok(deviations.length > 35, String(deviations.length));
  assert.ok(deviations[deviations.length >> 1] < 0.1, String(deviations[deviations.length >> 1]));
  assert.ok(deviations[Math.floor(deviations.length * 0.95)] < 0.5, String(deviations.slice(-4)));
});

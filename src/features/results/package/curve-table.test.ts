import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecord } from '#testing/texts.ts';
import type { Sensorgram } from '../curves.ts';
import { listCurveColumns, listCurveRecords } from './curve-table.ts';

const TIME_S = [-10, 0, 60, 130, 180, 290, 300];

function listAnalyteM(changes: Partial<Sensorgram>): unknown[] {
  const curve: Sensorgram = {
    kind: 'sensorgram',
    replicate: 1,
    concentration_m: 9e-9,
    time_s: TIME_S,
    signal: TIME_S.map(() => 0),
    fit: null,
    residual: null,
    association_start_s: 0,
    dissociation_start_s: 300,
    ...changes,
  };
  const at = listCurveColumns('affinity').findIndex(({ name }) => name === 'analyte_concentration_m');
  return [...listCurveRecords(createRecord('affinity', { curves: [curve] }))].map((cells) => cells[at]);
}

test('analyte_concentration_m: one association → its concentration until dissociation begins, 0 in buffer', () => {
  assert.deepEqual(listAnalyteM({}), [0, 9e-9, 9e-9, 9e-9, 9e-9, 9e-9, 0]);
});

test('analyte_concentration_m: several injections → that of each, 0 between them', () => {
  const injections = [
    { start_s: 0, end_s: 120, concentration_m: 3e-9 },
    { start_s: 180, end_s: 300, concentration_m: 9e-9 },
  ];
  assert.deepEqual(listAnalyteM({ injections }), [0, 3e-9, 3e-9, 0, 9e-9, 9e-9, 0]);
});

test('analyte_concentration_m: a file without concentrations → null during association', () => {
  assert.deepEqual(listAnalyteM({ concentration_m: null }), [0, null, null, null, null, null, 0]);
});

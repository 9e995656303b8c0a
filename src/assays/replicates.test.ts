/** The tables of replicates: units in the heads, relations and digits as in figures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from './cells.ts';
import { getAssayView } from './views.ts';

function render(type: string, row: object, members: object = {}): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the table reads
  const item = {
    experiment_type: type,
    outcome: 'measured',
    quantities: {},
    qc: { pass: true, flags: [] },
    rows: [{ result_type: type, ...row }],
    ...members,
  } as unknown as Item;
  return getAssayView(type).renderReplicates(item)?.text ?? '';
}

const readCells = (table: string): string[] =>
  [...table.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''));

test('replicates of expression: a capture → its rate has a unit; absorbance → the unit of the reader', () => {
  const replicates = [
    {
      replicate: 1,
      yield_ng_per_ul: 70.6,
      yield_ng_per_ul_relation: '=',
      yield_ng_per_ul_interval: { value: 70.6, ci_low: 65.28, ci_high: 76.21 },
      loading_signal: 0.012,
      loading_signal_adjusted: 0.0000468,
    },
  ];
  const analysis = (unit: string) => ({ analysis: { plates: [{ plate: 'P1', signal_unit: unit }] } });
  const capture = render('expression', { replicates, quantification: 'bli_capture' }, analysis('nm'));
  assert.match(capture, /Signal \(nm\/s\).*Minus no-DNA \(nm\/s\)/s);
  assert.deepEqual(readCells(capture).slice(1, 5), ['70.6', '65.3–76.2', '0.0120', '4.7×10⁻⁵']);
  const absorbance = render('expression', { replicates, quantification: 'a280' }, analysis('AU'));
  assert.match(absorbance, /Signal \(AU\).*Minus no-DNA \(AU\)/s);
});

test('replicates of affinity: no KD was found → the response has the unit of the plate', () => {
  const replicates = [{ replicate: 1, outcome: 'non_binder', response: 0.0123 }];
  const analysis = { plates: [{ plate: 'P1', signal_unit: 'nm' }] };
  assert.match(render('affinity', { replicates }, { analysis, outcome: 'non_binder' }), />Response \(nm\)</);
  assert.match(render('affinity', { replicates, response_unit: 'RU' }, { analysis }), />Response \(RU\)</);
});

test('replicates of fluorescence: a limit → the digits of the headline; raw readings → their unit', () => {
  const limit = { value: 257_250, unit: 'RFU', relation: '>', ci95_low: null, ci95_high: null, n: 1 };
  const replicates = [
    { replicate: 1, raw: 41_523, intensity: 257_250, intensity_relation: '>', normalized_to_control: 1.5 },
  ];
  const item = { quantities: { intensity: limit } };
  const table = render('fluorescence', { replicates, intensity_unit: 'RFU' }, item);
  assert.match(table, /Raw \(RFU\).*Minus blank \(RFU\).*Relative intensity/s);
  const [, raw, intensity, relative] = readCells(table);
  assert.deepEqual([raw, intensity, relative], ['41523', '&gt; 257000', '1.50']);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the headline reads
  const headline = getAssayView('fluorescence').getHeadline(item as unknown as Item);
  assert.equal(headline?.readings[0]?.value, '> 257000 RFU');
});

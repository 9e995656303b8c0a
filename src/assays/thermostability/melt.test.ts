/** What stands above the plot of a replicate. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MeltCurve } from '#features/results/curves.ts';
import { listTexts } from '#testing/scene-texts.ts';
import { createRecord } from '#testing/texts.ts';
import { writeMeltCaption } from './melt-captions.ts';
import { drawMelt } from './melt.ts';

function readPanels(
  rows: readonly Readonly<Record<string, unknown>>[],
  tms: readonly number[],
  curveMembers: Partial<MeltCurve> = {},
): string[] {
  const curves = rows.map((_, index): MeltCurve => ({
    kind: 'melt',
    replicate: index + 1,
    plate: 'P1',
    well: 'A1',
    channel: '350nm',
    temperature_c: [20, 50, 80],
    signal: [1, 2, 3],
    fit: [1, 2, 3],
    residual: [0, 0, 0],
    derivative_per_c: [0, 1, 0],
    tm_c: [...tms],
    tonset_c: 41.2,
    ...curveMembers,
  }));
  const replicates = rows.map((row, index) => ({
    replicate: index + 1,
    outcome: 'measured',
    tm: tms[0],
    tm_all: tms,
    tonset: 41.2,
    r2: 0.9987,
    ...row,
  }));
  return listTexts(drawMelt(createRecord('thermostability', { curves, replicates, quantities: {} })));
}

test('relation ~: an estimated Tm and onset of a replicate → the sign stands before each; a measured one → none', () => {
  const estimated = readPanels([{ tm_relation: '~', tonset_relation: '~' }], [50]);
  assert.ok(estimated.includes('Tm ≈ 50.0 °C'), estimated.join('; '));
  assert.ok(estimated.some((text) => text.startsWith('onset ≈ 41.2 °C')));
  const measured = readPanels([{ tm_relation: '=', tonset_relation: '=' }], [50]);
  assert.ok(measured.includes('Tm 50.0 °C'));
  assert.doesNotMatch(measured.join('; '), /≈/);
});

test('relation ~: one of two transitions is an estimate → the sign stands before that one alone', () => {
  const transitions = [{ tm_relation: '=' }, { tm_relation: '~' }];
  const texts = readPanels([{ tm_relation: '=', transitions }], [45.9, 54.2]);
  assert.ok(texts.includes('Tm1 45.9') && texts.includes('Tm2 ≈ 54.2'), texts.join('; '));
});

test('panel: up to three transitions in up to three columns → every Tm, the onset and R² are whole', () => {
  for (const tms of [[62], [45.9, 54.2], [45.9, 54.2, 73.8]])
    for (const count of [1, 2, 3, 4]) {
      const rows = Array.from({ length: count }, () => ({ tm_relation: '~', tonset_relation: '~' }));
      const texts = readPanels(rows, tms);
      const said = texts.join(' ');
      assert.equal(said.match(/R² 0\.9987/g)?.length, count, said);
      assert.equal(said.match(/onset ≈ 41\.2 °C/g)?.length, count, said);
      for (const tm of tms)
        assert.equal(said.match(new RegExp(`≈ ${tm.toFixed(1)}`, 'g'))?.length, count, said);
      assert.doesNotMatch(said, /…/);
    }
});

test('panel: Tm and aggregation too close for their numbers → the line above has them', () => {
  const rows = [{}, {}, {}];
  const said = readPanels(rows, [55.1, 57, 58.9], { tagg_c: 58 }).join(' ');
  assert.match(said, /Tm 55\.1, 57\.0, 58\.9 °C/);
  assert.match(said, /Tagg 58\.0 °C/);
});

test('caption of melts: Tm rests on one of two replicates → the other is said not to count, and no common fit is claimed', () => {
  const write = (n: number) =>
    writeMeltCaption(
      createRecord('thermostability', {
        flags: ['TM_UNCERTAIN'],
        summary: { tm_method: 'two_state', tm_all: [51.9] },
        quantities: { tm: { value: 51.9, unit: '°C', relation: '~', n } },
        replicates: [51.9, 52.1].map((tm, index) => ({ replicate: index + 1, outcome: 'measured', tm })),
      }),
      [],
    );
  assert.match(write(1), /n = 1 of 2 replicates.*far wider than that of another does not count/);
  assert.doesNotMatch(write(1), /one Tm of all replicates/);
  assert.match(write(2), /one Tm of all replicates/);
  assert.doesNotMatch(write(2), /far wider/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderResultChip } from '#features/results/pages/chips.ts';
import type { Item } from '../cells.ts';
import { thermostabilityView } from './view.ts';

function createItem(row: object, flags: readonly string[] = []): Item {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that table and chip read
  return {
    assessment: { grade: 'solid', reasons: [] },
    experiment_type: 'thermostability',
    outcome: 'measured',
    quantities: {},
    qc: { pass: true, flags },
    rows: [{ result_type: 'thermostability', replicates: [], ...row }],
  } as unknown as Item;
}

const readCells = (row: object): string[] =>
  [
    ...(thermostabilityView.renderReplicates(createItem(row))?.text ?? '').matchAll(/<td[^>]*>(.*?)<\/td>/gs),
  ].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''));

test('replicates of melting curves: an estimate → the sign stands before Tm, onset and ΔH', () => {
  const each = { replicate: 1, tm: 51.88, tonset: 40.02, dh: 78.32, r2: 0.9996, tm_all: [51.88] };
  const relations = { tm_relation: '~', tonset_relation: '~', dh_relation: '~' };
  const estimated = readCells({ replicates: [{ ...each, ...relations }] });
  assert.deepEqual(estimated.slice(1, 4), ['≈ 51.9', '≈ 40.0', '≈ 78.3']);
  const measured = readCells({ replicates: [each] });
  assert.deepEqual(measured.slice(1, 4), ['51.9', '40.0', '78.3']);
});

test('no Tm: saturated, or a transition that cannot be read → the chip warns; a flat curve → it does not', () => {
  const render = (reason: string, flags: readonly string[]) =>
    renderResultChip(createItem({ tm: null, no_transition_reason: reason }, flags)).text;
  assert.match(render('no_inflection', ['NO_TRANSITION', 'SATURATED']), /chip warn">No Tm: saturated/);
  assert.match(render('at_range_end', ['NO_TRANSITION']), /chip warn">No Tm</);
  assert.match(render('amplitude_below_noise', ['NO_TRANSITION']), /chip good">No transition/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlateMap } from '#features/results/curves.ts';
import { writeSvg } from '#documents/svg.ts';
import { SharedPlates } from './shown.ts';

function createPlate(name: string, changes: Partial<PlateMap> = {}): PlateMap {
  return {
    kind: 'plate',
    replicate: null,
    plate: name,
    well: ['A01', 'A02', 'A03'],
    role: ['sample', 'positive_control', 'blank'],
    sample: ['design-1', 'reference', ''],
    sample_replicate: [1, 1, 1],
    signal: [900, 500, 20],
    normalized: [1.83, 1, 0],
    saturated: [false, false, false],
    ...changes,
  };
}

function drawPages(results: readonly (readonly PlateMap[])[]): string[] {
  const shared = new SharedPlates();
  for (const curves of results) shared.take({ curves: [...curves], replicates: [], signal_unit: 'RFU' });
  return shared.buildPages('DEMO-001-001').map(writeSvg);
}

const listTitles = (svg: string) => [...svg.matchAll(/>Plate (\w+)</g)].map(([, name]) => name);

test('shared plates: many results carry one plate → drawn once, in the order of names', () => {
  const [page = '', ...more] = drawPages([
    [createPlate('P10')],
    [createPlate('P2'), createPlate('P10')],
    [createPlate('P2')],
  ]);
  assert.deepEqual(more, []);
  assert.deepEqual(listTitles(page), ['P2', 'P10']);
  assert.match(page, />R</);
  assert.match(page, />B</);
});

test('shared plates: a plate was normalized again → drawn beside the first', () => {
  const [page = ''] = drawPages([[createPlate('P1')], [createPlate('P1', { normalized: [1.7, 1, 0] })]]);
  assert.deepEqual(listTitles(page), ['P1', 'P1']);
});

test('shared plates: seven plates → six to a page; no plates → no page', () => {
  const many = Array.from({ length: 7 }, (_, index) => createPlate(`P${index + 1}`));
  assert.deepEqual(
    drawPages([many]).map((page) => new Set(listTitles(page)).size),
    [6, 1],
  );
  assert.deepEqual(drawPages([[], []]), []);
});

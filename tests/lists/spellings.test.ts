/** Queries that clients are known to send, in their exact spelling. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getItems, getText, type Json } from '#testing/service.ts';
import { assertRefused, listWorld, type Parameters } from './world.ts';

const { list } = await listWorld();
const experiments = list('list_experiments');
const updates = list('list_updates');
const results = list('list_results');

function collectValues(items: readonly Json[], name: string): Set<unknown> {
  return new Set(items.map((item): unknown => item[name]));
}

test('filter: the examples of the contract → select the right rows', async () => {
  const changes = await updates.readPage({ filter: 'eq(type,status_change)' });
  assert.deepEqual(collectValues(changes.items, 'type'), new Set(['status_change']));
  const open = await experiments.readPage({
    filter: 'and(gte(created_at,2026-01-01),in(status,draft,quote_sent))',
  });
  assert.deepEqual(collectValues(open.items, 'status'), new Set(['draft', 'quote_sent']));
  const basic = await experiments.readPage({ filter: 'gt(float(at(parameters,ph)),7.2)' });
  assert.ok(basic.total > 0 && basic.total < (await experiments.readPage()).total);
  const spaced = await experiments.readPage({ filter: ' gt ( float( at( parameters , "ph" ) ) , 7.2 ) ' });
  assert.deepEqual(spaced.ids, basic.ids);
});

test('status: snake_case and PascalCase in every style → the same rows', async () => {
  const expected = await experiments.readPage({ filter: 'in(status,draft,quote_sent)' });
  assert.ok(expected.total > 0);
  const same: Parameters[] = [
    { filter: 'in(status,Draft,QuoteSent)' },
    { status: ['draft', 'QuoteSent'] },
    { 'equ(status)': ['Draft', 'quote_sent'] },
    { filter: 'or(eq(status,draft),eq(status,QuoteSent))' },
  ];
  for (const parameters of same) assert.deepEqual((await experiments.readPage(parameters)).ids, expected.ids);
  for (const id of ['list_updates', 'list_sequences']) {
    const field = id === 'list_updates' ? 'status' : 'experiment_status';
    const snake = await list(id).readPage({ filter: `eq(${field},quote_sent)` });
    assert.ok(snake.total > 0);
    assert.deepEqual((await list(id).readPage({ [field]: 'QuoteSent' })).ids, snake.ids);
  }
});

test('parameters: the older style, alone and beside a filter → the same rows as the filter', async () => {
  const drafts = await experiments.readPage({ 'equ(status)': 'draft' });
  assert.deepEqual(collectValues(drafts.items, 'status'), new Set(['draft']));
  assert.deepEqual((await experiments.readPage({ status: 'draft' })).ids, drafts.ids);
  const late = await experiments.readPage({
    'geq(created_at)': '2026-01-04',
    'lss(created_at)': '2026-01-06',
  });
  const same = 'and(gte(created_at,2026-01-04),lt(created_at,2026-01-06))';
  assert.deepEqual((await experiments.readPage({ filter: same })).ids, late.ids);
  const both = await experiments.readPage({
    'geq(created_at)': '2026-01-04',
    status: 'draft',
    filter: 'gt(n_replicates,0)',
  });
  assert.ok(both.total > 0 && both.total < drafts.total);
  const deep = await experiments.readPage({ 'gtr(float(at(parameters,ph)))': '7.2' });
  assert.equal(deep.total, await experiments.readTotal('gt(float(at(parameters,ph)),7.2)'));
});

test('unknown_parameter: a misspelled name → the answer names the nearest known one', async () => {
  const cases: readonly (readonly [string, string])[] = [
    ['stauts', 'status'],
    ['fliter', 'filter'],
    ['limt', 'limit'],
    ['serach', 'search'],
    ['created', 'created_at'],
    ['gte(created_at)', 'geq\\(created_at\\)'],
    ['geq(creatd_at)', ''],
    ['page', ''],
  ];
  for (const [name, meant] of cases) {
    const answer = await experiments.ask({ [name]: '1' });
    assertRefused(answer, name, meant === '' ? /./ : new RegExp(`Did you mean "${meant}"\\?`));
  }
});

test('limit_out_of_range: 0, 101, -1 and x → 400 names the limit', async () => {
  for (const limit of ['0', '101', '-1', 'x']) {
    const answer = await experiments.ask({ limit });
    assert.equal(answer.status, 400, limit);
    assert.equal(getItems(answer.body.problems)[0]?.path, 'limit');
  }
});

test('sort: three spellings of one order → the same rows', async () => {
  const forms = ['desc(status),asc(name)', '-status,name', 'status:desc,name:asc'];
  const [first, ...others] = await Promise.all(forms.map((sort) => experiments.readPage({ sort })));
  for (const other of others) assert.deepEqual(other.ids, first?.ids);
  const cast = await experiments.readPage({ sort: 'desc(float(at(parameters,ph))),asc(code)', limit: '100' });
  assert.equal(cast.ids.length, cast.total);
});

test('list_results: filters and sorts by type, time, score, target and quantity → select and order the rows', async () => {
  const { items, total } = await results.readPage({ limit: '100' });
  const target = getText(items.find(({ target_id: id }) => Boolean(id))?.target_id);
  const filters = [
    'eq(experiment_type,affinity)',
    'in(result_type,Affinity,screening)',
    'between(created_at,2026-01-02,2026-01-05)',
    'gte(binding_score,5.5)',
    `eq(target_id,${target})`,
    'lt(float(at(summary,kd_mean)),2.5e-9)',
    'eq(at(summary,binding),true)',
  ];
  for (const filter of filters) {
    const found = await results.readTotal(filter);
    assert.ok(found > 0 && found < total, `${filter}: ${found} of ${total}`);
  }
  const sorts = [
    'experiment_type',
    '-created_at',
    'desc(binding_score)',
    'target_id',
    'asc(float(at(summary,kd_mean)))',
  ];
  for (const sort of sorts) assert.equal((await results.readPage({ sort, limit: '100' })).ids.length, total);
  const ranked = await results.readPage({ sort: 'asc(float(at(summary,kd_mean)))', limit: '100' });
  const constants = ranked.items.map((item): unknown => getItems(item.summary)[0]?.kd_mean ?? Infinity);
  assert.deepEqual(
    constants,
    constants.toSorted((a, b) => Number(a) - Number(b)),
  );
});

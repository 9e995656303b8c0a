/** Every list over HTTP, every sortable field: one total order, the same by offset and by cursor. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { takeTurns } from '#testing/turns.ts';
import {
  assertRefused,
  isScalar,
  listWorld,
  writeOperand,
  type Field,
  type List,
  type Page,
  type Parameters,
} from './world.ts';

const { lists } = await listWorld();
/** A page by offset knows nothing of the one before; a cursor is made from one and used in the next. */
const PAGES = { offset: 2, cursor: 3 } as const;

async function walk(list: List, parameters: Parameters, total: number, way: 'offset' | 'cursor') {
  const limit = String(Math.ceil(total / PAGES[way]));
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const place: Parameters =
      way === 'offset' ? { offset: String(ids.length) } : cursor === undefined ? {} : { cursor };
    const page = await list.readPage({ ...parameters, ...place, limit });
    assert.equal(page.total, total);
    ids.push(...page.ids);
    cursor = page.next;
    // The last page of a feed has a cursor too.
    if (list.fields.name.includes('updates') && ids.length === total) break;
  } while (cursor !== undefined && ids.length <= total);
  assert.equal(ids.length, total, `${way} ${JSON.stringify(parameters)}`);
  assert.equal(new Set(ids).size, total, `${way} ${JSON.stringify(parameters)}`);
  return ids;
}

/** The values an item shows, in the order of the list, with NULL at the end. */
function assertShownOrder(list: List, field: Field, items: Page['items'], descending: boolean): void {
  const shown = items.map((item): unknown => item[field.name]);
  if (shown.every((value) => value === undefined)) return;
  const present = shown.filter((value) => isScalar(value));
  assert.ok(
    shown.slice(present.length).every((value) => value === null),
    `${field.name}: NULL comes last`,
  );
  for (const [index, value] of present.entries()) {
    const before = present[index - 1];
    if (before === undefined || before === value) continue;
    assert.equal(isBefore(before, value), !descending, `${list.id} ${field.name} ${before} ${value}`);
  }
}

function isBefore(one: string | number | boolean, other: string | number | boolean): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return one < other;
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

/** Each order by each way; the order of JSON values has no reverse to compare it with. */
async function walkBothWays(list: List, field: Field, total: number, place: number) {
  const ways = ['offset', 'cursor'] as const;
  const operand = writeOperand(field);
  const walkSorted = async (sort: string, turn: number): Promise<string[]> => {
    const chosen = field.kind === 'json' ? ways : takeTurns(ways, turn);
    const [first = [], ...others] = await Promise.all(
      chosen.map(async (way) => walk(list, { sort }, total, way)),
    );
    for (const other of others) assert.deepEqual(other, first);
    return first;
  };
  return {
    upwards: await walkSorted(`asc(${operand})`, place),
    downwards: await walkSorted(`desc(${operand})`, place + 1),
  };
}

async function assertOrder(list: List, field: Field, place: number): Promise<void> {
  const { total } = await list.readPage({ limit: '1' });
  assert.ok(total > 10, `${list.id} has ${total} items; it needs rows in tests/lists/rows.ts`);
  const { upwards, downwards } = await walkBothWays(list, field, total, place);
  if (field.kind === 'json') return;
  const missing = field.filter ? await list.readTotal(`is_null(${writeOperand(field)})`) : 0;
  assert.deepEqual(downwards.slice(0, total - missing), upwards.slice(0, total - missing).reverse());
  for (const descending of takeTurns([false, true], place >> 1)) {
    const expected = descending ? downwards : upwards;
    const word = `${field.name}:${descending ? 'desc' : 'asc'}`;
    const signed = `${descending ? '-' : '+'}${field.name}`;
    for (const sort of takeTurns([word, signed], place >> 2)) {
      const page = await list.readPage({ sort, limit: '100' });
      assert.deepEqual(page.ids, expected.slice(0, 100));
      assertShownOrder(list, field, page.items, descending);
    }
  }
}

/** Sortable fields of all lists so far. */
let fieldsBefore = 0;

for (const list of lists) {
  const declared = [...list.fields.fields.values()];

  describe(`sorts of ${list.id}`, () => {
    for (const field of declared.filter(({ sort }) => sort)) {
      const place = fieldsBefore++;
      test(`sort: by ${field.name}, by offset or by cursor → pages neither overlap nor skip`, () =>
        assertOrder(list, field, place));
    }

    test('sort: several columns, the default, and a filter → one order by offset and by cursor', async () => {
      const { total, ids } = await list.readPage({ limit: '100' });
      assert.deepEqual(await walk(list, {}, total, 'cursor'), ids);
      const sortable = list.fields.sortable.filter((name) => list.fields.fields.get(name)?.kind !== 'json');
      const sort = sortable
        .slice(0, 8)
        .reverse()
        .map((name) => `-${name}`)
        .join(',');
      assert.deepEqual(
        await walk(list, { sort }, total, 'cursor'),
        await walk(list, { sort }, total, 'offset'),
      );
      const filter = `neq(${list.fields.key.name},${quoteId(ids[3])})`;
      const rest = await walk(list, { filter, sort }, total - 1, 'cursor');
      assert.ok(!rest.includes(ids[3] ?? ''));
    });

    test('sort_unknown_field, sort_syntax, too_many_sort_columns: a bad sort → refused with what is allowed', async () => {
      const hidden = declared.filter(({ sort }) => !sort).map(({ name }) => name);
      for (const name of ['no_such_field', ...hidden])
        assertRefused(
          await list.ask({ sort: `-${name}` }),
          'sort',
          new RegExp(list.fields.sortable.join(', ')),
        );
      for (const sort of ['id:up', 'asc(id', '-', 'id,,id', 'up(id)', Array(9).fill('id').join(',')])
        assertRefused(await list.ask({ sort }), 'sort');
      for (const { name } of declared.filter(({ kind }) => kind === 'json'))
        assertRefused(await list.ask({ sort: name }), 'sort', /sort by a key of it/);
    });

    test('limit_out_of_range, offset_out_of_range, cursor_invalid: bad paging → refused by the parameter', async () => {
      for (const limit of ['0', '101', '-1', 'x', '1.5', ''])
        assert.equal((await list.ask({ limit })).status, 400, `limit=${limit}`);
      for (const offset of ['-1', 'x', '1000001'])
        assert.equal((await list.ask({ offset })).status, 400, `offset=${offset}`);
      for (const limit of ['1', '100']) assert.equal((await list.ask({ limit })).status, 200);
      const { next } = await list.readPage({ limit: '2' });
      assert.ok(next !== undefined);
      const swapped = next.slice(0, -1) + (next.endsWith('A') ? 'B' : 'A');
      for (const cursor of ['x', swapped, `${next}A`]) assertRefused(await list.ask({ cursor }), 'cursor');
      const key = list.fields.key.name;
      const other = list.fields.defaultSort[0]?.descending ? key : `-${key}`;
      assertRefused(await list.ask({ cursor: next, sort: other }), 'cursor', /another sort/);
      assertRefused(
        await list.ask({ cursor: next, filter: `is_not_null(${key})` }),
        'cursor',
        /another filter/,
      );
      assertRefused(await list.ask({ cursor: next, offset: '1' }), 'offset');
      const past = await list.readPage({ offset: '5000' });
      assert.deepEqual([past.items.length, past.total], [0, (await list.readPage()).total]);
    });
  });
}

function quoteId(id: string | undefined): string {
  return `'${id ?? ''}'`;
}

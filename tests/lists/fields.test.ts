/** Every list over HTTP, every declared field: what it can be asked and what it refuses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getText } from '#testing/service.ts';
import { ODD_NAME } from './rows.ts';
import {
  assertRefused,
  isScalar,
  listWorld,
  writeOperand,
  quoteValue,
  chooseValue,
  type Field,
  type List,
  type Page,
  type Parameters,
} from './world.ts';

const { lists } = await listWorld();

const ordered = new Set(['text', 'uuid', 'int', 'float', 'timestamp', 'date']);

/** How many items compare with a value, by comparison; empty for a kind that has no order. */
type Counts = Readonly<Record<string, number>>;

/** Wherever a value stands, the parts must add up to the whole. */
async function assertPartition(
  list: List,
  { operand, value, all, isOrdered }: { operand: string; value: string; all: number; isOrdered: boolean },
): Promise<Counts> {
  const of = (filter: string) => list.readTotal(filter);
  const missing = await of(`is_null(${operand})`);
  const equal = await of(`eq(${operand},${value})`);
  const where = `${list.id} ${operand} ${value}`;
  assert.equal(await of(`is_not_null(${operand})`), all - missing, where);
  assert.equal(await of(`neq(${operand},${value})`), all - missing - equal, where);
  assert.equal(await of(`not(eq(${operand},${value}))`), all - missing - equal, where);
  assert.equal(await of(`in(${operand},${value},${value})`), equal, where);
  if (!isOrdered) return {};
  const less = await of(`lt(${operand},${value})`);
  const counts = { lt: less, lte: less + equal, gt: all - missing - less - equal, gte: all - missing - less };
  assert.equal(await of(`lte(${operand},${value})`), counts.lte, where);
  assert.equal(await of(`gt(${operand},${value})`), counts.gt, where);
  assert.equal(await of(`gte(${operand},${value})`), counts.gte, where);
  assert.equal(await of(`between(${operand},${value},${value})`), equal, where);
  return counts;
}

async function assertAccepts(list: List, field: Field): Promise<void> {
  const operand = writeOperand(field);
  if (field.kind === 'json') {
    const { total: all } = await list.readPage({ limit: '1' });
    await assertPartition(list, { operand: `float(${operand})`, value: '7', all, isOrdered: true });
    await assertPartition(list, { operand: `text(${operand})`, value: 'a', all, isOrdered: true });
    await list.readTotal(`eq(${operand},7)`);
    await list.readTotal(`contains(${operand},a)`);
    return;
  }
  const { items, total: all } = await list.readPage({ limit: '100', sort: field.sort ? field.name : '' });
  const value = chooseValue(field, items);
  const isOrdered = ordered.has(field.kind);
  const counts = await assertPartition(list, { operand, value: quoteValue(value), all, isOrdered });
  const found = await list.readPage({ filter: `eq(${operand},${quoteValue(value)})`, limit: '100' });
  for (const item of found.items) {
    const shown: unknown = item[field.name];
    if (isScalar(shown)) assert.equal(String(shown), value, `${list.id} ${field.name}`);
  }
  if (field.kind === 'text') {
    const part = value.slice(1).toUpperCase();
    assert.ok(
      (await list.readTotal(`contains(${operand},${quoteValue(part)})`)) >= found.total,
      `${list.id} ${value}`,
    );
  }
  await assertSpellings(list, field, { value, found, counts });
}

/** `filter=eq(…)`, `equ(…)=` and `field=` are one question; `found` answers it, and `counts` the older comparisons. */
async function assertSpellings(
  list: List,
  field: Field,
  { value, found, counts }: { value: string; found: Page; counts: Counts },
): Promise<void> {
  const spellings: Parameters[] = [{ [`equ(${field.name})`]: value }];
  // A parameter of the operation's own has the plain name.
  if (field.name !== 'experiment_id') spellings.push({ [field.name]: value });
  if (field.kind === 'enum') {
    const pascal = value.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    spellings.push({ [`equ(${field.name})`]: pascal }, { filter: `eq(${field.name},${pascal})` });
  }
  for (const spelling of spellings) {
    const again = await list.readPage({ ...spelling, limit: '100' });
    assert.deepEqual([again.ids, again.total], [found.ids, found.total], JSON.stringify(spelling));
  }
  if (!ordered.has(field.kind)) return;
  for (const [older, newer] of [
    ['gtr', 'gt'],
    ['geq', 'gte'],
    ['lss', 'lt'],
    ['leq', 'lte'],
  ] as const) {
    const again = await list.readPage({ [`${older}(${field.name})`]: value, limit: '1' });
    assert.equal(again.total, counts[newer], `${list.id} ${older}(${field.name})`);
  }
}

const unfit: Readonly<Record<Field['kind'], readonly string[]>> = {
  text: ['null'],
  uuid: ['x', '0190b5a0', '1'],
  int: ['x', '1.5', '9223372036854775808', "''"],
  float: ['x', 'NaN', '1e999', 'Infinity'],
  bool: ['maybe', '1'],
  timestamp: ['2026-02-30', 'now', '10000-01-01', '1'],
  date: ['2026-02-30', 'today'],
  enum: ['no_such_value', "''"],
  json: [],
};

async function assertRefuses(list: List, field: Field): Promise<void> {
  for (const value of unfit[field.kind]) {
    for (const filter of [`eq(${field.name},${value})`, `in(${field.name},${value},${value})`])
      assertRefused(await list.ask({ filter }), 'filter');
    if (value === 'null' || value === "''") continue;
    const path = `neq(${field.name})`;
    assertRefused(await list.ask({ [path]: value }), path);
  }
  const wrong = {
    json: [`eq(${field.name},1)`, `float(${field.name})`, `gt(float(${field.name}),1)`],
    enum: [`gt(${field.name},${field.values[0] ?? ''})`],
    bool: [`gt(${field.name},true)`],
  };
  const others = [`eq(at(${field.name},a),1)`, `contains(${field.name},a)`];
  const more = field.kind === 'json' ? wrong.json : others.slice(0, field.kind === 'text' ? 1 : 2);
  const own = field.kind === 'enum' ? wrong.enum : field.kind === 'bool' ? wrong.bool : [];
  const casts = field.kind === 'uuid' || field.kind === 'bool' ? [`eq(float(${field.name}),1)`] : [];
  for (const filter of [...more, ...own, ...casts]) assertRefused(await list.ask({ filter }), 'filter');
}

for (const list of lists) {
  const declared = [...list.fields.fields.values()];
  const filterable = declared.filter(({ filter }) => filter);

  describe(`filters of ${list.id}`, () => {
    for (const field of filterable) {
      test(`${list.id}: filter by ${field.name} → takes every comparison of ${field.kind}, in every spelling`, () =>
        assertAccepts(list, field));
      test(`filter_type: ${field.name} gets a value that is not ${field.kind} → refused`, () =>
        assertRefuses(list, field));
    }

    test('filter_unknown_field: any other field → refused with the list of allowed fields', async () => {
      const hidden = declared.filter(({ filter }) => !filter).map(({ name }) => name);
      const foreign = ['organization_id', 'no_such_field'].filter((name) => !list.fields.fields.has(name));
      for (const name of [...foreign, ...hidden]) {
        const allowed = new RegExp(list.fields.filterable.join(', '));
        assertRefused(await list.ask({ filter: `eq(${name},1)` }), 'filter', allowed);
        assertRefused(await list.ask({ [name]: '1' }), name);
      }
    });
  });

  test(`${list.id}: search → finds names in any case and takes every character literally`, async () => {
    const names = list.fields.searchable.map(({ name }) => name);
    assert.ok(names.length > 0, `${list.id} cannot be searched`);
    const all = await list.readPage();
    assert.equal((await list.readPage({ search: '' })).total, all.total);
    // What the targets are searched by is not shown, and their names are part of it.
    const shown = [...names, 'name'];
    const named = all.items.find((item) => shown.some((name) => Boolean(item[name])));
    const known = getText(shown.map((name) => named?.[name]).find((value) => Boolean(value)));
    const found = await list.readPage({ search: known.slice(1, -1).toUpperCase() });
    assert.ok(found.ids.includes(getText(named?.[list.fields.key.name])), `${list.id} ${known}`);
    assert.equal((await list.readPage({ search: '%' })).total, (await list.readPage({ search: '%_' })).total);
    assert.equal((await list.readPage({ search: 'A%Z' })).total, 0);
    if (list.id === 'list_targets') return;
    const odd = await list.readPage({ search: ODD_NAME });
    assert.ok(odd.total > 0 && odd.total < all.total);
    assert.equal((await list.readPage({ search: '%_\\' })).total, odd.total);
  });
}

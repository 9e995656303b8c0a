/** Every list over HTTP, every declared field: what it can be asked and what it refuses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getText } from '#testing/service.ts';
import { takeTurns } from '#testing/turns.ts';
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
  type Parameters,
} from './world.ts';

const { lists } = await listWorld();

const ordered = new Set(['text', 'uuid', 'int', 'float', 'timestamp', 'date']);

/** How many of all items show nothing in a field, a value, and less than that. */
interface Counts {
  readonly all: number;
  readonly missing: number;
  readonly equal: number;
  readonly less: number;
}

/** Older names of comparisons, which stand in the name of a parameter. */
const olderNames: Readonly<Record<string, string>> = { gt: 'gtr', gte: 'geq', lt: 'lss', lte: 'leq' };

const countLess: Readonly<Record<string, (counts: Counts) => number>> = {
  lt: ({ less }) => less,
  gte: ({ all, missing, less }) => all - missing - less,
  lte: ({ less, equal }) => less + equal,
  gt: ({ all, missing, less, equal }) => all - missing - less - equal,
};

interface Comparison {
  readonly write: (operand: string, value: string) => string;
  readonly count: (counts: Counts) => number;
}

const comparisons: readonly Comparison[] = [
  {
    write: (operand, value) => `neq(${operand},${value})`,
    count: ({ all, missing, equal }) => all - missing - equal,
  },
  {
    write: (operand, value) => `not(eq(${operand},${value}))`,
    count: ({ all, missing, equal }) => all - missing - equal,
  },
  { write: (operand) => `is_not_null(${operand})`, count: ({ all, missing }) => all - missing },
  { write: (operand, value) => `in(${operand},${value},${value})`, count: ({ equal }) => equal },
];

const orderedComparisons: readonly Comparison[] = [
  ...['lte', 'gt', 'gte'].map((name) => ({
    write: (operand: string, value: string) => `${name}(${operand},${value})`,
    count: (counts: Counts) => countLess[name]?.(counts) ?? Number.NaN,
  })),
  { write: (operand, value) => `between(${operand},${value},${value})`, count: ({ equal }) => equal },
];

interface Partition {
  readonly operand: string;
  readonly value: string;
  readonly all: number;
  readonly isOrdered: boolean;
  /** Where the field stands among the fields. */
  readonly place: number;
}

/** Wherever a value stands, the parts must add up to the whole. */
async function assertPartition(list: List, of: Partition): Promise<Counts> {
  const { operand, value, all, isOrdered, place } = of;
  const missing = await list.readTotal(`is_null(${operand})`);
  const equal = await list.readTotal(`eq(${operand},${value})`);
  const less = isOrdered ? await list.readTotal(`lt(${operand},${value})`) : 0;
  const counts = { all, missing, equal, less };
  const turns = [
    ...takeTurns(comparisons, place),
    ...(isOrdered ? takeTurns(orderedComparisons, place) : []),
  ];
  for (const { write, count } of turns) {
    const filter = write(operand, value);
    assert.equal(await list.readTotal(filter), count(counts), `${list.id} ${filter}`);
  }
  return counts;
}

async function assertAccepts(list: List, field: Field, place: number): Promise<void> {
  const operand = writeOperand(field);
  if (field.kind === 'json') {
    const { total: all } = await list.readPage({ limit: '1' });
    for (const [of, value] of [
      [`float(${operand})`, '7'],
      [`text(${operand})`, 'a'],
    ] as const)
      await assertPartition(list, { operand: of, value, all, isOrdered: true, place });
    await list.readTotal(`eq(${operand},7)`);
    await list.readTotal(`contains(${operand},a)`);
    return;
  }
  const { items, total: all } = await list.readPage({ limit: '100', sort: field.sort ? field.name : '' });
  const value = chooseValue(field, items);
  const isOrdered = ordered.has(field.kind);
  const counts = await assertPartition(list, { operand, value: quoteValue(value), all, isOrdered, place });
  const shown = items.map((item): unknown => item[field.name]).filter((one) => isScalar(one));
  if (all <= items.length && shown.length > 0) {
    const same = shown.filter((one) => String(one) === value);
    assert.equal(same.length, counts.equal, `${list.id} shows ${field.name} ${value}`);
  }
  if (field.kind === 'text') {
    const part = value.slice(1).toUpperCase();
    assert.ok(
      (await list.readTotal(`contains(${operand},${quoteValue(part)})`)) >= counts.equal,
      `${list.id} ${value}`,
    );
  }
  await assertSpellings(list, field, { value, counts, place });
}

interface Spelled {
  readonly value: string;
  readonly counts: Counts;
  readonly place: number;
}

/** `filter=eq(…)`, `equ(…)=` and `field=` are one question: as many items, and each shows the value. */
async function assertSpellings(list: List, field: Field, { value, counts, place }: Spelled): Promise<void> {
  const spellings: Parameters[] = [
    { filter: `eq(${writeOperand(field)},${quoteValue(value)})` },
    { [`equ(${field.name})`]: value },
  ];
  // A parameter of the operation's own has the plain name.
  if (field.name !== 'experiment_id') spellings.push({ [field.name]: value });
  if (field.kind === 'enum') {
    const pascal = value.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    spellings.push({ [`equ(${field.name})`]: pascal }, { filter: `eq(${field.name},${pascal})` });
  }
  for (const spelling of takeTurns(spellings, place)) {
    const { items, total } = await list.readPage({ ...spelling, limit: '100' });
    assert.equal(total, counts.equal, JSON.stringify(spelling));
    for (const item of items) {
      const shown: unknown = item[field.name];
      if (isScalar(shown)) assert.equal(String(shown), value, `${list.id} ${field.name}`);
    }
  }
  if (!ordered.has(field.kind)) return;
  for (const [name, count] of takeTurns(Object.entries(countLess), place)) {
    const older = `${olderNames[name]}(${field.name})`;
    const { total } = await list.readPage({ [older]: value, limit: '1' });
    assert.equal(total, count(counts), `${list.id} ${older}`);
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

async function assertRefuses(list: List, field: Field, place: number): Promise<void> {
  for (const value of takeTurns(unfit[field.kind], place)) {
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

/** Fields of all lists so far, so that each list goes on with what the one before left. */
let fieldsBefore = 0;

for (const list of lists) {
  const declared = [...list.fields.fields.values()];
  const filterable = declared.filter(({ filter }) => filter);

  describe(`filters of ${list.id}`, () => {
    for (const [index, field] of filterable.entries()) {
      const place = fieldsBefore + index;
      test(`${list.id}: filter by ${field.name} → takes every comparison of ${field.kind}, in every spelling`, () =>
        assertAccepts(list, field, place));
      test(`filter_type: ${field.name} gets a value that is not ${field.kind} → refused`, () =>
        assertRefuses(list, field, place));
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

  fieldsBefore += filterable.length;

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

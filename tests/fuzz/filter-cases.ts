/** The list, the rows and the random queries that the tests of the list language share. */
import fc from '#testing/properties.ts';
import { listFields, type FieldKind } from '#core/filter/index.ts';
import type { Cast, Filter, Literal, Operand, SortColumn } from '#core/filter/tree.ts';
import type { Json, Kinds, Row } from './filter-reference.ts';

const statuses = ['draft', 'quote_sent', 'in_queue', 'done'];

export const sampleFields = listFields({
  name: 'samples',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 's.id' },
    name: { kind: 'text', sql: 's.name', nullable: true, search: true },
    code: { kind: 'text', sql: 's.code', search: true },
    status: { kind: 'enum', sql: 's.status', values: statuses },
    amount: { kind: 'int', sql: 's.amount', nullable: true },
    score: { kind: 'float', sql: 's.score', nullable: true },
    flag: { kind: 'bool', sql: 's.flag', nullable: true },
    created_at: { kind: 'timestamp', sql: 's.created_at' },
    due: { kind: 'date', sql: 's.due', nullable: true },
    meta: { kind: 'json', sql: 's.meta', nullable: true },
  },
});

export const kinds: Kinds = Object.fromEntries(
  [...sampleFields.fields.values()].map((field) => [field.name, field.kind]),
);

const names = [
  'alpha',
  'Alpha',
  'beta_1',
  '50% off',
  "O'Brien",
  String.raw`back\slash`,
  '日本',
  'zeta 😀',
  '',
  'null',
];
const instants = [
  '2026-01-01T00:00:00.000000Z',
  '2026-01-01T00:00:00.000001Z',
  '2025-12-31T23:59:59.999999Z',
  '2026-02-28T12:00:00.000000Z',
  '1969-07-20T20:17:40.500000Z',
];
const dates = ['2026-01-01', '2026-02-28', '2024-02-29', '1969-07-20'];
const jsonLeaves: readonly Json[] = [
  null,
  true,
  false,
  0,
  7,
  7.2,
  -3.5,
  1200,
  '7.2',
  '007',
  '1e3',
  '1e999',
  'NaN',
  '.5',
  '5.',
  '',
  'acid',
  'Acid %',
  '2026-02-31',
  '2026-02-28',
  '2024-02-29T23:59:59.5+02:00',
  '2026-01-01 00:00',
  '2026-01-01T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '99999999999999999999999',
  '123456789012345678',
  'x'.repeat(120),
];
const jsonKeys = ['ph', 'buffer', 'n', 'weird "key"', '0'];

function pick<T>(items: readonly T[], index: number, fallback: T): T {
  return items[index % items.length] ?? fallback;
}

function createJson(index: number): Json {
  const leaf = pick(jsonLeaves, index * 7 + 3, null);
  const other = pick(jsonLeaves, index * 5 + 1, null);
  if (index % 11 === 0) return [leaf, other, [leaf]];
  if (index % 13 === 0) return leaf;
  return { ph: leaf, buffer: { n: other, ph: [leaf, other] }, 'weird "key"': other, '0': leaf };
}

function toMicros(text: string): bigint {
  const [, fraction = '0'] = /\.(\d{6})Z$/.exec(text) ?? [];
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(fraction);
}

function createRowId(index: number): string {
  return `0190b5a0-0000-7000-8000-${String((index * 37) % 72).padStart(12, '0')}`;
}

/** Rows full of ties, NULLs and values that casts must survive. */
export const rows: readonly Row[] = Array.from({ length: 72 }, (_, index): Row => ({
  id: createRowId(index),
  name: index % 6 === 0 ? null : pick(names, index * 3, ''),
  code: pick(['A-1', 'a-1', 'B_2', 'c%3'], index, ''),
  status: pick(statuses, index * 3 + (index >> 2), 'draft'),
  amount: index % 5 === 0 ? null : pick([0n, 1n, -7n, 9_007_199_254_740_991n, 103_500n], index >> 1, 0n),
  score: index % 4 === 0 ? null : pick([0, -0.5, 1e-9, 7.2, 1e20, 3.0000000000000004], index, 0),
  flag: index % 7 === 0 ? null : index % 2 === 0,
  created_at: toMicros(pick(instants, index >> 1, '2026-01-01T00:00:00.000000Z')),
  due: index % 3 === 0 ? null : pick(dates, index, '2026-01-01'),
  meta: index % 9 === 0 ? null : { json: createJson(index) },
}));

const createField = (name: string): Operand => ({ kind: 'field', name, position: 0 });
const cast = (to: Cast, of: Operand): Operand => ({ kind: 'cast', cast: to, of, position: 0 });
const createLiteral = (text: string, quoted: boolean): Literal => ({ text, quoted, cast: null, position: 0 });

const jsonPath: fc.Arbitrary<Operand> = fc
  .array(fc.constantFrom(...jsonKeys, '1', '-1', 'absent'), { minLength: 1, maxLength: 3 })
  .map((path) =>
    path.reduce<Operand>(
      (of, key) => ({ kind: 'at', of, key: createLiteral(key, true), position: 0 }),
      createField('meta'),
    ),
  );

/** What may be compared as each type, casts included. */
function drawOperand(kind: Exclude<FieldKind, 'json'>): fc.Arbitrary<Operand> {
  const fields: Readonly<Record<typeof kind, readonly string[]>> = {
    text: ['name', 'code'],
    uuid: ['id'],
    int: ['amount'],
    float: ['score'],
    bool: ['flag'],
    timestamp: ['created_at'],
    date: ['due'],
    enum: ['status'],
  };
  const plain = fc.constantFrom(...fields[kind]).map((name) => createField(name));
  const castFrom: Partial<Record<typeof kind, readonly string[]>> = {
    text: ['id', 'status', 'flag', 'amount', 'due', 'created_at', 'name'],
    int: ['score', 'name', 'code'],
    float: ['amount', 'name'],
    timestamp: ['due', 'name'],
    date: ['created_at', 'code'],
  };
  const sources = castFrom[kind];
  if (sources === undefined || kind === 'uuid' || kind === 'bool' || kind === 'enum') return plain;
  const casted = fc.constantFrom(...sources).map((name) => cast(kind, createField(name)));
  const json = jsonPath.map((path) => cast(kind, path));
  const twice: Partial<Record<typeof kind, Cast>> = { date: 'timestamp', int: 'float', float: 'text' };
  const inner = twice[kind];
  const nested = inner === undefined ? json : jsonPath.map((path) => cast(kind, cast(inner, path)));
  return fc.oneof(plain, casted, json, nested);
}

const bareTexts = ['alpha', 'A-1', 'acid', 'beta_1', 'x y'];
const numbers = ['7.2', '7', '0', '-0.5', '1e-9', '.5', '+3', '1200', '1e20', '-7'];

function drawLiteral(kind: Exclude<FieldKind, 'json'>): fc.Arbitrary<Literal> {
  const bare = (texts: readonly string[]): fc.Arbitrary<Literal> =>
    fc.tuple(fc.constantFrom(...texts), fc.boolean()).map(([text, quoted]) => createLiteral(text, quoted));
  switch (kind) {
    case 'text': {
      const stored = [
        ...names,
        ...instants,
        ...numbers,
        'A-1',
        'acid',
        'true',
        '{"',
        '2026-01-01',
        'done',
        'al',
        '%',
        '_',
        '\\',
      ];
      return fc.oneof(
        fc.constantFrom(...stored).map((text) => createLiteral(text, true)),
        fc.constantFrom(...bareTexts).map((text) => createLiteral(text, false)),
      );
    }
    case 'uuid':
      return bare([1, 2, 3, 40].map((index) => createRowId(index).toUpperCase()));
    case 'int':
      return bare(['0', '1', '-7', '7', '103500', '9223372036854775807', '+3']);
    case 'float':
      return bare(numbers);
    case 'bool':
      return bare(['true', 'false', 'TRUE']);
    case 'timestamp':
      return bare([...instants, '2026-01-01', '2026-01-01T02:00:00+02:00', '2026-02-28 12:00']);
    case 'date':
      return bare(dates);
    default:
      return bare([...statuses, 'QuoteSent', 'InQueue']);
  }
}

const kindNames = ['text', 'uuid', 'int', 'float', 'bool', 'timestamp', 'date', 'enum'] as const;
const ordered = ['text', 'uuid', 'int', 'float', 'timestamp', 'date'] as const;

function drawTest(
  operand: fc.Arbitrary<Operand>,
  value: fc.Arbitrary<Literal>,
  inOrder: boolean,
): fc.Arbitrary<Filter> {
  const operators = inOrder ? (['eq', 'neq', 'gt', 'lt', 'gte', 'lte'] as const) : (['eq', 'neq'] as const);
  const compare = fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom(...operators),
    operand,
    value,
  });
  const among = fc.record({
    kind: fc.constant('in' as const),
    operand,
    values: fc.array(value, { minLength: 1, maxLength: 4 }),
  });
  const between = fc.record({ kind: fc.constant('between' as const), operand, low: value, high: value });
  return inOrder ? fc.oneof(compare, among, between) : fc.oneof(compare, among);
}

const anyOperand = fc.oneof(...kindNames.map((kind) => drawOperand(kind)), jsonPath);
const nullTest: fc.Arbitrary<Filter> = fc.record({
  kind: fc.constantFrom('is_null' as const, 'is_not_null' as const),
  operand: fc.oneof(anyOperand, fc.constant(createField('meta'))),
});
const containsTest: fc.Arbitrary<Filter> = fc.record({
  kind: fc.constant('contains' as const),
  operand: fc.oneof(drawOperand('text'), jsonPath),
  value: drawLiteral('text'),
});
const castLiteral = fc.oneof(
  drawLiteral('float').map((value): Literal => ({ ...value, cast: 'float' })),
  drawLiteral('timestamp').map((value): Literal => ({ ...value, cast: 'timestamp' })),
);
const uncastTest = drawTest(jsonPath, fc.oneof(drawLiteral('float'), drawLiteral('text'), castLiteral), true);
const typedTests = kindNames.map((kind) =>
  drawTest(
    drawOperand(kind),
    drawLiteral(kind),
    ordered.some((name) => name === kind),
  ),
);

/** Well-typed filters over the sample list. */
export const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter; test: Filter }>((tie) => ({
  test: fc.oneof(...typedTests, uncastTest, nullTest, containsTest),
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie('test'),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
  ),
})).filter;

export const sorts: fc.Arbitrary<SortColumn[]> = fc.array(
  fc.record({ operand: anyOperand, descending: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
);

/** Comparisons as query parameters, each with the filter that says the same. */
export const comparisons: readonly (readonly [string, string | readonly string[], string])[] = [
  ['status', 'QuoteSent', 'eq(status,quote_sent)'],
  ['status', ['draft', 'done'], 'or(eq(status,draft),eq(status,done))'],
  ['name', 'null', "eq(name,'null')"],
  ['neq(code)', ['A-1', 'a-1'], 'and(neq(code,A-1),neq(code,a-1))'],
  ['geq(amount)', '1', 'gte(amount,1)'],
  ['gtr(float(at(meta,ph)))', '-3.5', 'gt(float(at(meta,ph)),-3.5)'],
  ['equ(at(meta,ph))', '7.2', 'eq(at(meta,ph),7.2)'],
  ['lss(created_at)', '2026-01-01', 'lt(created_at,2026-01-01)'],
  ['leq(date(created_at))', '2025-12-31', 'lte(date(created_at),2025-12-31)'],
];

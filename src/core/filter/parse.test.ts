import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '#testing/properties.ts';
import { FilterError, type FilterErrorCode } from './errors.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';
import { casts, comparisons, type Filter, type Literal, type Operand } from './tree.ts';

function getRefusal(text: string): FilterError {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  return assert.fail(`accepted: ${text}`);
}

function expectRefused(
  text: string,
  code: FilterErrorCode,
  position: number | undefined,
  says: RegExp,
): void {
  const error = getRefusal(text);
  assert.equal(error.code, code, error.message);
  assert.equal(error.position, position, error.message);
  assert.match(error.message, says);
  assert.equal(error.path, 'filter');
}

/** Returns the tree without positions. */
function removePositions(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'position' ? undefined : value)));
}

describe('filter parser', () => {
  it('filter: the examples of the contract → read and printed unchanged', () => {
    for (const text of [
      'eq(type,status_change)',
      'and(gte(created_at,2026-01-01),in(status,draft,quote_sent))',
      'gt(float(at(parameters,ph)),7.2)',
      'or(is_null(name),not(contains(name,abc)),between(n,1,5),is_not_null(at(at(a,b),c)))',
    ]) {
      assert.equal(printFilter(parseFilter(text)), text);
    }
  });

  it('filter: spaces around any part → ignored; inside a bare value → kept', () => {
    const spaced = parseFilter(' and ( eq ( name , My  experiment ) ,\n\tnot(is_null( due ) ) ) ');
    assert.equal(printFilter(spaced), 'and(eq(name,My  experiment),not(is_null(due)))');
  });

  it('filter: both quotes, doubled quotes and escapes → the text that is meant', () => {
    const texts: [string, string][] = [
      [`'a,b(c)'`, 'a,b(c)'],
      [`"it's"`, "it's"],
      [`'it''s'`, "it's"],
      [`"say ""hi"""`, 'say "hi"'],
      [String.raw`'a\'b\"c\\d\n\r\t\u00e9'`, 'a\'b"c\\d\n\r\té'],
      [`''`, ''],
      [`'  padded  '`, '  padded  '],
      [`O'Brien`, "O'Brien"],
    ];
    for (const [written, expected] of texts) {
      const filter = parseFilter(`eq(name,${written})`);
      assert.equal(filter.kind === 'compare' ? filter.value.text : undefined, expected, written);
    }
  });

  it('filter: a cast around a value → read', () => {
    assert.equal(
      printFilter(parseFilter('gte(created_at, date( 2026-01-01 ))')),
      'gte(created_at,date(2026-01-01))',
    );
  });
});

describe('refused filters', () => {
  it('filter_syntax: malformed filters → refused with the position and what was expected', () => {
    expectRefused('', 'filter_syntax', 1, /expected a condition .* found the end/);
    expectRefused('eqq(status,draft)', 'filter_syntax', 1, /"eqq" is not a condition.*Did you mean "eq"\?/);
    expectRefused('EQ(status,draft)', 'filter_syntax', 1, /Did you mean "eq"\?/);
    expectRefused('eq status', 'filter_syntax', 4, /expected "\(" after eq, found "status"/);
    expectRefused('eq(,draft)', 'filter_syntax', 4, /expected a field/);
    expectRefused("eq('name',draft)", 'filter_syntax', 4, /expected a field/);
    expectRefused('eq(status)', 'filter_syntax', 10, /expected "," after the field/);
    expectRefused('eq(status,)', 'filter_syntax', 11, /expected a value; the empty text is written ''/);
    expectRefused('eq(status,draft', 'filter_syntax', 16, /expected "\)" to close eq\(, found the end/);
    expectRefused(
      'eq(status,draft,done)',
      'filter_syntax',
      16,
      /expected "\)" to close eq\(, found ","|found ",done\)"/,
    );
    expectRefused('between(n,1)', 'filter_syntax', 12, /between the two bounds/);
    expectRefused('and()', 'filter_syntax', 5, /expected a condition/);
    expectRefused('not(a)', 'filter_syntax', 5, /"a" is not a condition/);
    expectRefused('eq(n,1) eq(n,2)', 'filter_syntax', 9, /combined with and\(…\)/);
    expectRefused('eq(name,Foo (bar))', 'filter_syntax', 9, /must be in quotes/);
    expectRefused("eq(name,'abc)", 'filter_syntax', 9, /no closing '/);
    expectRefused(String.raw`eq(name,'a\qb')`, 'filter_syntax', 11, /expected one of the escapes/);
    expectRefused(String.raw`eq(name,'\u0000')`, 'filter_syntax', 10, /may not name NUL/);
    expectRefused(String.raw`eq(name,'\ud800')`, 'filter_syntax', 10, /half of a surrogate pair/);
    expectRefused('eq(name,a\u0000b)', 'filter_syntax', 10, /NUL/);
    expectRefused('eq(name,\ud800)', 'filter_syntax', undefined, /well-formed/);
    expectRefused('gt(flaot(n),1)', 'filter_syntax', 4, /Did you mean "float"\?/);
    expectRefused('eq(at(meta),1)', 'filter_syntax', 11, /between the field and the key/);
  });

  it('filter_too_deep: 32 levels → read; 33 → refused', () => {
    const nestNot = (levels: number): string =>
      `${'not('.repeat(levels - 1)}is_null(name)${')'.repeat(levels - 1)}`;
    assert.ok(parseFilter(nestNot(31)));
    expectRefused(nestNot(33), 'filter_too_deep', 129, /deeper than 32 levels/);
    expectRefused('not('.repeat(1_000), 'filter_too_deep', 129, /deeper than 32 levels/);
    expectRefused(`is_null(${'at('.repeat(900)}`, 'filter_too_deep', 102, /deeper than 32 levels/);
  });

  it('filter_too_long: 4096 bytes → read; one more → refused, and characters count as bytes', () => {
    const createSized = (bytes: number): string => `eq(name,${'a'.repeat(bytes - 9)})`;
    assert.ok(parseFilter(createSized(4096)));
    expectRefused(createSized(4097), 'filter_too_long', undefined, /longer than 4096 bytes/);
    expectRefused(`eq(name,${'é'.repeat(2045)})`, 'filter_too_long', undefined, /longer than 4096 bytes/);
  });

  it('filter_syntax: a very long malformed filter → the message repeats only a little of it', () => {
    assert.ok(getRefusal(`${'x'.repeat(4_000)}(a,b)`).message.length < 300);
  });
});

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,12}$/);
const wellFormed = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\u0000'));
const bareText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() === text && /^[^,()'"]/.test(text) && !/[,()]/.test(text));
const literal: fc.Arbitrary<Literal> = fc
  .tuple(
    fc.oneof(
      wellFormed.map((text) => ({ text, quoted: true })),
      bareText.map((text) => ({ text, quoted: false })),
    ),
    fc.option(fc.constantFrom(...casts), { freq: 3 }),
  )
  .map(([value, cast]) => ({ ...value, cast, position: 0 }));
const key = literal.map((value) => ({ ...value, cast: null }));

const { filter: anyFilter } = fc.letrec<{ operand: Operand; filter: Filter }>((tie) => ({
  operand: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constant('field' as const), name, position: fc.constant(0) }),
    fc.record({ kind: fc.constant('at' as const), of: tie('operand'), key, position: fc.constant(0) }),
    fc.record({
      kind: fc.constant('cast' as const),
      cast: fc.constantFrom(...casts),
      of: tie('operand'),
      position: fc.constant(0),
    }),
  ),
  filter: fc.oneof(
    { maxDepth: 4 },
    fc.record({
      kind: fc.constant('compare' as const),
      operator: fc.constantFrom(...comparisons),
      operand: tie('operand'),
      value: literal,
    }),
    fc.record({ kind: fc.constant('contains' as const), operand: tie('operand'), value: literal }),
    fc.record({
      kind: fc.constant('between' as const),
      operand: tie('operand'),
      low: literal,
      high: literal,
    }),
    fc.record({
      kind: fc.constant('in' as const),
      operand: tie('operand'),
      values: fc.array(literal, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constantFrom('is_null' as const, 'is_not_null' as const), operand: tie('operand') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
  ),
}));

describe('filter printer', () => {
  it('filter: random trees are printed and parsed → the same trees', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        const text = printFilter(filter);
        fc.pre(Buffer.byteLength(text) <= 4096);
        assert.deepEqual(removePositions(parseFilter(text)), removePositions(filter));
        assert.equal(printFilter(parseFilter(text)), text);
      }),
      { numRuns: 2_000 },
    );
  });
});

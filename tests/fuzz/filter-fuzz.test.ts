import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileList, FilterError, parseListQuery, type RawQuery } from '#core/filter/index.ts';
import { sampleFields } from './filter-cases.ts';
import { assertStatement } from './filter-statement.ts';

const cases = Number(process.env['ASSAYER_FILTER_MUTATIONS'] ?? 50_000);
const seed = Number(process.env['ASSAYER_FUZZ_SEED'] ?? '1');
const slowestMs = 50;

const filterSeeds = [
  'eq(status,quote_sent)',
  'and(gte(created_at,2026-01-01),in(status,draft,QuoteSent))',
  'gt(float(at(meta,ph)),7.2)',
  'or(not(is_null(due)),between(amount,-5,1e3),contains(name,"50% \\"off\\""))',
  "neq(at(at(meta,buffer),'weird \\u0041 key'),timestamp(2026-02-28T12:00:00+02:00))",
  "in(name,'it''s', plain words ,\"x\",日本,😀)",
  `${'not('.repeat(31)}is_null(name)${')'.repeat(31)}`,
  `and(${Array.from({ length: 60 }, () => 'eq(score,float(1.5))').join(',')})`,
  `in(code,${'A-1,'.repeat(900)}B)`,
  `contains(name,'${'\\\\'.repeat(2000)}')`,
];
const sortSeeds = [
  'desc(created_at),asc(float(at(meta,ph))),-name,+code,status:desc,amount',
  'desc(date(timestamp(at(at(meta,buffer),ph))))',
  'id,id,id,id,id,id,id,id',
];
const parameterSeeds = ['geq(created_at)', 'equ(float(at(meta,ph)))', 'status', 'limit', 'offset', 'cursor'];
const pieces = [
  '(',
  ')',
  ',',
  "'",
  '"',
  '\\',
  ' ',
  ':',
  '-',
  '+',
  '%',
  '$1',
  ';',
  '--',
  '/*',
  '\u0000',
  '\ud800',
  '\u2028',
];
const words = [
  'and(',
  'not(',
  'at(',
  'float(',
  'null',
  'NaN',
  '1e999',
  '9'.repeat(30),
  '2026-02-31',
  '__proto__',
  '$$',
];

/** mulberry32: small, seeded, good enough to pick mutations. */
function createRandom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = (below: number) => number;

function choose(random: Random, items: readonly string[]): string {
  return items[random(items.length)] ?? '';
}

function mutate(random: Random, text: string): string {
  const at = random(text.length + 1);
  const length = 1 + random(8);
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + choose(random, pieces) + text.slice(at);
    case 2:
      return text.slice(0, at) + choose(random, words) + text.slice(at);
    case 3:
      return text.slice(0, at) + text.slice(at, at + length).repeat(1 + random(40)) + text.slice(at);
    case 4:
      return text.slice(0, at) + String.fromCharCode(random(0xffff)) + text.slice(at + 1);
    default:
      return text.slice(0, at) + choose(random, filterSeeds).slice(random(60));
  }
}

function mutateText(random: Random, seeds: readonly string[]): string {
  let text = choose(random, seeds);
  for (let count = random(5); count >= 0; count -= 1) text = mutate(random, text);
  return text;
}

function query(random: Random): RawQuery {
  switch (random(10)) {
    case 0:
      return { [mutateText(random, parameterSeeds)]: mutateText(random, filterSeeds) };
    case 1:
      return { [choose(random, parameterSeeds)]: mutateText(random, ['2026-01-01', '7.2', 'draft', '50']) };
    case 2:
    case 3:
    case 4:
      return { sort: mutateText(random, sortSeeds) };
    default:
      return { filter: mutateText(random, filterSeeds) };
  }
}

/** Whether the query was understood; anything thrown but a FilterError fails the test. */
function isUnderstood(raw: RawQuery): boolean {
  try {
    assertStatement(compileList(parseListQuery(sampleFields, raw)), sampleFields);
    return true;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    assert.ok(error.message.length < 2_000, 'an error message repeats too much of its input');
    return false;
  }
}

function measureMs(raw: RawQuery): number {
  const start = performance.now();
  isUnderstood(raw);
  return performance.now() - start;
}

describe('mutated filters, sorts and parameters', () => {
  it(`filter_syntax: ${cases} mutations with seed ${seed} → a statement of fixed words or a named error`, () => {
    const random = createRandom(seed);
    let accepted = 0;
    for (let index = 0; index < cases; index += 1) {
      const raw = query(random);
      const start = performance.now();
      if (isUnderstood(raw)) accepted += 1;
      if (performance.now() - start > slowestMs) {
        // A pause of the machine does not repeat; a slow input does.
        const best = Math.min(measureMs(raw), measureMs(raw), measureMs(raw));
        assert.ok(best <= slowestMs, `${best} ms for ${JSON.stringify(raw)}`);
      }
    }
    assert.ok(
      accepted > cases / 100,
      'hardly any mutation was still a valid query: the mutations prove nothing',
    );
    assert.ok(accepted < cases * 0.9, 'hardly any mutation was refused: the mutations prove nothing');
  });
});

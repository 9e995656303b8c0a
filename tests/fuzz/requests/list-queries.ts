/** Filters, sorts and pages over the fields that a list really has: right, half right, and wrong. */
import fc from '#testing/properties.ts';
import type { ListFields } from '#core/filter/index.ts';
import { printFilter, printOperand } from '#core/filter/print.ts';
import { filters, kinds, sorts } from '../filter-cases.ts';
import { payloads } from '../injection-corpus.ts';
import type { Chance } from './chance.ts';
import type { Pool } from './pool.ts';

const SAMPLES = 400;

export interface ListQueries {
  /** Pairs of name and value, neither encoded. */
  make(list: ListFields, chance: Chance, pool: Pool): [string, string][];
}

/** Well-typed filters over the list of the grammar's own tests; their fields are given the names of another list. */
export function listQueries(seed: number): ListQueries {
  const filterTexts = fc.sample(filters, { seed, numRuns: SAMPLES }).map((filter) => printFilter(filter));
  const sortTexts = fc
    .sample(sorts, { seed, numRuns: SAMPLES })
    .map((columns) =>
      columns
        .map(({ operand, descending }) => `${descending ? 'desc' : 'asc'}(${printOperand(operand)})`)
        .join(','),
    );
  return {
    make: (list, chance, pool) => {
      const pairs: [string, string][] = [];
      const renameText = (text: string): string => rename(text, list, chance);
      if (chance.isDrawn(60))
        pairs.push(['filter', damageText(renameText(chance.pick(filterTexts)), chance)]);
      if (chance.isDrawn(35)) pairs.push(['sort', damageText(renameText(chance.pick(sortTexts)), chance)]);
      if (chance.isDrawn(25)) pairs.push(['limit', chance.pick(['1', '5', '100', '0', '-1', '101', '1e2'])]);
      if (chance.isDrawn(15)) pairs.push(['offset', chance.pick(['0', '1', '50', '-1', '9'.repeat(19)])]);
      if (chance.isDrawn(15)) pairs.push(['search', chance.pick([...payloads, 'demo', 'a'])]);
      if (chance.isDrawn(15)) pairs.push(['cursor', damageText(pool.pick('cursor', chance) ?? 'x', chance)]);
      if (chance.isDrawn(15)) pairs.push(drawComparison(list, chance));
      return pairs;
    },
  };
}

/** A field of the same kind where the list has one, so that many filters stay right. */
function rename(text: string, list: ListFields, chance: Chance): string {
  const fields = [...list.fields.values()];
  const chosen = Object.entries(kinds).map(([name, kind]): [string, string] => {
    const same = fields.filter((field) => field.kind === kind);
    return [name, chance.pick(same.length > 0 && chance.isDrawn(95) ? same : fields).name];
  });
  const byName = new Map(chosen);
  return text.replaceAll(/[a-z_]+/g, (word) => byName.get(word) ?? word);
}

function drawComparison(list: ListFields, chance: Chance): [string, string] {
  const name = chance.pick([...list.fields.keys()]);
  const operator = chance.pick(['', 'neq', 'geq', 'gtr', 'lss', 'leq', 'equ', 'nope']);
  return [operator === '' ? name : `${operator}(${name})`, chance.pick(payloads)];
}

/** Leaves most texts as they are. */
function damageText(text: string, chance: Chance): string {
  if (chance.isDrawn(60)) return text;
  const at = chance.drawBelow(text.length + 1);
  switch (chance.drawBelow(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + chance.drawBelow(4));
    case 2:
      return text.slice(0, at) + chance.pick(payloads) + text.slice(at);
    case 3:
      return text.slice(0, at) + text.slice(at, at + 6).repeat(1 + chance.drawBelow(30)) + text.slice(at);
    default:
      return (
        text.slice(0, at) + chance.pick(['(', ')', ',', "'", '\\', ' ', ':', '\u0000', '😀']) + text.slice(at)
      );
  }
}

/** The relation of a number is decided by one table; the guide says the same, and nothing else decides. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  RELATIONS,
  RELATION_RULES,
  decideAggregateRelation,
  decideDoubtedRelation,
  decideRelation,
  isLimit,
} from '#core/relations.ts';
import type { RelationCase } from '#core/relations.ts';

const ROOT = join(import.meta.dirname, '../..');

test('guide: the table of relations → equals the rules, in their order', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/results.md'), 'utf8');
  const [, section = ''] = guide.split(/^## Why a number is a limit or an estimate$/m);
  const rows = (section.split(/^## /m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const expected = Object.values(RELATION_RULES).map(({ relation, of, because }) => {
    return ['', relation === null ? 'null' : `\`${relation}\``, of, because, ''];
  });
  assert.deepEqual(rows, expected);
});

test('relation rules: one case, or two → it decides alone; of two the first of the table decides', () => {
  const names = listCases();
  for (const [i, name] of names.entries()) {
    assert.equal(decideRelation({ [name]: true }), RELATION_RULES[name]);
    for (const later of names.slice(i + 1))
      assert.equal(decideRelation({ [later]: true, [name]: true }), RELATION_RULES[name], later);
  }
  assert.equal(decideRelation({}), RELATION_RULES.measured);
});

test('relation rules: the order of the table → doubts stand below every limit, and a measured value comes last', () => {
  const rules = Object.values(RELATION_RULES);
  const firstDoubt = rules.findIndex(({ relation }) => relation === '~');
  for (const { relation } of rules.slice(firstDoubt, -1)) assert.equal(relation, '~');
  assert.equal(rules.at(-1), RELATION_RULES.measured);
});

test('relation rules: a number that is a limit → carries < or >, and an estimate states a value', () => {
  for (const [name, { relation, stated }] of Object.entries(RELATION_RULES)) {
    const isOfLimit = stated === 'limit' || stated === 'low_end' || stated === 'high_end';
    assert.equal(isOfLimit, isLimit(relation), name);
    if (relation === '~') assert.equal(stated, 'value', name);
  }
});

test('relation rules: a doubt about a stated number → a value becomes an estimate, a limit keeps its sign', () => {
  for (const limit of ['<', '>'] as const) {
    assert.equal(decideDoubtedRelation(limit, { poor_fit: true }), limit);
    assert.equal(decideDoubtedRelation(limit, { wide_interval: true, control_missed: true }), limit);
    assert.equal(decideDoubtedRelation(limit, {}), limit);
  }
  assert.equal(decideDoubtedRelation('=', { wide_interval: true }), '~');
  assert.equal(decideDoubtedRelation('=', {}), '=');
  assert.equal(decideDoubtedRelation('~', {}), '~');
});

test('aggregates: limits of one kind → that limit; limits or estimates among values → an estimate', () => {
  for (const relation of RELATIONS) assert.equal(decideAggregateRelation([relation, relation]), relation);
  for (const one of RELATIONS)
    for (const other of RELATIONS)
      if (one !== other) assert.equal(decideAggregateRelation([one, other]), '~', `${one} ${other}`);
});

test('relation rules: any file that measures or records a result → writes no relation of its own', () => {
  const files = globSync(
    ['src/{analysis,workflows,assays/*/engine}/**/*.ts', 'src/assays/**/re{cord,sult}*.ts'],
    { cwd: ROOT },
  ).filter((path) => !path.endsWith('.test.ts'));
  assert.ok(files.length > 150, String(files.length));
  const own = files.filter((path) =>
    /\brelation: [^;,\n]*'[=<>~]'|\brelation = [^;\n]*'[=<>~]'/.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  assert.deepEqual(own, []);
});

test('relation rules: an aggregate of no values → an error, not a limit', () => {
  assert.throws(() => decideAggregateRelation([]), /an aggregate needs at least one value/);
});

function listCases(): RelationCase[] {
  const isCase = (name: string): name is RelationCase => Object.hasOwn(RELATION_RULES, name);
  return Object.keys(RELATION_RULES).filter(isCase);
}

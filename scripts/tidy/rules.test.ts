/** Every rule against trees that were made wrong on purpose, and against what only looks wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, ruleNames } from './check.ts';
import { codeCases } from './fixtures/code.ts';
import { dataCases } from './fixtures/data.ts';
import { importCases } from './fixtures/imports.ts';
import { operationCases } from './fixtures/operations.ts';
import { placeCases } from './fixtures/places.ts';
import { textCases } from './fixtures/text.ts';
import { wordCases } from './fixtures/words.ts';
import { createTree, createTreeWithout, type Files } from './fixtures/tree.ts';
import { definitionRules } from './rules/definitions.ts';
import { GLOBAL_TABLES } from './rules/migrations.ts';

const cases = [
  ...importCases,
  ...operationCases,
  ...placeCases,
  ...codeCases,
  ...dataCases,
  ...textCases,
  ...wordCases,
];

async function findFindings(rule: string, files: Files): Promise<string[]> {
  const { findings } = await check(createTree(files));
  return findings.filter((finding) => finding.rule === rule).map(({ file, line }) => `${file}:${line}`);
}

for (const { rule, what, wrong, at, fine } of cases) {
  test(`${rule}: ${what} → found where it is wrong, and nowhere else`, async () => {
    assert.deepEqual((await findFindings(rule, wrong)).sort(), [...at].sort());
    if (fine !== undefined) assert.deepEqual(await findFindings(rule, fine), []);
  });
}

test('rules: every rule → has a tree that breaks it', () => {
  const tried = new Set([...cases.map(({ rule }) => rule), ...definitionRules]);
  assert.deepEqual(
    ruleNames.filter((name) => !tried.has(name)),
    [],
  );
});

test('rules: a tree that keeps every rule → nothing to tidy', async () => {
  const { findings, seen } = await check(createTree());
  assert.deepEqual(
    findings.map(({ message }) => message),
    ['saw no operations'],
  );
  assert.deepEqual(seen, {
    files: 8,
    sources: 4,
    imports: 3,
    tables: GLOBAL_TABLES.length + 1,
    'failure codes': 1,
    operations: 0,
  });
});

test('saw-nothing: no tables, or no failure codes → a finding', async () => {
  for (const [path, what] of [
    ['migrations/0001_first.sql', 'tables'],
    ['src/core/failure-catalog.ts', 'failure codes'],
  ] as const) {
    const { findings } = await check(createTreeWithout(path));
    const blind = findings.filter(({ rule }) => rule === 'saw-nothing').map(({ message }) => message);
    assert.ok(blind.includes(`saw no ${what}`), path);
  }
});

const LONG = 'console.log();\n';

test('tidy-allow: an exception in the first lines of a file → excuses it from that rule; later → not', async () => {
  const excused = '// tidy-allow no-console: prints before there is a log\n';
  assert.deepEqual(await findFindings('no-console', { 'src/core/a.ts': `${excused}${LONG}` }), []);
  assert.deepEqual(await findFindings('tidy-allow', { 'src/core/a.ts': `${excused}${LONG}` }), []);
  const late = { 'src/core/a.ts': `\n${excused}${LONG}` };
  assert.deepEqual(await findFindings('no-console', late), ['src/core/a.ts:3']);
});

test('tidy-allow: no reason, no such rule or no use → a finding', async () => {
  for (const line of ['no-console', 'no-such-rule: because', 'no-any: because']) {
    const files = { 'src/core/a.ts': `// tidy-allow ${line}\n${LONG}` };
    assert.deepEqual(await findFindings('tidy-allow', files), ['src/core/a.ts:1'], line);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupFiles } from './groups.ts';
import { invert } from './imports.ts';
import { MATRIX, selectTests, SMOKE, type Knowledge } from './select.ts';

const QUOTES = 'src/features/quotes/confirm-quote.ts';
const TABLE = 'src/features/quotes/prices.ts';
const UNIT = 'src/features/quotes/confirm-quote.test.ts';
const SERVICE = 'tests/operations/quotes.test.ts';
const OTHER = 'tests/operations/tokens.test.ts';

function createKnowledge(reach: Readonly<Record<string, { seconds: number; modules: string[] }>>): Knowledge {
  const graph = new Map([
    [QUOTES, new Set([TABLE])],
    [TABLE, new Set<string>()],
    [UNIT, new Set([QUOTES])],
    [SERVICE, new Set([QUOTES])],
    [OTHER, new Set([QUOTES])],
    [MATRIX, new Set([QUOTES])],
  ]);
  return {
    graph,
    importers: invert(graph),
    reach: new Map(
      Object.entries(reach).map(([file, { seconds, modules }]) => [
        file,
        { seconds, modules: new Set(modules) },
      ]),
    ),
    testFiles: [...new Set([UNIT, SERVICE, OTHER, MATRIX, ...SMOKE])],
    readText: (file) => (file === SERVICE ? "read('docs/guide/quoting.md'); quote" : ''),
    findTags: (noun) => (noun === 'quotes' ? { tags: ['quotes'], share: 0.1 } : { tags: [], share: 0 }),
  };
}

const recorded = createKnowledge({
  [SERVICE]: { seconds: 10, modules: [QUOTES] },
  [OTHER]: { seconds: 10, modules: [] },
  [UNIT]: { seconds: 1, modules: [] },
  [MATRIX]: { seconds: 40, modules: [] },
});

test('reach: a changed module → its own test and those that were recorded to execute it', () => {
  const { files, isSmoke } = selectTests(recorded, [QUOTES], 100);
  assert.deepEqual([files, isSmoke], [[SERVICE, UNIT].sort(), false]);
});

test('reach: a module without functions → the tests that execute what imports it', () => {
  assert.deepEqual(selectTests(recorded, [TABLE], 100).files, [SERVICE]);
});

test('reach: a changed test or a document that a test names → that test', () => {
  assert.deepEqual(selectTests(recorded, [OTHER], 100).files, [OTHER]);
  assert.ok(selectTests(recorded, ['docs/guide/quoting.md'], 100).files.includes(SERVICE));
});

test('reach: a module that no test is known to reach → unsure, and the journeys through everything run', () => {
  const { files, isSmoke } = selectTests(recorded, ['src/main.ts'], 100);
  assert.deepEqual([files, isSmoke], [[], false], 'a file that is gone');
  const graph = new Map([...recorded.graph, ['src/main.ts', new Set<string>()]]);
  const unsure = selectTests({ ...recorded, graph }, ['src/main.ts'], 100);
  assert.deepEqual([unsure.files, unsure.isSmoke], [[...SMOKE].sort(), true]);
});

test('budget: more than fits → the rest is counted, and the journeys run', () => {
  const names = Array.from({ length: 9 }, (_, index) => `tests/lists/${index}.test.ts`);
  const reach = Object.fromEntries(names.map((name) => [name, { seconds: 20, modules: [QUOTES] }]));
  const many = createKnowledge(reach);
  const found = selectTests({ ...many, testFiles: [...many.testFiles, ...names] }, [QUOTES], 70);
  assert.equal(found.isSmoke, true);
  const run = names.filter((name) => found.files.includes(name));
  assert.ok(run.length >= 2 && run.length < 9, `${run.length} run`);
  assert.ok((found.left.get(QUOTES) ?? 0) >= 9 - run.length);
});

test('matrix: only a noun has changed → its rows; something else as well → all of them', () => {
  const [a, b] = [QUOTES, 'src/core/money.ts'];
  const graph = new Map([...recorded.graph, [b, new Set<string>()]]);
  const reach = new Map([[MATRIX, { seconds: 40, modules: new Set([a, b]) }]]);
  const knowledge = { ...recorded, graph, reach };
  assert.deepEqual(selectTests(knowledge, [a], 100).tags, ['quotes']);
  assert.equal(selectTests(knowledge, [a, b], 100).tags, undefined);
});

test('groups: neighboring files and files about processes → neighbors share a process, the others have their own, the longest start first', () => {
  const files = [
    { name: 'tests/lists/a.test.ts', seconds: 2 },
    { name: 'tests/lists/b.test.ts', seconds: 2 },
    { name: 'tests/lists/c.test.ts', seconds: 399 },
    { name: 'tests/model/d.test.ts', seconds: 1 },
    { name: 'tests/chaos/kill.test.ts', seconds: 30 },
    { name: 'src/core/money.test.ts', seconds: undefined },
  ];
  assert.deepEqual(groupFiles(files), [
    ['tests/lists/c.test.ts', 'tests/model/d.test.ts'],
    ['tests/chaos/kill.test.ts'],
    ['tests/lists/a.test.ts', 'tests/lists/b.test.ts'],
    ['src/core/money.test.ts'],
  ]);
});

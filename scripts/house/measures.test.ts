import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tree } from '../tidy/tree.ts';
import { findCircles } from './circles.ts';
import { isWithin, measureHouse } from './measures.ts';

const LONG = Array.from({ length: 40 }, (_, index) => `export const value${index} = ${index};`).join('\n');

const FILES = {
  'src/core/operation.ts': LONG,
  'src/features/refunds/contract.ts': `import { value1 } from '#core/operation.ts';\nexport const list = defineOperation(value1);\n`,
  'src/features/refunds/store/read.ts': `import { list } from '../contract.ts';\nexport const read = list;\n`,
  'src/features/quotes/contract.ts': `import type { read } from '../refunds/store/read.ts';\nexport type Read = typeof read;\n${LONG}\n`,
  'src/features/quotes/contract.test.ts': `import '../refunds/contract.ts';\n`,
  'src/main.ts': `export const start = () => import('./features/quotes/contract.ts');\n`,
  'src/assays/screening/engine/screening.ts': `${LONG}\n`,
  'src/sandbox/assays/screening/lab.ts': `${LONG}\n`,
  'bin/run.mjs': 'one();\ntwo();\n',
  'package.json': '{"imports": {"#core/*": "./src/core/*"}}',
  'CONTRIBUTING.md':
    '\n### An operation\n\n1. `src/a/contract.ts`: x\n2. `src/a/store.ts`: y\n3. `src/b/list.ts`: z\n\n### An assay\n\n1. `src/c/assay.ts`: x\n',
};

test('house: a small tree → each measure counts what its sentence says', () => {
  const values = Object.fromEntries(measureHouse(new Tree(FILES)).map(({ name, value }) => [name, value]));
  assert.deepEqual(values, {
    files: 7,
    'small files of one importer': 2,
    'imports that stay in their folder': 33,
    'rooms of an assay': 2,
    'lines per operation': 87,
    'dynamic imports': 1,
    'lines of the launcher': 2,
    circles: 0,
    'folders opened for: an operation': 2,
    'folders opened for: an assay': 1,
  });
});

test('circles: files that import one another by value → found once, whatever leads to them', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b', 'outside']],
    ['d', ['e']],
    ['e', []],
  ]);
  assert.deepEqual(findCircles(graph), [['b', 'c']]);
});

test('house: a value at, above and below its limit → within only where its direction allows', () => {
  const measure = { name: 'x', counts: 'x', unit: '', limit: 5, goal: 5 };
  assert.equal(isWithin({ ...measure, direction: 'most', value: 5 }), true);
  assert.equal(isWithin({ ...measure, direction: 'most', value: 6 }), false);
  assert.equal(isWithin({ ...measure, direction: 'least', value: 5 }), true);
  assert.equal(isWithin({ ...measure, direction: 'least', value: 4 }), false);
});

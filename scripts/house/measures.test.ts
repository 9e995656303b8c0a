import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tree } from '../tidy/tree.ts';
import { findCircles } from './circles.ts';
import { listEntries } from './entries.ts';
import { isWithin, measureHouse } from './measures.ts';

const LONG = Array.from({ length: 40 }, (_, index) => `export const value${index} = ${index};`).join('\n');

const FILES = {
  'src/core/operation.ts': LONG,
  'src/features/refunds/contract.ts': `import { value1 } from '#core/operation.ts';\nexport const list = defineOperation(value1);\n`,
  'src/features/refunds/store/read.ts': `import { list } from '../contract.ts';\nexport const read = list;\n`,
  'src/features/quotes/contract.ts': `import type { read } from '../refunds/store/read.ts';\nexport type Read = typeof read;\n${LONG}\n`,
  'src/features/quotes/contract.test.ts': `import '../refunds/contract.ts';\n`,
  'src/main.ts': `export const start = () => import('./features/quotes/contract.ts');\n`,
  'src/cli/commands.ts': `export const load = () => [import('#core/operation.ts'), import('../main.ts')];\n`,
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
    files: 8,
    'small files of one importer': 2,
    'imports that stay in their folder': 25,
    'rooms of an assay': 2,
    'lines per operation': 87,
    'lines of the command line': 1,
    'dynamic imports': 1,
    'lines of the launcher': 2,
    circles: 0,
    'folders opened for: an operation': 2,
    'folders opened for: an assay': 1,
  });
});

test('entries: what a registry names → stands apart, and what stands beside it or is imported otherwise does not', () => {
  const tree = new Tree({
    'bin/bundle.mjs':
      "export const ENTRIES = [\n  'cli/main',\n  'pdf/thread',\n];\nconst KEPT = ['cli/kept'];\n",
    'src/transports/operations.ts':
      "import { quotes } from '../features/quotes/operations.ts';\nimport { findPlace } from './order.ts';\n",
    'src/cli/commands.ts':
      "import * as login from './login.ts';\nimport { printHelp } from './help.ts';\nexport const start = () => import('./start.ts').then(login.run);\n",
    'src/assays/registry.ts':
      "import { affinity } from './affinity/assay.ts';\nimport type { Assay } from './assay.ts';\n",
    'src/assays/affinity/assay.ts':
      "import { title } from './title.ts';\nexport const load = [() => import('./shown.ts'), () => import('./columns.ts')];\n",
    'src/assays/affinity/shown.ts':
      "import { record } from './record.ts';\nimport { view } from './view.ts';\nimport { words } from './words.ts';\n",
    'src/assays/affinity/columns.ts': "import { number } from './number.ts';\n",
    'package.json': '{}',
  });
  assert.deepEqual([...listEntries(tree)].sort(), [
    'src/assays/affinity/assay.ts',
    'src/assays/affinity/columns.ts',
    'src/assays/affinity/record.ts',
    'src/assays/affinity/shown.ts',
    'src/assays/affinity/view.ts',
    'src/cli/login.ts',
    'src/cli/main.ts',
    'src/cli/start.ts',
    'src/features/quotes/operations.ts',
    'src/pdf/thread.ts',
  ]);
});

test('house: a small file of one importer → counts, unless a registry names it', () => {
  const files = {
    'bin/bundle.mjs': "export const ENTRIES = ['pool/thread'];\n",
    'src/pool/pool.ts':
      "import { size } from './size.ts';\nexport const entry = new URL('./thread.ts', import.meta.url);\n",
    'src/pool/size.ts': 'export const size = 4;\n',
    'src/pool/thread.ts': 'export const serve = 1;\n',
    'package.json': '{}',
  };
  const measured = measureHouse(new Tree(files)).find(({ name }) => name === 'small files of one importer');
  assert.equal(measured?.value, 1);
});

test('house: what can be named is counted → its files, the importer of a small one, and the members of a circle', () => {
  const measures = measureHouse(
    new Tree({
      'src/core/a.ts': `import './b.ts';\n${LONG}\n`,
      'src/core/b.ts': "import './a.ts';\n\nexport const load = () => import('./a.ts');\n",
      'package.json': '{}',
    }),
  );
  const files = new Map(measures.map((measure) => [measure.name, measure.files]));
  assert.deepEqual(files.get('circles'), ['src/core/a.ts ↔ src/core/b.ts']);
  assert.deepEqual(files.get('small files of one importer'), ['src/core/b.ts (src/core/a.ts)']);
  assert.deepEqual(files.get('dynamic imports'), ['src/core/b.ts:3']);
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

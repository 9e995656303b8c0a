import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tree } from '../tidy/tree.ts';
import { planMoves } from './moves.ts';

const ALIASES =
  '{"imports": {"#core/*": "./src/core/*", "#domain/*": "./src/domain/*", "#testing/*": "./tests/support/*"}}';

function plan(files: Readonly<Record<string, string>>, ...pairs: readonly (readonly [string, string])[]) {
  const { moves, texts } = planMoves(new Tree({ 'package.json': ALIASES, ...files }), pairs);
  return { moves: Object.fromEntries(moves), texts: Object.fromEntries(texts) };
}

test('moves: a folder goes to another room → its files go along, and imports lead to the new place', () => {
  const { moves, texts } = plan(
    {
      'src/domain/refunds/rules.ts': `import { sum } from '#core/money.ts';\nexport const rule = sum;\n`,
      'src/domain/refunds/store.ts': `import { rule } from './rules.ts';\nexport const select = rule;\n`,
      'src/domain/quotes/rules.ts': `import { rule } from '../refunds/rules.ts';\nexport const other = rule;\n`,
      'src/workflows/refund.ts': `const late = () => import('#domain/refunds/store.ts');\nexport { late };\n`,
      'src/core/money.ts': 'export const sum = 1;\n',
    },
    ['src/domain/refunds', 'src/features/refunds'],
  );
  assert.deepEqual(moves, {
    'src/domain/refunds/rules.ts': 'src/features/refunds/rules.ts',
    'src/domain/refunds/store.ts': 'src/features/refunds/store.ts',
  });
  assert.deepEqual(texts, {
    'src/domain/quotes/rules.ts': `import { rule } from '#features/refunds/rules.ts';\nexport const other = rule;\n`,
    'src/workflows/refund.ts': `const late = () => import('#features/refunds/store.ts');\nexport { late };\n`,
  });
});

test('moves: a file and what it imports meet in one room → the import is relative; a worker keeps an address', () => {
  const { texts } = plan(
    {
      'src/domain/pool.ts': `import { a } from '#core/a.ts';\nexport const url = new URL('./worker.ts', import.meta.url);\n`,
      'src/domain/worker.ts': 'export const b = 1;\n',
      'src/core/a.ts': 'export const a = 1;\n',
    },
    ['src/core/a.ts', 'src/domain/numbers/a.ts'],
    ['src/domain/worker.ts', 'src/domain/threads/worker.ts'],
  );
  assert.deepEqual(texts, {
    'src/domain/pool.ts': `import { a } from './numbers/a.ts';\nexport const url = new URL('./threads/worker.ts', import.meta.url);\n`,
  });
});

test('moves: a file has a test beside it and is named in a document → the test goes along, the path is written anew', () => {
  const { moves, texts } = plan(
    {
      'src/domain/a.ts': 'export const a = 1;\n',
      'src/domain/a.test.ts': `import { a } from './a.ts';\nimport '#testing/x.ts';\nvoid a;\n`,
      'tests/support/x.ts': 'export const x = 1;\n',
      'README.md': 'See `src/domain/a.ts`, `domain/a.ts` and `src/domain/ab.ts`.\n',
    },
    ['src/domain/a.ts', 'src/features/a/rules.ts'],
  );
  assert.equal(moves['src/domain/a.test.ts'], 'src/features/a/rules.test.ts');
  assert.deepEqual(texts, {
    'src/features/a/rules.test.ts': `import { a } from './rules.ts';\nimport '#testing/x.ts';\nvoid a;\n`,
    'README.md': 'See `src/features/a/rules.ts`, `features/a/rules.ts` and `src/domain/ab.ts`.\n',
  });
});

test('moves: two files would get one path, or nothing stands there → refused with the path', () => {
  const files = { 'src/a.ts': 'export {};\n', 'src/b.ts': 'export {};\n' };
  assert.throws(() => plan(files, ['src/a.ts', 'src/b.ts']), /two files would stand at src\/b.ts/);
  assert.throws(() => plan(files, ['src/c', 'src/d']), /nothing stands at src\/c/);
});

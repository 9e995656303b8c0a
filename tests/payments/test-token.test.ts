import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileToken } from '../../scripts/test-token.ts';

test('test token: the committed bytecode → is what its source compiles to', () => {
  const committed = readFileSync(
    join(import.meta.dirname, '../../src/adapters/x402/token/test-dollar.json'),
    'utf8',
  );
  assert.equal(committed, compileToken());
});

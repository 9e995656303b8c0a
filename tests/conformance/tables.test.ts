import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { testDatabase } from '#testing/database.ts';
import { writeTableTypes } from '#testing/table-types.ts';

const { database } = await testDatabase();

test('tables: src/core/tables.ts → equals what the migrations make', async () => {
  const path = fileURLToPath(new URL('../../src/core/tables.ts', import.meta.url));
  const committed = await readFile(path, 'utf8');
  assert.equal(committed, await writeTableTypes(database.read), 'run "npm run tables" and commit the result');
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { readSettings } from '#settings/settings.ts';
import { findRunningDatabase, migrateRunningDatabase } from './database-parts.ts';

test('migrateRunningDatabase: no service, then one with an older schema → nothing, then its migrations beside it, then none', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'assayer-migrate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = readSettings({ DATA_DIR: folder, ENVIRONMENT: 'sandbox' });
  assert.equal(await migrateRunningDatabase(settings), undefined);
  const dataDir = join(folder, 'postgres');
  const server = await startEmbedded({ dataDir, database: 'assayer_sandbox', log: () => undefined });
  t.after(() => server.stop());
  await assert.rejects(findRunningDatabase(settings));
  const applied = await migrateRunningDatabase(settings);
  assert.match(applied?.[0] ?? '', /^0001_/);
  assert.deepEqual(await migrateRunningDatabase(settings), []);
  assert.deepEqual(await findRunningDatabase(settings), server.connection);
});

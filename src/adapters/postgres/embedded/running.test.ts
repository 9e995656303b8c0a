import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyPreparedCluster } from '#testing/prepared-cluster.ts';
import { startEmbedded } from '../embedded.ts';
import { acquireLock } from './lock.ts';
import { findRunningServer } from './running.ts';

test('findRunningServer: no service, a running, a stopping one, one without a server → none, connection, none, a sentence', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'assayer-running-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'postgres');
  copyPreparedCluster(dataDir);
  assert.equal(await findRunningServer(dataDir, 'assayer'), undefined);
  assert.equal(await findRunningServer(join(dataDir, 'missing'), 'assayer'), undefined);
  const server = await startEmbedded({ dataDir, log: () => undefined });
  const found = await findRunningServer(dataDir, 'assayer');
  assert.deepEqual(found, { connection: server.connection, servicePid: process.pid });
  server.announceStop();
  assert.equal(await findRunningServer(dataDir, 'assayer'), undefined);
  await server.stop();
  const lock = await acquireLock(dataDir, () => undefined);
  await assert.rejects(findRunningServer(dataDir, 'assayer', { startLimitMs: 20 }), {
    name: 'EmbeddedPostgresError',
    message: new RegExp(
      `^The service \\(process ${process.pid}\\) .* has no running database now; try again`,
    ),
  });
  lock.release();
});

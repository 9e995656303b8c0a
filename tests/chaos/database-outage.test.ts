/** The database dies under a running service: the service says so, lives on, and is whole again by itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startProcess, type ServiceProcess } from '#testing/process.ts';

const RECOVERY_LIMIT_MS = 20_000;

async function readStatus(
  service: ServiceProcess,
  path: string,
): Promise<{ status: number; retryAfter: string | null }> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** The first line of postmaster.pid is the process of this test's own server. */
function readPostmasterPid(dataDir: string): number {
  const [pid] = readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n');
  return Number(pid);
}

test('database_unavailable: PostgreSQL is killed under a running service → 503 with Retry-After, then the service recovers', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-outage-'));
  const service = await startProcess(dataDir);
  after(async () => {
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });
  assert.equal((await readStatus(service, '/whoami')).status, 200);

  process.kill(readPostmasterPid(dataDir), 'SIGKILL');
  const seen = new Set<number>();
  const deadline = performance.now() + RECOVERY_LIMIT_MS;
  for (let unavailable = false; ;) {
    assert.ok(performance.now() < deadline, `still not recovered; saw ${[...seen].join(', ')}`);
    const [{ status, retryAfter }, health] = await Promise.all([
      readStatus(service, '/whoami'),
      readStatus(service, '/info/health'),
    ]);
    seen.add(status);
    assert.equal(health.status, 200, 'liveness does not need the database');
    if (status === 503) {
      unavailable = true;
      assert.notEqual(retryAfter, null);
    } else assert.equal(status, 200);
    if (status === 200 && unavailable) break;
    // The kill can be over before a request notices it; then there was nothing to answer 503 to.
    if (status === 200 && performance.now() > deadline - RECOVERY_LIMIT_MS / 2) break;
  }
  assert.equal((await readStatus(service, '/info/health-db')).status, 200);
});

test('data directory: a second service starts on the same one → it is refused with a sentence and the first one runs on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-second-'));
  const service = await startProcess(dataDir);
  after(() => rmSync(dataDir, { recursive: true, force: true }));
  await assert.rejects(startProcess(dataDir), /data directory|already|in use/i);
  assert.equal((await readStatus(service, '/whoami')).status, 200, 'the first one is not disturbed');
  assert.equal(await service.stop(), 0);
});

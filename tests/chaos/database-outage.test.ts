/** The database dies under a running service: the service says so, lives on, and is whole again by itself. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startProcess, type ServiceProcess } from '#testing/process.ts';

const RECOVERY_LIMIT_MS = 60_000;
const ASK_EVERY_MS = 20;

const dataDir = mkdtempSync(join(tmpdir(), 'assayer-outage-'));
const service = await startProcess(dataDir);
after(async () => {
  await service.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function readStatus(
  service: ServiceProcess,
  path: string,
): Promise<{ status: number; retryAfter: string | null }> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.token}` },
    signal: AbortSignal.timeout(30_000),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** The first line of postmaster.pid is the process of this test's own server; undefined while there is none. */
function findPostmasterPid(): number | undefined {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return pid > 0 ? pid : undefined;
}

test('database_unavailable: PostgreSQL is killed under a running service → 503 with Retry-After, then the service recovers', async () => {
  assert.equal((await readStatus(service, '/whoami')).status, 200);

  const killed = findPostmasterPid();
  assert.ok(killed !== undefined);
  process.kill(killed, 'SIGKILL');
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
    const now = findPostmasterPid();
    if (status === 200 && now !== undefined && now !== killed) break;
    await wait(ASK_EVERY_MS);
  }
  assert.equal((await readStatus(service, '/info/health-db')).status, 200);
});

test('data directory: a second service starts on the same one → it is refused with a sentence and the first one runs on', async () => {
  await assert.rejects(startProcess(dataDir), /data directory|already|in use/i);
  assert.equal((await readStatus(service, '/whoami')).status, 200, 'the first one is not disturbed');
  assert.equal(await service.stop(), 0);
});

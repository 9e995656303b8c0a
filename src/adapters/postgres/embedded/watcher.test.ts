import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { listWatchers } from '#testing/database-watchers.ts';
import { createAsker, startProcess, type ServiceProcess } from '#testing/process.ts';
import { listClusterProcesses } from './processes.ts';

const LIMIT_MS = 120_000;
const needsProc = process.platform !== 'linux' && 'needs /proc';
const directory = mkdtempSync(join(tmpdir(), 'assayer-watcher-'));
const cluster = join(directory, 'postgres', 'cluster');
let running: ServiceProcess | undefined;
after(async () => {
  await running?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  running = await startProcess(directory);
  return running;
}

async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `${what} is missing`);
    await wait(20);
  }
}

test(
  'watcher: the kernel kills the service → no process of the database stays behind, and the next start is clean',
  { skip: needsProc },
  async () => {
    const first = await start();
    assert.ok(listClusterProcesses(cluster).length > 0);
    assert.equal(listWatchers(cluster).length, 1);
    await first.kill();
    running = undefined;
    await waitUntil('the end of the database', () => listClusterProcesses(cluster).length === 0);
    await waitUntil('the end of the watcher', () => listWatchers(cluster).length === 0);
    const second = await start();
    assert.equal(listWatchers(cluster).length, 1);
    // A process of the database that is killed takes the others with it, and the service goes on with new ones.
    const [, victim] = listClusterProcesses(cluster).toSorted((a, b) => a - b);
    assert.ok(victim !== undefined);
    process.kill(victim, 'SIGKILL');
    const ask = createAsker(second);
    await waitUntil('an answer', async () => (await ask('GET', '/whoami')).status === 200);
    assert.equal(await second.stop(), 0);
    running = undefined;
    assert.deepEqual(listClusterProcesses(cluster), []);
    await waitUntil('the end of the watcher', () => listWatchers(cluster).length === 0);
  },
);

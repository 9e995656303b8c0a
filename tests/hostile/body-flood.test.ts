/** Memory of the service while 200 sockets promise 15 MiB each and stand still. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { floodPort, readPeakMegabytes, type Flood } from '#testing/body-flood.ts';
import { createAsker, startProcess } from '#testing/process.ts';
import { getText } from '#testing/service.ts';

const SOCKETS = 200;
/** Without limits it is three gigabytes; one token has 32 MiB, and garbage waits to be collected. */
const GROWTH_MB_MAX = 250;

const directory = mkdtempSync(join(tmpdir(), 'assayer-flood-'));
const service = await startProcess(directory, {
  RATE_LIMIT_BURST: '100000',
  RATE_LIMIT_PER_SECOND: '100000',
});
after(async () => {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
});
const port = Number(new URL(service.url).port);
const ask = createAsker(service);

async function createToken(role: string): Promise<string> {
  const { body } = await ask('POST', '/tokens', { body: { name: role, role, expires_in: '7d' } });
  return getText(body.token);
}

const viewer = await createToken('viewer');
const member = await createToken('member');
const writeBearer = (token: string): string[] => [`Authorization: Bearer ${token}`];

/** Good traffic goes on, and memory stays bounded; answers how often each status was told. */
async function expectSmall(
  requests: Flood['requests'],
): Promise<{ counts: Map<number, number>; standing: number }> {
  const before = readPeakMegabytes(service.child.pid);
  const flooding = floodPort(port, { requests, sockets: SOCKETS });
  const health = await ask('GET', '/info/health', { token: null });
  assert.equal(health.status, 200);
  const { answers, standing, end } = await flooding;
  assert.equal((await ask('GET', '/whoami')).status, 200);
  end();
  const growth = readPeakMegabytes(service.child.pid) - before;
  assert.ok(growth < GROWTH_MB_MAX, `${growth.toFixed(0)} MB more while ${standing} sockets stood`);
  const counts = new Map<number, number>();
  for (const { status, text } of answers) {
    if (status !== 0) assert.match(text, /x-request-id: req_/);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return { counts, standing };
}

const assertOnlyThese = (counts: ReadonlyMap<number, number>, statuses: readonly number[]): void =>
  assert.deepEqual(
    [...counts.keys()].filter((status) => status !== 0 && !statuses.includes(status)),
    [],
    JSON.stringify([...counts]),
  );

const LINES = [
  'POST /api/v1/experiments',
  'PATCH /api/v1/experiments/X',
  'POST /mcp/',
  'POST /tokens',
  'POST /sign-in',
];

test('unauthenticated: 200 sockets without a credential → answered after their headers, and no memory is held', async () => {
  const lines = [...LINES, 'POST /experiments/new', 'PUT /api/v1/lab/experiments/X/files/a'];
  const { counts, standing } = await expectSmall(lines.map((line) => ({ line, headers: [] })));
  assert.equal(standing, 0);
  assertOnlyThese(counts, [401, 404, 413]);
  assert.ok((counts.get(401) ?? 0) > 0);
});

test('permission_denied: 200 sockets of a viewer who may not create → answered after their headers', async () => {
  const { counts, standing } = await expectSmall([
    { line: 'POST /api/v1/experiments', headers: writeBearer(viewer) },
  ]);
  assert.equal(standing, 0);
  assertOnlyThese(counts, [403]);
});

test('bodies_in_flight: 200 sockets of one viewer → only as many bodies are read as fit its share', async () => {
  const { counts, standing } = await expectSmall([
    { line: 'POST /api/v1/experiments/validate', headers: writeBearer(viewer) },
    { line: 'POST /mcp/', headers: writeBearer(viewer) },
  ]);
  assert.ok(standing <= 2, `${standing} stand`);
  assertOnlyThese(counts, [429, 503, 400]);
});

test('bodies_in_flight: 200 sockets of one member → only as many bodies are read as fit its share', async () => {
  const { counts, standing } = await expectSmall([
    { line: 'POST /api/v1/experiments', headers: writeBearer(member) },
  ]);
  assert.ok(standing <= 2, `${standing} stand`);
  assertOnlyThese(counts, [429, 503]);
});

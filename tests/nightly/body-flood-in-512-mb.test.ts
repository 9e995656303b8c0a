/**
 * The service in 512 MiB, its database included, while others do their worst with bodies. Where a control group cannot
 * be made, the same attack runs against the peak of the memory that the process itself had resident.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { floodPort, readPeakMegabytes } from '#testing/body-flood.ts';
import { createMemoryGroup, makeFolderOnDisk, type MemoryGroup } from '#testing/memory-group.ts';
import { createAsker, startProcess } from '#testing/process.ts';
import { getText } from '#testing/service.ts';

const GROUP_BYTES = 512 * 1024 * 1024;
/** Of the process alone, where nothing holds it; its database has the rest. */
const PROCESS_MB_MAX = 420;
const SOCKETS = 200;
const GOOD_REQUESTS = 20;
const LIBRARY_ROUNDS = 6;
const TEXT_BYTES = 14_000_000;
const TEXT_ROUNDS = 20;

const bounds = createBounds();
const directory = makeFolderOnDisk();
const limits = { RATE_LIMIT_BURST: '100000', RATE_LIMIT_PER_SECOND: '100000' };
const service = await startProcess(directory, limits, bounds.group === null ? {} : { group: bounds.group });
after(async () => {
  await service.stop();
  bounds.group?.remove();
  rmSync(directory, { recursive: true, force: true });
});
const ask = createAsker(service);
const port = Number(new URL(service.url).port);

function createBounds(): { readonly group: MemoryGroup | null; readonly why: string } {
  try {
    const group = createMemoryGroup(`assayer-flood-${process.pid}`, GROUP_BYTES);
    return { group, why: 'a control group of 512 MiB' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      group: null,
      why: `the peak of the process in /proc, as no control group can be made here: ${reason}`,
    };
  }
}

async function createToken(role: string, name: string): Promise<string> {
  const { body } = await ask('POST', '/tokens', { body: { name, role, expires_in: '7d' } });
  return getText(body.token);
}

function assertAlive(): void {
  assert.equal(service.child.exitCode, null);
  assert.equal(service.child.signalCode, null);
  if (bounds.group === null) {
    const peak = readPeakMegabytes(service.child.pid);
    assert.ok(peak < PROCESS_MB_MAX, `${peak.toFixed(0)} MB in ${bounds.why}`);
  } else assert.equal(bounds.group.countKills(), 0, 'the kernel killed something of the service');
}

async function sendGoodRequests(): Promise<void> {
  for (let index = 0; index < GOOD_REQUESTS; index++) {
    const name = `good ${index}`;
    const note = { experiment_type: 'thermostability', sequences: { a: 'MQVQLVESGGGLVQAGGSLRLSCAASW' } };
    assert.equal((await ask('GET', '/info/health', { token: null })).status, 200);
    assert.equal((await ask('POST', '/experiments', { body: { name, experiment_spec: note } })).status, 201);
  }
}

function createLibrary(seed: number): Record<string, string> {
  const text = 'QVQLVESGGGLVQAGGSLRLSCAASGRTFSEYAMGWFRQAPGKEREFVATISWSGGSTYYTDSVKGRFTISRDNAK'.repeat(43);
  return Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`design-${index}`, `M${text.slice((index + seed) % 99)}`]),
  );
}

test('memory: 200 sockets of 15 MiB and the largest libraries → the service lives within 512 MiB', async (context) => {
  context.diagnostic(`bounded by ${bounds.why}`);
  const viewer = await createToken('viewer', 'viewer');
  const members = await Promise.all([0, 1, 2, 3].map((number) => createToken('member', `member ${number}`)));
  const bearer = (token: string): string[] => [`Authorization: Bearer ${token}`];
  const create = 'POST /api/v1/experiments';
  const floods = [
    [{ line: create, headers: [] }],
    [{ line: 'POST /api/v1/experiments/validate', headers: bearer(viewer) }],
    members.map((token) => ({ line: create, headers: bearer(token) })),
    members.map((token) => ({ line: 'POST /mcp/', headers: bearer(token) })),
  ];
  for (const requests of floods) {
    const flooding = floodPort(port, { requests, sockets: SOCKETS });
    await sendGoodRequests();
    const { end } = await flooding;
    await sendGoodRequests();
    end();
    assertAlive();
  }
  for (let round = 0; round < LIBRARY_ROUNDS; round++) {
    const largest = members.map((token, index) => {
      const spec = { experiment_type: 'thermostability', sequences: createLibrary(index) };
      return ask('POST', '/experiments', { token, body: { name: 'large', experiment_spec: spec } });
    });
    await sendGoodRequests();
    const statuses = (await Promise.all(largest)).map(({ status }) => status);
    assert.ok(statuses.includes(201), String(statuses));
    assert.ok(
      statuses.every((status) => [201, 429, 503].includes(status)),
      String(statuses),
    );
    assertAlive();
  }
  // Texts of 14 MB that come to nothing leave the most garbage behind.
  const payload = `["${'x'.repeat(TEXT_BYTES)}"]`;
  for (let round = 0; round < TEXT_ROUNDS; round++) {
    const texts = [viewer, ...members].map((token) =>
      ask('POST', '/experiments/validate', { token, payload }),
    );
    const statuses = (await Promise.all(texts)).map(({ status }) => status);
    assert.ok(
      statuses.every((status) => [400, 429, 503].includes(status)),
      String(statuses),
    );
    assertAlive();
  }
  const peak = bounds.group?.readPeakMegabytes() ?? readPeakMegabytes(service.child.pid);
  context.diagnostic(
    `at most ${peak.toFixed(0)} MB; the process itself ${readPeakMegabytes(service.child.pid).toFixed(0)} MB`,
  );
});

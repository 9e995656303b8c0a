/** Requests that wait for a data package, while the worker does nothing until a test tells it to. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDirectoryBlobs } from '#adapters/blobs/directory.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';

const host = await testService();
const { ask, clock, dataDir, service } = host;
const { createBody, createReleased } = await createBuilders(host);
const RELEASED = createBody({
  n_replicates: 1,
  sequences: createSequences(1),
  parameters: { sandbox: { force: 'binder' } },
});
/** Requests of one organization that may wait at the same time. */
const PLACES = 16;
const WAIT_MS_MAX = 50_000;

async function getLink(code: string): Promise<string> {
  const answer = expectStatus(await ask('GET', `/experiments/${code}/data-package`), 307);
  const url = new URL(answer.headers.location ?? '');
  return url.pathname + url.search;
}

/** One package of an organization is made at a time. */
async function runJobs(): Promise<void> {
  while ((await service.worker.runDue()) > 0);
}

/** A request is sent when it is awaited, not before. */
const fetchLink = async (url: string, headers: Record<string, string> = {}) =>
  await service.app.inject({ method: 'GET', url, headers });

const selectPackages = (id: string) =>
  service.database.read.query<{ id: string; is_superseded: boolean }>(
    'select id, superseded_at is not null as is_superseded from data_packages where experiment_id = $1 order by created_at, id',
    [id],
  );

async function waitFor(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => void setTimeout(resolve, 10));
}

const kept = await createReleased(RELEASED);
const keptLink = await getLink(kept.code);
assert.equal((await fetchLink(keptLink)).statusCode, 200);
const wanted = await createReleased(RELEASED);
const amended = await createReleased(RELEASED);
await service.worker.stop();

test('overloaded: sixteen requests of an organization wait → the next is sent a kept package, and 503 for another', async () => {
  const link = await getLink(wanted.code);
  const requests = Array.from({ length: PLACES + 1 }, () => fetchLink(link));
  const first = await Promise.race(requests);
  assert.deepEqual([first.statusCode, first.json().code], [503, 'overloaded']);
  assert.equal((await fetchLink(keptLink)).statusCode, 200);
  clock.advance(WAIT_MS_MAX);
  const codes = (await Promise.all(requests)).map((answer) => String(answer.json().code));
  assert.equal(codes.filter((each) => each === 'data_package_not_ready').length, PLACES);
});

test('data package: a process died over one → the half that it left is removed when the job begins anew', async () => {
  const [row] = await selectPackages(wanted.id);
  assert.ok(row !== undefined);
  const directory = join(dataDir, 'blobs', 'packages');
  const blobs = createDirectoryBlobs(directory);
  await blobs.stage([Buffer.from('half of an archive')], row.id);
  const other = await blobs.stage([Buffer.from('of another process')], 'another-package');
  await runJobs();
  assert.deepEqual(await readdir(join(directory, 'incoming')), [other.path.split('/').at(-1)]);
  await other.drop();
  assert.equal((await fetchLink(await getLink(wanted.code))).statusCode, 200);
});

test('data package: the results are amended while a client waits → it gets the archive of the new version', async () => {
  const waiting = fetchLink(await getLink(amended.code));
  await waitFor(async () => (await selectPackages(amended.id)).length === 1);
  await service.database.read.query(
    `update results set updated_at = updated_at + interval '1 s' where experiment_id = $1`,
    [amended.id],
  );
  await waitFor(async () => (await selectPackages(amended.id)).length === 2);
  assert.equal((await selectPackages(amended.id)).filter((each) => each.is_superseded).length, 1);
  await runJobs();
  const answer = await waiting;
  assert.equal(answer.statusCode, 200);
  const again = await fetchLink(await getLink(amended.code));
  assert.equal(again.headers.etag, answer.headers.etag);
});

/** The data package as a file that is made once by a job, kept, and sent whole or in parts. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { testService, getText, type TestService } from '#testing/service.ts';

const host = await testService();
const { ask, clock, dataDir, service } = host;
const { createBody, createReleased } = await createBuilders(host);

const RELEASED = createBody({
  n_replicates: 1,
  sequences: createSequences(2),
  parameters: { sandbox: { force: 'binder' } },
});

async function getLink(code: string, of: TestService['ask'] = ask): Promise<string> {
  const answer = expectStatus(await of('GET', `/experiments/${code}/data-package`), 307);
  const url = new URL(answer.headers.location ?? '');
  return url.pathname + url.search;
}

const fetchLink = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.app.inject({ method, url, headers });

const listKept = async (): Promise<string[]> => {
  const names = await readdir(join(dataDir, 'blobs', 'packages'), { recursive: true });
  return names.map((path) => path.split('/').at(-1) ?? '').filter((name) => /^[0-9a-f]{64}$/.test(name));
};

const countPackages = async (code: string) => {
  const [row] = await service.database.read.query<{ made: number; superseded: number }>(
    `select count(p.made_at)::int as made, count(p.superseded_at)::int as superseded
     from data_packages p join experiments e on e.id = p.experiment_id where e.code = $1`,
    [code],
  );
  return row;
};

const readStatus = async (code: string) =>
  expectStatus(await ask('GET', `/experiments/${code}/data-package/status`), 200).body;

/** Every stored curve begins with the mark of gzip. */
const spoilCurves = (id: string) => replaceMark(id, '1f8b08', 'ff8b08');
const restoreCurves = (id: string) => replaceMark(id, 'ff8b08', '1f8b08');

async function replaceMark(id: string, from: string, to: string): Promise<void> {
  await service.database.read.query(
    `update result_curves set curves = decode(replace(encode(curves, 'hex'), $2, $3), 'hex')
     where result_id in (select r.id from results r where r.experiment_id = $1)`,
    [id, from, to],
  );
}

test('data package: it is fetched in two parts → the same bytes as in one, by the tag of its SHA-256', async () => {
  const { code } = await createReleased(RELEASED);
  const link = await getLink(code);
  const whole = await fetchLink(link);
  assert.equal(whole.statusCode, 200);
  assert.equal(whole.headers['accept-ranges'], 'bytes');
  const sha256 = createHash('sha256').update(whole.rawPayload).digest('hex');
  const tag = whole.headers.etag ?? '';
  assert.equal(tag, `"${sha256}"`);
  const size = whole.rawPayload.length;
  const first = await fetchLink(link, { range: 'bytes=0-9999' });
  const rest = await fetchLink(link, { range: 'bytes=10000-', 'if-range': tag });
  assert.deepEqual([first.statusCode, rest.statusCode], [206, 206]);
  assert.equal(rest.headers['content-range'], `bytes 10000-${size - 1}/${size}`);
  assert.ok(Buffer.concat([first.rawPayload, rest.rawPayload]).equals(whole.rawPayload));
  const other = await fetchLink(link, { range: 'bytes=10000-', 'if-range': '"another"' });
  assert.equal(other.statusCode, 200);
  assert.ok(other.rawPayload.equals(whole.rawPayload));
  const beyond = await fetchLink(link, { range: `bytes=${size}-` });
  assert.equal(beyond.statusCode, 416);
  assert.equal(beyond.headers['content-range'], `bytes */${size}`);
  const head = await fetchLink(link, {}, 'HEAD');
  assert.equal(head.headers['content-length'], String(size));
  assert.equal(head.rawPayload.length, 0);
});

test('data package: the client has it, has another, or asks for bytes behind its end → 304 without a body, 412 and 416 with an error', async () => {
  const { code } = await createReleased(RELEASED);
  const link = await getLink(code);
  const { headers, rawPayload } = await fetchLink(link);
  const size = rawPayload.length;
  const held = await fetchLink(link, { 'if-none-match': headers.etag ?? '' });
  assert.deepEqual([held.statusCode, held.rawPayload.length], [304, 0]);
  const other = await fetchLink(link, { 'if-match': '"another"' });
  assert.deepEqual([other.statusCode, other.json().code], [412, 'precondition_failed']);
  const beyond = await fetchLink(link, { range: `bytes=${size}-` });
  assert.deepEqual([beyond.statusCode, beyond.json().code], [416, 'range_not_satisfiable']);
  assert.equal(beyond.headers['content-range'], `bytes */${size}`);
  for (const range of ['bytes=0-9', `bytes=${size}-`]) {
    const head = await fetchLink(link, { range }, 'HEAD');
    assert.deepEqual([head.statusCode, head.headers['content-length']], [200, String(size)], range);
  }
});

test('data package: several ask at once, and again → it is made once', async () => {
  const { code } = await createReleased(RELEASED);
  const link = await getLink(code);
  const answers = await Promise.all([1, 2, 3].map(() => fetchLink(link)));
  for (const answer of answers) assert.ok(answer.rawPayload.equals(answers[0]?.rawPayload ?? Buffer.of()));
  await fetchLink(link);
  assert.deepEqual(await countPackages(code), { made: 1, superseded: 0 });
  const jobs = await service.database.read.query<{ attempts: number }>(
    `select attempts from jobs j join data_packages p on p.id = (j.payload ->> 'package_id')::uuid
     join experiments e on e.id = p.experiment_id where e.code = $1`,
    [code],
  );
  assert.deepEqual(jobs, [{ attempts: 1 }]);
});

test('data_package_not_ready: it is not made in the time that the client waits → 503 with Retry-After and progress, or 202', async () => {
  const { code } = await createReleased(RELEASED);
  const link = await getLink(code);
  assert.equal((await readStatus(code)).status, 'not_made');
  const early = await fetchLink(link, { prefer: 'wait=0' });
  assert.equal(early.statusCode, 503);
  assert.ok(Number(early.headers['retry-after']) > 0);
  const { code: failure, results_done: done, results_total: total } = early.json<Record<string, unknown>>();
  assert.deepEqual([failure, total], ['data_package_not_ready', 2]);
  assert.ok(typeof done === 'number' && done < 2);
  const asynchronous = await fetchLink(link, { prefer: 'respond-async' });
  assert.ok([200, 202].includes(asynchronous.statusCode));
  assert.equal((await fetchLink(link)).statusCode, 200);
  assert.equal((await readStatus(code)).status, 'ready');
});

test('data package: its file is gone → it is made again with the same bytes', async () => {
  const { code } = await createReleased(RELEASED);
  const link = await getLink(code);
  const before = await fetchLink(link);
  const sha256 = createHash('sha256').update(before.rawPayload).digest('hex');
  await rm(join(dataDir, 'blobs', 'packages', sha256.slice(0, 2), sha256));
  const after = await fetchLink(link);
  assert.ok(after.rawPayload.equals(before.rawPayload));
});

test('data package: the results are amended → a new archive, and the old one is deleted three days later', async () => {
  const { code, id } = await createReleased(RELEASED);
  const link = await getLink(code);
  const before = await fetchLink(link);
  const tag = before.headers.etag ?? '';
  await service.database.read.query(
    `update results set updated_at = updated_at + interval '1 s' where experiment_id = $1`,
    [id],
  );
  const after = await fetchLink(link, { range: 'bytes=100-', 'if-range': tag });
  assert.equal(after.statusCode, 200, 'the rest of the old archive would not fit');
  assert.notEqual(after.headers.etag, tag);
  assert.deepEqual(await countPackages(code), { made: 2, superseded: 1 });
  assert.ok((await listKept()).includes(tag.replaceAll('"', '')));
  clock.advance(3 * DAY_MS + 1);
  await service.worker.runChores();
  assert.deepEqual(await countPackages(code), { made: 1, superseded: 0 });
  const kept = await listKept();
  assert.ok(!kept.includes(tag.replaceAll('"', '')));
  assert.ok(kept.includes(String(after.headers.etag).replaceAll('"', '')));
});

test('data package: nobody asked for it in a month → it is deleted, and made again when somebody does', async () => {
  const { code } = await createReleased(RELEASED);
  const before = await fetchLink(await getLink(code));
  clock.advance(31 * DAY_MS);
  await service.worker.runChores();
  assert.equal((await readStatus(code)).status, 'not_made');
  const after = await fetchLink(await getLink(code));
  assert.ok(after.rawPayload.equals(before.rawPayload));
});

test('data package: its making fails three times → 503 data_package_failed, and it is tried again ten minutes later', async () => {
  const { code, id } = await createReleased(RELEASED);
  await spoilCurves(id);
  await fetchLink(await getLink(code), { prefer: 'wait=0' });
  await host.runLab();
  const failed = await fetchLink(await getLink(code));
  assert.equal(failed.statusCode, 503);
  assert.equal(getText(failed.json().code), 'data_package_failed');
  assert.equal((await readStatus(code)).status, 'failed');
  clock.advance(4 * 60_000);
  const later = await fetchLink(await getLink(code));
  assert.ok(Number(later.headers['retry-after']) <= 6 * 60, 'the rest of the ten minutes');
  await restoreCurves(id);
  clock.advance(10 * 60_000);
  assert.equal((await fetchLink(await getLink(code))).statusCode, 200);
  assert.deepEqual(await countPackages(code), { made: 1, superseded: 0 });
});

test('data package: its job was put aside after two deaths → it stays failed ten minutes later, until staff try the job again', async () => {
  const { code, id } = await createReleased(RELEASED);
  await spoilCurves(id);
  await fetchLink(await getLink(code), { prefer: 'wait=0' });
  await host.runLab();
  assert.equal((await readStatus(code)).status, 'failed');
  await restoreCurves(id);
  const [job] = await service.database.read.query<{ id: string }>(
    `update jobs set deaths = 2 where failed_at is not null and payload ->> 'package_id' in (
       select id::text from data_packages where experiment_id = $1) returning id::text`,
    [id],
  );
  assert.ok(job);
  clock.advance(10 * 60_000);
  const refused = await fetchLink(await getLink(code), { prefer: 'wait=0' });
  assert.equal(getText(refused.json().code), 'data_package_failed');
  assert.match(getText(refused.json().error), /the lab, which was told, has to start it again/);
  await host.runLab();
  assert.equal((await readStatus(code)).status, 'failed');
  expectStatus(await ask('POST', `/lab/jobs/${job.id}/retry`, { body: {} }), 200);
  await host.runLab();
  assert.equal((await readStatus(code)).status, 'ready');
});

test('data package: half of one was left behind by a crash → it is never sent', async () => {
  const names = await readdir(join(dataDir, 'blobs', 'packages', 'incoming'));
  assert.deepEqual(names, [], 'what is complete has moved, and what failed is removed');
});

test('DATA_PACKAGES=at_release: results are released → the package is ready before anybody asks', async () => {
  const eager = await testService({ DATA_PACKAGES: 'at_release' });
  const builders = await createBuilders(eager);
  const { code } = await builders.createReleased(
    builders.createBody({
      n_replicates: 1,
      sequences: createSequences(1),
      parameters: { sandbox: { force: 'binder' } },
    }),
  );
  const { body } = await eager.ask('GET', `/experiments/${code}/data-package/status`);
  assert.equal(body.status, 'ready');
  const link = await getLink(code, eager.ask);
  const answer = await eager.service.app.inject({ url: link, headers: { prefer: 'wait=0' } });
  assert.equal(answer.statusCode, 200);
});

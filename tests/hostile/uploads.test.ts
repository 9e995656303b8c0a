import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  createSequences,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { openRaw, formatRequest } from '#testing/raw-http.ts';
import { getItems, parseJson, testService, getText, type Json } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken, token } = service;
const { create, createRunning } = await createBuilders(service);
const address = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);

const MB = 1024 * 1024;
const BEARER = `Authorization: Bearer ${token}`;
const plate = createRawFile(createSequences(1));
const bytes = new Uint8Array(Buffer.from(plate.content_base64, 'base64'));
const incoming = join(service.dataDir, 'blobs', 'incoming');
const listWaiting = (): string[] => readdirSync(incoming);

async function put(
  id: string,
  body: RequestInit['body'],
  {
    as = token,
    name = plate.name,
    headers = {},
  }: { as?: string; name?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<{ status: number; text: string; body: Json }> {
  const answer = await fetch(`${address}/api/v1/lab/experiments/${id}/files/${encodeURIComponent(name)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${as}`, ...headers },
    body,
    duplex: 'half',
  });
  const text = await answer.text();
  return { status: answer.status, text, body: parseJson(text) };
}

/** Waits at most ten seconds. */
async function waitUntil(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !isSo(); round++) await wait(10);
  assert.ok(isSo());
}

const listFiles = async (id: string): Promise<readonly Json[]> =>
  getItems(expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200).body.files);

/** So many bytes in parts, which `fetch` sends without saying how many they are. */
async function* stream(size: number, start = ''): AsyncGenerator<Uint8Array> {
  const part = Buffer.alloc(MB, '1');
  yield Buffer.from(start);
  for (let sent = 0; sent < size; sent += MB) yield await Promise.resolve(part);
}

test('move_not_allowed: raw files for an order or a run that takes none → refused before the body is read', async () => {
  const { id } = await create();
  const sending = [BEARER, 'Expect: 100-continue', `Content-Length: ${64 * MB}`];
  for (const [path, status, code] of [
    [`/lab/experiments/${id}/files/a.txt`, 409, 'move_not_allowed'],
    [`/lab/experiments/${UNKNOWN_ID}/files/a.txt`, 404, 'experiment_not_found'],
    [`/lab/experiments/${UNKNOWN_ID}/preview/a.txt`, 404, 'experiment_not_found'],
    [`/lab/runs/${UNKNOWN_ID}/raw-files/a.txt`, 404, 'lab_run_not_found'],
    [`/lab/runs/${UNKNOWN_ID}/preview/a.txt`, 404, 'lab_run_not_found'],
  ] as const) {
    const { socket, closed } = openRaw(port);
    socket.write(formatRequest(`PUT /api/v1${path}`, sending));
    const { text } = await closed;
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), text.slice(0, 300));
    assert.match(text, new RegExp(`"code":"${code}"`));
  }
});

test('put_raw_file: raw bytes of any media type → the same file as by base64', async () => {
  const digest = createHash('sha256').update(bytes).digest('hex');
  for (const type of [undefined, 'application/octet-stream', 'text/csv', 'application/json']) {
    const { id } = await createRunning();
    const answer = await put(id, bytes, { headers: type === undefined ? {} : { 'content-type': type } });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(getText(answer.body.file?.sha256), digest);
    const again = expectStatus(await ask('POST', `/lab/experiments/${id}/files`, { body: plate }), 201);
    assert.equal(getText(again.body.file?.id), getText(answer.body.file?.id));
    assert.deepEqual(getItems(again.body.file?.understood?.matched_sequences), ['design-1']);
    assert.equal((await listFiles(id)).length, 1);
  }
  assert.deepEqual(listWaiting(), []);
});

test('put_raw_file: gzip or UTF-16 instead of text → refused with the name of the file, nothing is kept', async () => {
  const { id } = await createRunning();
  const refused = await put(id, gzipSync(bytes), { name: 'plate.csv.gz' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /plate\.csv\.gz/);
  assert.equal(getText(getItems(refused.body.problems)[0]?.path), 'body');
  const utf16 = await put(id, Buffer.from(`\ufeff${Buffer.from(bytes).toString()}`, 'utf16le'));
  assert.match(utf16.text, /UTF-16/);
  assert.deepEqual(await listFiles(id), []);
  assert.deepEqual(listWaiting(), []);
});

test('put_raw_file: an empty body, or a folder in the name → refused, nothing is kept', async () => {
  const { id } = await createRunning();
  const empty = await put(id, null);
  assert.equal(empty.status, 422);
  assert.match(empty.text, /an empty file/);
  const named = await put(id, bytes, { name: '../plate.csv' });
  assert.equal(named.status, 400);
  assert.match(named.text, /"path":"name"/);
  assert.deepEqual(listWaiting(), []);
});

test('body_too_large: an upload beyond the limit → refused before the body if its length is declared, else on the way', async () => {
  const { id } = await createRunning();
  const said = openRaw(port);
  said.socket.write(
    formatRequest(`PUT /api/v1/lab/experiments/${id}/files/big.csv`, [
      `Authorization: Bearer ${token}`,
      `Content-Length: ${UPLOAD_BYTES_MAX + 1}`,
    ]),
  );
  const { status, text } = await said.closed;
  assert.equal(status, 413);
  assert.match(text, /160 MiB/);
  const unsaid = await put(id, stream(UPLOAD_BYTES_MAX + MB), { name: 'big.csv' });
  assert.equal(unsaid.status, 413, unsaid.text);
  assert.deepEqual(listWaiting(), []);
});

test('put_raw_file: a file larger than its format allows → its parser refuses it and it is not kept', async () => {
  const { id } = await createRunning();
  const answer = await put(id, stream(30 * MB, '# assayer-traces: 1\n'), { name: 'long.csv' });
  assert.equal(answer.status, 422, answer.text);
  assert.match(answer.text, /long\.csv: expected at most 25165824 bytes/);
  assert.deepEqual(listWaiting(), []);
});

test('permission_denied: a caller who may not upload → no byte is written to disk', async () => {
  const client = await issueToken({ role: 'admin', ownOrganization: true });
  const refused = await put(UNKNOWN_ID, stream(8 * MB), { as: client });
  assert.equal(refused.status, 403);
  const stranger = await put(UNKNOWN_ID, stream(8 * MB), { as: 'asy_test_x' });
  assert.equal(stranger.status, 401);
  const unknown = await put(UNKNOWN_ID, bytes);
  assert.equal(unknown.status, 404);
  assert.deepEqual(listWaiting(), []);
});

test('upload_broken_off: the client goes away → nothing is left behind and the service goes on', async () => {
  const { id } = await createRunning();
  const raw = openRaw(port);
  raw.socket.write(
    formatRequest(
      `PUT /api/v1/lab/experiments/${id}/files/${plate.name}`,
      [`Authorization: Bearer ${token}`, `Content-Length: ${bytes.length}`],
      Buffer.from(bytes.subarray(0, 1_000)).toString(),
    ),
  );
  await waitUntil(() => listWaiting().length === 1);
  raw.socket.destroy();
  await waitUntil(() => service.logLines.some((line) => line.includes('upload_broken_off')));
  assert.deepEqual(listWaiting(), []);
  assert.ok(!service.logLines.some((line) => line.includes('"internal_error"')));
  assert.deepEqual(await listFiles(id), []);
  assert.equal((await put(id, bytes)).status, 201);
});

test('idempotency_key: an upload is repeated with its key → one file; another file with that key → refused', async () => {
  const { id } = await createRunning();
  const headers = { 'idempotency-key': 'file-1' };
  const first = await put(id, bytes, { headers });
  const second = await put(id, bytes, { headers });
  assert.equal(first.status, 201);
  assert.equal(second.text, first.text);
  const other = Buffer.concat([bytes, Buffer.from('\n')]);
  const reused = await put(id, other, { headers });
  assert.equal(reused.status, 422);
  assert.equal(getText(reused.body.code), 'idempotency_key_reused');
  expectFailure(await ask('POST', `/lab/experiments/${id}/files`, { body: {} }), 400, 'invalid_request');
});

/** A client that goes away in the middle of a body: told in the log as what it is, and nothing is left behind. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createBuilders } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { openRaw, formatRequest, sendRaw } from '#testing/raw-http.ts';
import { testService } from '#testing/service.ts';

const service = await testService();
const { token, logLines, dataDir } = service;
const { createRunning } = await createBuilders(service);
const { id } = await createRunning();
const { cookie } = await openSignedIn(service);
const address = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);

const bearer = `Authorization: Bearer ${token}`;
const json = 'Content-Type: application/json';
const form = 'Content-Type: application/x-www-form-urlencoded';
const chunked = 'Transfer-Encoding: chunked';

const doors: readonly [what: string, line: string, headers: readonly string[]][] = [
  ['a raw file', `PUT /api/v1/lab/experiments/${id}/files/plate.csv`, [bearer]],
  ['a JSON body', 'POST /api/v1/experiments', [bearer, json]],
  ['a tool call', 'POST /mcp/', [bearer, json]],
  ['a form of a person', 'POST /account/name', [`Cookie: ${cookie}`, form]],
  ['a form of anybody', 'POST /sign-in', [form]],
  ['the start of a device login', 'POST /device/authorization', [form]],
  ['a notification', 'POST /processor/notifications', [json]],
  ['a route of the sign-in library', 'POST /auth/oauth2/token', [form]],
];

interface Line {
  readonly level?: unknown;
  readonly code?: unknown;
}

function readLinesSince(start: number): Line[] {
  return logLines.slice(start).map((line): Line => {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  });
}

/** Waits at most ten seconds. */
async function waitUntil(isSo: () => boolean, story: string): Promise<void> {
  for (let round = 0; round < 1_000 && !isSo(); round++) await wait(10);
  assert.ok(isSo(), story);
}

for (const [what, line, headers] of doors) {
  for (const framing of ['Content-Length: 5000', chunked]) {
    test(`upload_broken_off: ${what}, ${framing} → a line in the log, below the level of an error`, async () => {
      const start = logLines.length;
      const host = `Host: 127.0.0.1:${port}`;
      const part = framing === chunked ? '5\r\n{"a":\r\n' : '{"a":';
      const { socket, closed } = openRaw(port);
      await once(socket, 'connect');
      socket.write(formatRequest(line, [...headers, framing], part).replace('Host: localhost', host));
      await waitUntilArrived();
      socket.destroy();
      await closed;
      const isTold = (): boolean => readLinesSince(start).some(({ code }) => code === 'upload_broken_off');
      await waitUntil(isTold, `${line}: ${logLines.slice(start).join('\n')}`);
      const codes = readLinesSince(start).map(({ code }) => code);
      assert.ok(!codes.includes('internal_error'), logLines.slice(start).join('\n'));
      assert.ok(readLinesSince(start).every(({ level }) => typeof level === 'number' && level < 40));
    });
  }
}

/** The service has read what was sent when it has answered a request that came after it. */
async function waitUntilArrived(): Promise<void> {
  const answer = await fetch(`${address}/api/v1/info/health`);
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
}

test('upload_broken_off: bytes beyond the Content-Length → no error of the service in the log', async () => {
  const start = logLines.length;
  const headers = [bearer, json, 'Content-Length: 1', 'Connection: close'];
  const request = formatRequest('POST /api/v1/experiments', headers, '{"name":1}');
  const answers = await Promise.all(Array.from({ length: 50 }, () => sendRaw(port, request)));
  for (const { status, text } of answers) assert.ok(status === 0 || status === 400, text);
  await waitUntilArrived();
  const codes = readLinesSince(start).map(({ code }) => code);
  assert.ok(!codes.includes('internal_error'), logLines.slice(start).join('\n'));
});

test('upload_broken_off: after all broken uploads → no temporary file remains and the service answers', async () => {
  // The folder is made with its first file, and an upload may break off before it has one.
  const incoming = join(dataDir, 'blobs', 'incoming');
  await waitUntil(() => globSync('*', { cwd: incoming }).length === 0, 'a file was left');
  await waitUntilArrived();
});

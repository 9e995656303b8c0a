import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRaw, pour, formatRequest, sendRaw, type RawAnswer } from '#testing/raw-http.ts';
import { testService } from '#testing/service.ts';

const { service, token, issueToken } = await testService();
const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);
const otherToken = await issueToken({ role: 'viewer' });

const writeBearer = (value: string) => `Authorization: Bearer ${value}`;
const CLOSE = 'Connection: close';
const WHOAMI = 'GET /api/v1/whoami';
const CREATE = 'POST /api/v1/experiments';
const JSON_TYPE = 'Content-Type: application/json';
const GIGABYTE = 2 ** 30;

function assertRefusal({ text, status, body }: RawAnswer, expected: number, code: string): void {
  assert.equal(status, expected, text.slice(0, 500));
  const requestId = /x-request-id: (req_[0-9a-f-]{36})/i.exec(text)?.[1];
  const refusal: unknown = JSON.parse(body);
  assert.ok(typeof refusal === 'object' && refusal !== null);
  assert.ok(requestId !== undefined);
  assert.equal(Object.entries(refusal).find(([key]) => key === 'request_id')?.[1], requestId);
  assert.equal(Object.entries(refusal).find(([key]) => key === 'code')?.[1], code);
}

/** The answer to somebody who is still writing may be lost to the reset that cuts the stream off. */
function assertCutOff(answer: RawAnswer, expected: number, code: string): void {
  if (answer.text !== '') assertRefusal(answer, expected, code);
}

test('headers_too_large: an endless header → 431 before 16 MiB are read', async () => {
  const connection = openRaw(port);
  connection.socket.write(`${WHOAMI} HTTP/1.1\r\nHost: localhost\r\nX-Filler: `);
  const sent = await pour(connection, 'x'.repeat(64 * 1024), GIGABYTE);
  assert.ok(sent < 16 * 2 ** 20, `${sent} bytes were taken`);
  assertCutOff(await connection.closed, 431, 'headers_too_large');
});

test('headers_too_large: ten thousand small headers → 431', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `X-H${index}: v`);
  assertRefusal(await sendRaw(port, formatRequest(WHOAMI, many)), 431, 'headers_too_large');
});

test('invalid_request: HTTP/1.1 without Host → 400 with a sentence and the request id', async () => {
  assertRefusal(await sendRaw(port, `${WHOAMI} HTTP/1.1\r\n${CLOSE}\r\n\r\n`), 400, 'invalid_request');
  const { status } = await sendRaw(port, `${WHOAMI} HTTP/1.0\r\n${writeBearer(token)}\r\n${CLOSE}\r\n\r\n`);
  assert.equal(status, 200, 'HTTP/1.0 knows no Host');
});

test('body_too_large: a declared gigabyte → 413 before it is sent', async () => {
  const headers = [writeBearer(token), JSON_TYPE, `Content-Length: ${GIGABYTE}`, CLOSE];
  assertRefusal(await sendRaw(port, formatRequest(CREATE, headers)), 413, 'body_too_large');
});

test('body_too_large: an endless stream → cut off at the limit, and memory stays bounded', async () => {
  const before = process.memoryUsage().rss;
  const connection = openRaw(port);
  const headers = [writeBearer(token), JSON_TYPE, 'Transfer-Encoding: chunked', CLOSE];
  connection.socket.write(formatRequest(CREATE, headers));
  const sent = await pour(connection, `10000\r\n${' '.repeat(0x10000)}\r\n`, GIGABYTE);
  assert.ok(sent < GIGABYTE / 8, `${sent} bytes were taken`);
  assertCutOff(await connection.closed, 413, 'body_too_large');
  assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20);
});

test('unauthenticated: two Authorization headers → the first counts', async () => {
  const good = await sendRaw(
    port,
    formatRequest(WHOAMI, [writeBearer(token), writeBearer('asy_test_bad'), CLOSE]),
  );
  assert.equal(good.status, 200, good.text);
  const bad = await sendRaw(
    port,
    formatRequest(WHOAMI, [writeBearer('asy_test_bad'), writeBearer(token), CLOSE]),
  );
  assertRefusal(bad, 401, 'token_malformed');
});

test('X-Service-Api-Key: Authorization carries a payment → the token of the other header counts', async () => {
  const both = ['Authorization: Payment abc', `X-Service-Api-Key: ${otherToken}`, CLOSE];
  const answer = await sendRaw(port, formatRequest(WHOAMI, both));
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.body, /"role":"viewer"/);
  const payment = await sendRaw(port, formatRequest(WHOAMI, ['Authorization: Payment abc', CLOSE]));
  assertRefusal(payment, 401, 'unauthenticated');
});

test('invalid_request: no HTTP, or two requests in one → 400 and the connection closes', async () => {
  const odd = [
    'NONSENSE\r\n\r\n',
    `${WHOAMI} HTTP/9.9\r\n\r\n`,
    formatRequest(
      CREATE,
      [writeBearer(token), 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      '0\r\n\r\n',
    ),
    formatRequest(CREATE, [writeBearer(token), 'Content-Length: 1', 'Content-Length: 2'], 'xx'),
    formatRequest(CREATE, [writeBearer(token), 'Content-Length: -1']),
    formatRequest(CREATE, [writeBearer(token), 'Transfer-Encoding: chunked'], 'zz\r\n'),
    formatRequest('GET /api/v1/who\u0000ami', [CLOSE]),
  ];
  for (const request of odd) assertRefusal(await sendRaw(port, request), 400, 'invalid_request');
});

test('invalid_request: a body shorter or longer than its declared length → refused', async () => {
  const shorter = openRaw(port);
  shorter.socket.end(
    formatRequest(CREATE, [writeBearer(token), JSON_TYPE, 'Content-Length: 100'], '{"name":'),
  );
  assert.notEqual((await shorter.closed).status, 201);
  const longer = await sendRaw(
    port,
    formatRequest(
      CREATE,
      [writeBearer(token), JSON_TYPE, 'Content-Length: 2', CLOSE],
      '{}{"name":"smuggled"}',
    ),
  );
  assertRefusal(longer, 400, 'invalid_request');
});

test('health: after all hostile sockets → the service answers 200', async () => {
  const answer = await sendRaw(port, formatRequest('GET /api/v1/info/health', [CLOSE]));
  assert.equal(answer.status, 200);
});

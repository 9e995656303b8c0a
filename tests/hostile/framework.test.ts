/** Refusals of the framework and of Node itself, provoked over raw sockets: each has our body, our id and no stack. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isFailureCode } from '#core/failures.ts';
import { openRaw, formatRequest, sendRaw, type RawAnswer } from '#testing/raw-http.ts';
import { parseJson, testService } from '#testing/service.ts';

const { service, token, logLines } = await testService();
const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);

const BEARER = `Authorization: Bearer ${token}`;
const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const CLOSE = 'Connection: close';
const LONG = 'x'.repeat(400);

async function answerTo(
  line: string,
  headers: readonly string[] = [],
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const length = Buffer.byteLength(body) === 0 ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = formatRequest(line, [BEARER, CLOSE, ...headers, ...length]);
  return sendRaw(port, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
}

function assertOurs(answer: RawAnswer, status: number, code: string): void {
  const { text } = answer;
  assert.equal(answer.status, status, text.slice(0, 400));
  const requestId = /\r\nx-request-id: (req_[0-9a-f-]{36})\r\n/i.exec(text)?.[1];
  assert.ok(requestId !== undefined, text.slice(0, 400));
  assert.doesNotMatch(text, /FST_ERR|statusCode|node_modules|\n {4}at /);
  const { error, request_id: told, code: given } = parseJson(answer.body);
  assert.equal(typeof error, 'string', text.slice(0, 400));
  assert.equal(told, requestId);
  assert.equal(given, code);
  assert.ok(isFailureCode(code));
}

test('invalid_request: an undecodable address at the API, at a page or at MCP → 400', async () => {
  for (const path of [
    '/api/v1/experiments/%ff',
    '/api/v1/%',
    '/experiments/%zz',
    '/mcp/%ff',
    '/%e0%a4',
    '/pay/%ff',
  ])
    for (const method of ['GET', 'POST', 'DELETE'])
      assertOurs(await answerTo(`${method} ${path}`), 400, 'invalid_request');
});

test('address_too_long: a path parameter of 400 characters → 414', async () => {
  for (const line of [
    `GET /api/v1/experiments/${LONG}`,
    `PATCH /api/v1/experiments/${LONG}`,
    `POST /sign-in/link/${LONG}`,
  ])
    assertOurs(await answerTo(line), 414, 'address_too_long');
});

/** What a browser, an XML client and a program accept. */
const ACCEPTED = [
  'text/html,application/xhtml+xml,*/*;q=0.8',
  'application/xml',
  'application/json',
  undefined,
];

test('form of answers: whatever refuses a request under /api and /mcp, once the pages are loaded → JSON', async () => {
  assert.match((await answerTo('GET /nowhere', ['Accept: text/html'])).text, /content-type: text\/html/i);
  const lines = [
    `GET /api/v1/experiments/${LONG}`,
    `HEAD /api/v1/experiments/${LONG}`,
    `GET /api/v1/${'a/'.repeat(2_000)}`,
    `GET /api/v1/experiments/${'%41'.repeat(400)}`,
    'GET /api/v1/nowhere',
    'GET /api',
    'GET /api/v2/experiments',
    'GET /%61pi/v1/nowhere',
    `GET http://localhost/api/v1/experiments/${LONG}`,
    'GET http://localhost/api/v1/nowhere',
    'GET /mcp/nowhere',
    `GET /mcp/${LONG}`,
    'DELETE /api/v1/nowhere',
    'POST /api/v1/experiments',
    'PUT /api/v1/lab/experiments/X/files/a.txt',
  ];
  for (const line of lines)
    for (const accept of ACCEPTED)
      for (const extra of [[], ['Expect: the-impossible'], ['Content-Encoding: br', 'Content-Length: 9']]) {
        const headers = [...(accept === undefined ? [] : [`Accept: ${accept}`]), ...extra];
        const { text, status } = await answerTo(line, headers);
        assert.ok(status >= 400, text.slice(0, 300));
        assert.match(
          text,
          /\r\ncontent-type: application\/json/i,
          `${line.slice(0, 60)} ${headers.join(' ')}`,
        );
      }
  const problem = await answerTo(`GET /api/v1/experiments/${LONG}`, ['Accept: application/problem+json']);
  assert.match(problem.text, /content-type: application\/problem\+json/i);
});

test('headers_too_large, invalid_request: headers or a request line that Node refuses → JSON', async () => {
  assertOurs(
    await answerTo('GET /api/v1/whoami', [`X-Long: ${'x'.repeat(40_000)}`]),
    431,
    'headers_too_large',
  );
  assertOurs(await answerTo(`GET /api/v1/${'x'.repeat(40_000)}`), 431, 'headers_too_large');
  for (const line of ['GET', '\0GET /api/v1/whoami', 'GET /api/v1/who ami'])
    assertOurs(await answerTo(line), 400, 'invalid_request');
});

test('method_not_implemented: an unknown method → 501', async () => {
  for (const method of ['BREW', 'GETT', 'X-CUSTOM'])
    for (const path of ['/api/v1/experiments', '/', '/mcp/'])
      assertOurs(await answerTo(`${method} ${path}`), 501, 'method_not_implemented');
});

test('method_not_allowed: a known method that the path does not serve → 405 with Allow', async () => {
  for (const method of ['PROPFIND', 'TRACE', 'OPTIONS', 'QUERY', 'LOCK', 'PUT']) {
    const answer = await answerTo(`${method} /api/v1/experiments`);
    assertOurs(answer, 405, 'method_not_allowed');
    assert.match(answer.text, /\r\nallow: GET, HEAD, POST\r\n/i);
  }
  for (const method of ['PROPFIND', 'TRACE', 'LOCK'])
    assertOurs(await answerTo(`${method} /nowhere`), 404, 'route_not_found');
  assertOurs(await answerTo('CONNECT 127.0.0.1:80'), 405, 'method_not_allowed');
});

test('upgrade: a protocol that is not served → the upgrade is ignored and the request is answered', async () => {
  const answer = await answerTo('GET /api/v1/whoami', ['Upgrade: websocket', 'Connection: Upgrade, close']);
  assert.equal(answer.status, 200, answer.text);
});

test('expectation_failed: an unknown Expect at the API, a page, MCP or an unknown path → 417', async () => {
  for (const line of ['POST /api/v1/experiments', 'POST /mcp/', 'DELETE /nowhere', 'POST /device/token'])
    assertOurs(await answerTo(line, ['Expect: the-impossible']), 417, 'expectation_failed');
  const page = await answerTo('POST /sign-in', ['Expect: the-impossible']);
  assert.equal(page.status, 417);
  assert.match(page.body, /Request <code>req_/);
});

test('Expect: 100-continue from anybody → only a caller who may send the body gets 100 Continue', async () => {
  const ask = ['Expect: 100-continue', JSON_TYPE, 'Content-Length: 2'];
  const stranger = await sendRaw(port, formatRequest('POST /api/v1/experiments', ask));
  assertOurs(stranger, 401, 'unauthenticated');
  assert.doesNotMatch(stranger.text, /100 Continue/);
  for (const [path, status] of [
    ['/api/v1/experiments', 400],
    ['/mcp/', 400],
  ] as const) {
    const { socket, closed } = openRaw(port);
    const received = once(socket, 'data');
    socket.write(formatRequest(`POST ${path}`, [BEARER, CLOSE, ...ask]));
    assert.match(String(await received), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write('{}');
    assert.match((await closed).text, new RegExp(`\r\n\r\nHTTP/1\\.1 ${status} `));
  }
});

test('body_not_json: an invalid media type at an operation or at MCP → 415', async () => {
  for (const type of ['nonsense', '/', 'application/', 'text/plain'])
    for (const line of ['POST /api/v1/experiments', 'POST /mcp/'])
      assertOurs(await answerTo(line, [`Content-Type: ${type}`], '{}'), 415, 'body_not_json');
});

test('content_encoding_not_served: a compressed body at the API, a page, MCP or an upload → 415', async () => {
  for (const line of [
    'POST /api/v1/experiments',
    'POST /mcp/',
    'POST /device/token',
    'POST /processor/notifications',
  ])
    assertOurs(
      await answerTo(line, [JSON_TYPE, 'Content-Encoding: gzip'], gzipSync('{}')),
      415,
      'content_encoding_not_served',
    );
  const upload = 'PUT /api/v1/lab/experiments/X/files/a.txt';
  assertOurs(await answerTo(upload, ['Content-Encoding: br'], 'x'), 415, 'content_encoding_not_served');
  const page = await answerTo('POST /sign-in', [FORM_TYPE, 'Content-Encoding: gzip'], gzipSync('email=a'));
  assert.equal(page.status, 415, page.text);
});

test('invalid_request: two lengths, a bad length or a body cut short by its own chunks → 400', async () => {
  const chunked = [JSON_TYPE, 'Transfer-Encoding: chunked'];
  assertOurs(
    await answerTo('POST /api/v1/experiments', [...chunked, 'Content-Length: 3']),
    400,
    'invalid_request',
  );
  assertOurs(
    await answerTo('POST /mcp/', [JSON_TYPE, 'Content-Length: 1', 'Content-Length: 2']),
    400,
    'invalid_request',
  );
  const broken = `${formatRequest('POST /api/v1/experiments', [BEARER, CLOSE, ...chunked])}5\r\n{"a":\r\nzz\r\n`;
  assertOurs(await sendRaw(port, broken), 400, 'invalid_request');
});

test('body_not_utf8: bytes of another encoding → 400 names their offset, and nothing is replaced', async () => {
  const latin = Buffer.from('{"name":"caf\u00e9"}', 'latin1');
  const answer = await answerTo('POST /api/v1/experiments', [JSON_TYPE], latin);
  assertOurs(answer, 400, 'body_not_utf8');
  assert.match(answer.body, /at offset 12 /);
  const protocol = await answerTo('POST /mcp/', [JSON_TYPE], latin);
  assert.equal(protocol.status, 400);
  assert.match(protocol.body, /"code":-32700.*at offset 12 /);
  const [notification, device] = [
    await answerTo('POST /processor/notifications', [JSON_TYPE], latin),
    await answerTo('POST /device/token', [FORM_TYPE], latin),
  ];
  for (const refused of [notification, device]) assertOurs(refused, 400, 'body_not_utf8');
});

test('invalid_request: a form of a page that is not UTF-8, percent-encoded or raw → 400', async () => {
  for (const body of ['email=%ff%fe', 'email=caf%e9', 'a=%c3%28', 'email=\u00ff%e9']) {
    const answer = await answerTo('POST /sign-in', [FORM_TYPE], Buffer.from(body, 'latin1'));
    assert.equal(answer.status, 400, answer.text.slice(0, 300));
    assert.match(answer.text, /x-request-id: req_/);
  }
  const fine = await answerTo('POST /sign-in', [FORM_TYPE], 'email=caf%C3%A9%40example.org&password=x');
  assert.equal(fine.status, 401, fine.text.slice(0, 300));
});

test('invalid_request: a form with thousands of fields → 400; with a million fields → 413', async () => {
  const answer = await answerTo('POST /sign-in', [FORM_TYPE], 'a&'.repeat(8_000));
  assert.equal(answer.status, 400, answer.text.slice(0, 300));
  assert.match(answer.text, /more than 200 fields/);
  const larger = await answerTo('POST /sign-in', [FORM_TYPE], 'a&'.repeat(500_000));
  assert.equal(larger.status, 413, larger.text.slice(0, 300));
});

test('unread body: a GET, a DELETE or an unknown path gets one → it is not read and the connection closes', async () => {
  for (const [line, status] of [
    ['GET /api/v1/whoami', 200],
    ['GET /sign-in', 200],
    ['GET /mcp/', 405],
    ['POST /nowhere', 404],
    ['DELETE /api/v1/experiments/X', 404],
  ] as const) {
    const { socket, closed } = openRaw(port);
    socket.write(formatRequest(line, [BEARER, JSON_TYPE, 'Content-Length: 1000000'], '{'));
    const { text, status: receivedStatus } = await closed;
    assert.equal(receivedStatus, status, text.slice(0, 300));
    assert.match(text, /\r\nconnection: close\r\n/i);
  }
});

test('log: after all refusals → no line at the level of an error', () => {
  const faults = logLines.filter((line) => Number(parseJson(line).level) >= 50);
  assert.deepEqual(faults, []);
});

test('invalid_request: Host is there twice, or is no host → 400 at the API, at a page, at MCP and at unknown addresses', async () => {
  const lines = [
    'GET /api/v1/info/health',
    'GET /sign-in',
    'POST /mcp/',
    'GET /nowhere',
    'POST /api/v1/experiments',
  ];
  const wrong = [
    ['Host: localhost', 'Host: localhost'],
    ['Host: localhost', 'host: evil.example'],
    ...['a b', 'http://x', 'x/y', 'user@x', 'x:port', 'x:99999', '[::1', '[zz::1]', '"x"', 'x%zz'].map(
      (host) => [`Host: ${host}`],
    ),
  ];
  for (const line of lines)
    for (const hosts of wrong) {
      const head = [`${line} HTTP/1.1`, ...hosts, CLOSE, '', ''].join('\r\n');
      const answer = await sendRaw(port, head);
      assert.equal(answer.status, 400, head);
      if (line.includes('/api/')) assertOurs(answer, 400, 'invalid_request');
      assert.match(answer.body, /the header Host/);
    }
});

test('invalid_request: Host is a name or an address with or without a port → served', async () => {
  for (const host of [
    'localhost',
    'LAB.example.',
    'a_b.example:8080',
    '127.0.0.1:',
    '[::1]:80',
    '[::ffff:127.0.0.1]',
    '',
  ]) {
    const head = ['GET /api/v1/info/health HTTP/1.1', `Host: ${host}`, CLOSE, '', ''].join('\r\n');
    assert.equal((await sendRaw(port, head)).status, 200, host);
  }
});

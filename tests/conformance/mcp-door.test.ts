import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { getText, testService, type Json } from '#testing/service.ts';
import { bindings } from '#transports/operations.ts';
import { getAudience } from '#transports/permissions.ts';
import { clientKinds, connect, listen, parseJson } from './mcp-clients.ts';

const service = await testService();
const address = await listen(service);
const { token, logLines } = service;

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

const bearer = { authorization: `Bearer ${token}` };
const ping = (method = 'ping', params: unknown = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

async function send({
  method = 'POST',
  path = '/mcp/',
  headers = bearer,
  body = ping(),
}: Sent): Promise<Got> {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await fetch(address + path, {
    method,
    redirect: 'manual',
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { body } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parseJson(text), text };
}

/** With a `Host` of its own, which `fetch` does not send. */
function sendToHost(host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { ...bearer, host, 'content-type': 'application/json' };
  const made = httpRequest(`${address}/mcp/`, { method: 'POST', headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  made.on('error', reject);
  made.end(ping());
  return promise;
}

async function listAt(path: string, by = token) {
  const client = await connect('newest', address, by, path);
  const tools = (await client.listTools()).map(({ name }) => getText(name));
  return { tools, instructions: client.getInstructions() };
}

const getCode = (got: Got): unknown => got.body.error?.code;

test('unauthenticated: no credential, a bad one, one in the query or in a cookie → 401', async () => {
  const metadata = `${address}/.well-known/oauth-protected-resource/mcp/`;
  const refused: Sent[] = [
    { headers: {} },
    { headers: { authorization: 'Bearer nonsense' } },
    { headers: { authorization: `Basic ${token}` } },
    { headers: {}, path: `/mcp/?token=${token}&access_token=${token}` },
    { headers: { cookie: `token=${token}` } },
    // What the body is does not matter to a caller without a credential.
    { headers: {}, body: 'x'.repeat(2_000_000) },
  ];
  for (const sent of refused) {
    const got = await send(sent);
    assert.equal(got.status, 401, got.text);
    const isSent = sent.headers?.authorization === 'Bearer nonsense';
    const error = `, error="invalid_token", error_description="${getText(got.body.error)}"`;
    assert.equal(
      got.headers.get('www-authenticate'),
      `Bearer resource_metadata="${metadata}"${isSent ? error : ''}`,
    );
    assert.equal(typeof got.body.request_id, 'string');
  }
});

test('credentials: token in X-Service-Api-Key → accepted, and preferred to Authorization', async () => {
  const other = await send({ headers: { 'x-service-api-key': token } });
  assert.equal(other.status, 200, other.text);
  const both = await send({ headers: { 'x-service-api-key': token, authorization: 'Payment abc' } });
  assert.equal(both.status, 200, both.text);
  const wrong = await send({ headers: { ...bearer, 'x-service-api-key': 'nonsense' } });
  assert.equal(wrong.status, 401, wrong.text);
});

test('initialize: parameters are missing or of another type, here and in other methods → -32602 with a sentence', async () => {
  for (const [method, params, reason] of [
    ['initialize', undefined, 'params: expected object, received undefined'],
    ['initialize', { protocolVersion: 5 }, 'params.protocolVersion: expected string, received number; '],
    ['tools/call', undefined, 'params: expected object, received undefined'],
    ['tools/call', { name: 5 }, 'params.name: expected string, received number'],
    ['tools/list', { cursor: 5 }, 'params.cursor: expected string, received number'],
    ['resources/read', {}, 'params.uri: expected string, received undefined'],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params });
    const got = await send({ body });
    assert.deepEqual([got.status, got.body.id, getCode(got)], [200, 'a', -32_602], got.text);
    const sentence = getText(got.body.error?.message);
    assert.ok(sentence.startsWith(`The parameters of ${method} are not valid: ${reason}`), sentence);
    const streamed = await send({ body, headers: { ...bearer, accept: 'text/event-stream' } });
    assert.equal(streamed.text, `event: message\ndata: ${JSON.stringify(got.body)}\n\n`);
  }
});

test('metadata: with and without the slash → the resource as it was asked for, and the authorization server', async () => {
  for (const slash of ['', '/']) {
    const got = await send({ method: 'GET', path: `/.well-known/oauth-protected-resource/mcp${slash}` });
    assert.equal(got.status, 200, got.text);
    assert.deepEqual(got.body, {
      resource: `${address}/mcp${slash}`,
      resource_name: 'Assayer',
      bearer_methods_supported: ['header'],
      authorization_servers: [`${address}/auth`],
      scopes_supported: ['read', 'write'],
    });
  }
});

test('method_not_allowed: any method but POST → 405', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']) {
    const got = await send({ method });
    assert.equal(got.status, 405, `${method} ${got.text}`);
    assert.equal(got.headers.get('allow'), 'POST');
  }
  const empty = await fetch(`${address}/mcp/`, {
    method: 'DELETE',
    headers: { ...bearer, 'content-type': 'application/json' },
  });
  assert.equal(empty.status, 405);
});

test('address: without its slash → answered at once, for every kind of client', async () => {
  const got = await send({ path: '/mcp' });
  assert.equal(got.status, 200, got.text);
  const refused = await send({ path: '/mcp', headers: {} });
  assert.equal(refused.status, 401);
  assert.equal(
    refused.headers.get('www-authenticate'),
    `Bearer resource_metadata="${address}/.well-known/oauth-protected-resource/mcp"`,
  );
  assert.equal((await send({ path: '/mcp', method: 'GET' })).status, 405);
  for (const kind of clientKinds) {
    const client = await connect(kind, address, token, '/mcp');
    assert.equal((await client.call('whoami')).isError, false);
  }
});

test('body_too_large: a body beyond 16 MiB, declared or not → 413', async () => {
  const body = ping('tools/call', { name: 'health', arguments: { x: 'x'.repeat(16 * 1_048_576) } });
  const got = await send({ body });
  assert.equal(got.status, 413, got.text);
  assert.equal(got.body.code, 'body_too_large');
  const chunked = await fetch(`${address}/mcp/`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: ReadableStream.from([Buffer.from(body)]),
    duplex: 'half',
  });
  assert.equal(chunked.status, 413);
});

test('body_too_large: a message larger than its tool allows → refused, though other tools take as much', async () => {
  const note = 'x'.repeat(300 * 1_024);
  const tooLarge = await send({ body: ping('tools/call', { name: 'submit_feedback', arguments: { note } }) });
  assert.match(tooLarge.text, /body_too_large/);
  const accepted = await send({ body: ping('tools/call', { name: 'validate_exp', arguments: { note } }) });
  assert.match(accepted.text, /invalid_experiment/);
});

test('messages: anything but one JSON-RPC message → 400 with the JSON-RPC code', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const refusals: readonly [string, number][] = [
    ['{"jsonrpc":', -32_700],
    ['', -32_700],
    [`[${ping()},${ping()}]`, -32_600],
    ['[]', -32_600],
    ['7', -32_600],
    ['null', -32_600],
    [deep, -32_600],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`, -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\u0000"}}', -32_600],
  ];
  for (const [body, expected] of refusals) {
    const got = await send({ body });
    assert.equal(got.status, 400, `${body.slice(0, 60)} ${got.text}`);
    assert.equal(getCode(got), expected, body.slice(0, 60));
  }
});

test('media types: a form or plain text instead of JSON → 415', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
    const got = await send({ headers: { ...bearer, 'content-type': type } });
    assert.equal(got.status, 415, got.text);
  }
});

test('Accept: JSON, an event stream or nothing → the answer has the requested form, JSON by default', async () => {
  for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
    const got = await send({ headers: { ...bearer, accept } });
    assert.equal(got.status, 200, got.text);
    assert.match(got.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(got.body.result, {});
  }
  const stream = await send({ headers: { ...bearer, accept: 'text/event-stream' } });
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.match(stream.text, /^data: \{.*"result":\{\}/m);
});

test('Host and Origin: a foreign host name or website → 403', async () => {
  const { port } = new URL(address);
  assert.equal(await sendToHost(`127.0.0.1:${port}`), 200);
  assert.equal(await sendToHost(`localhost:${port}`), 200);
  for (const host of ['attacker.example', `attacker.example:${port}`, '127.0.0.1.attacker.example']) {
    assert.equal(await sendToHost(host), 403, host);
  }
  assert.equal((await send({ headers: { ...bearer, origin: address } })).status, 200);
  for (const origin of ['https://attacker.example', 'null', 'file://', 'http://localhost.attacker.example']) {
    const got = await send({ headers: { ...bearer, origin } });
    assert.equal(got.status, 403, `${origin} ${got.text}`);
  }
});

test('protocol 2026-07-28: a header contradicts the body → 400', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = ping('tools/call', { name: 'whoami', arguments: {}, _meta: meta });
  const headers = { ...bearer, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
  const right = await send({ body, headers: { ...headers, 'mcp-name': 'whoami' } });
  assert.equal(right.status, 200, right.text);
  for (const wrong of [{ 'mcp-name': 'create_exp' }, { 'mcp-name': 'whoami', 'mcp-method': 'tools/list' }]) {
    const got = await send({ body, headers: { ...headers, ...wrong } });
    assert.equal(got.status, 400, got.text);
  }
  const listening = await send({
    body: ping('subscriptions/listen', { _meta: meta }),
    headers: { ...headers, 'mcp-method': 'subscriptions/listen' },
  });
  assert.equal(getCode(listening), -32_601, listening.text);
});

test('messages: unknown methods, tools and resources → JSON-RPC errors that do not repeat the name', async () => {
  const answers = [
    [ping('nothing/here'), -32_601],
    [ping('tools/call', { name: 'drop_tables', arguments: {} }), -32_602],
    [ping('tools/call', { name: 'constructor', arguments: {} }), -32_602],
    [ping('tools/call', { name: 'toString' }), -32_602],
    [ping('tools/call', { name: 'list_target' }), -32_602],
    [ping('resources/read', { uri: 'file:///etc/passwd' }), -32_602],
  ] as const;
  for (const [body, expected] of answers) {
    const got = await send({ body });
    assert.equal(getCode(got), expected, got.text);
    assert.doesNotMatch(got.text, /drop_tables|passwd/);
    assert.equal(got.text.includes('Did you mean'), JSON.stringify(body).includes('list_target'));
  }
});

test('tools/list: a caller of the staff in a sandbox → the tools of the lab only where the address asks for them, each callable either way', async () => {
  const { tools: usual, instructions } = await listAt('/mcp/');
  const { tools: all, instructions: whole } = await listAt('/mcp/?tools=all');
  const offered = bindings.map(({ operation }) => operation).filter(({ isTool }) => isTool !== false);
  const [staff, others] = [true, false].map((isStaff) =>
    offered.filter((each) => (getAudience(each) === 'staff') === isStaff).map(({ id }) => id),
  );
  assert.deepEqual(usual.toSorted(), others?.toSorted());
  assert.deepEqual(all.toSorted(), [...(staff ?? []), ...(others ?? [])].toSorted());
  assert.match(instructions ?? '', /`\?tools=all` behind the address/);
  assert.doesNotMatch(whole ?? '', /tools=all/);
  const called = await send({ body: ping('tools/call', { name: 'list_lab_experiments', arguments: {} }) });
  assert.equal(called.body.result?.isError, undefined, called.text);
});

test('tools/list: a caller of the staff in a live environment → the tools of the lab, too', async () => {
  const live = await testService({ ENVIRONMENT: 'live' });
  const client = await connect('newest', await listen(live), live.token, '/mcp/');
  const names = new Set((await client.listTools()).map(({ name }) => getText(name)));
  assert.ok(names.has('list_lab_experiments') && names.has('create_exp'));
  assert.doesNotMatch(client.getInstructions() ?? '', /tools=all/);
});

test('tools/list: a member → the same list either way; another value of `tools` → 400', async () => {
  const member = await service.issueToken({ role: 'member' });
  const { tools, instructions } = await listAt('/mcp/', member);
  assert.deepEqual((await listAt('/mcp/?tools=all', member)).tools, tools);
  assert.doesNotMatch(instructions ?? '', /tools=all/);
  for (const path of ['/mcp/?tools=lab', '/mcp/?tools=', '/mcp/?tools=all&tools=all']) {
    const got = await send({ path });
    assert.equal(got.status, 400, got.text);
    assert.match(got.text, /can only be `all`/);
  }
});

test('secrets: all requests of this file → no line of the log holds a token', () => {
  assert.ok(logLines.length > 20);
  assert.equal(logLines.filter((line) => line.includes(token) || line.includes('nonsense')).length, 0);
});

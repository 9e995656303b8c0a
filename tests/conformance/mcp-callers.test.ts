import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setMembership } from '#features/organizations/store.ts';
import { grantByOperator } from '#core/grants.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { createBuilders, expectStatus, UNKNOWN_ID, VHH } from '#testing/builders.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';
import { getBinding } from '#transports/operations.ts';
import { callWithoutClient, clientKinds, connect, listen } from './mcp-clients.ts';

const service = await testService();
const address = await listen(service);
const build = await createBuilders(service);
const { ask, issueToken, token, logLines } = service;

const CALLERS = Number(process.env.ASSAYER_MCP_CALLERS ?? '40');
const CALLS_EACH = 2;

function removeId(body: Json): unknown {
  return { ...body, request_id: typeof body.request_id };
}

test(`concurrency: ${CALLERS} callers at once → each sees its own organization only`, async () => {
  const callers: { token: string; code: string; user: string; kind: (typeof clientKinds)[number] }[] = [];
  for (let index = 0; index < CALLERS; index++) {
    const own = await issueToken({ ownOrganization: true });
    const { code } = await build.create(undefined, { token: own });
    const user = getText((await ask('GET', '/whoami', { token: own })).body.user_id);
    callers.push({ token: own, code, user, kind: clientKinds[index % clientKinds.length] });
  }
  const codes = new Set(callers.map(({ code }) => code));
  assert.equal(codes.size, CALLERS);
  const seen = await Promise.all(
    callers.map(async (caller) => {
      const client = await connect(caller.kind, address, caller.token);
      const rounds = await Promise.all(
        Array.from({ length: CALLS_EACH }, async () => [
          await client.call('whoami'),
          await client.call('list_experiments'),
          await client.call('get_exp_info', { experiment_id: caller.code }),
        ]),
      );
      return { caller, answers: rounds.flat() };
    }),
  );
  for (const { caller, answers } of seen) {
    for (const answer of answers) {
      assert.equal(answer.isError, false, answer.text);
      const foreign = [...codes].filter((code) => code !== caller.code && answer.text.includes(`"${code}"`));
      assert.deepEqual(foreign, []);
    }
    for (let index = 0; index < answers.length; index += 3) {
      assert.equal(answers[index]?.body.user_id, caller.user);
      assert.deepEqual(
        getItems(answers[index + 1]?.body.items).map((item) => item.code),
        [caller.code],
      );
    }
  }
});

test('organizations: a record of another organization → the same answer as for a record that does not exist', async () => {
  const { id, code, quoteId, invoiceId } = await build.createInvoiced();
  const stranger = await connect('newest', address, await issueToken({ ownOrganization: true }));
  const pairs = [
    ['get_exp_info', { experiment_id: id }, { experiment_id: UNKNOWN_ID }],
    ['get_exp_info', { experiment_id: code }, { experiment_id: 'NONE-001-001' }],
    ['modify_exp', { experiment_id: id, name: 'mine' }, { experiment_id: UNKNOWN_ID, name: 'mine' }],
    ['submit_experiment', { experiment_id: id }, { experiment_id: UNKNOWN_ID }],
    ['delete_exp', { experiment_id: id }, { experiment_id: UNKNOWN_ID }],
    ['get_quote_info', { quote_id: quoteId }, { quote_id: 'qt_00000000000000000000000000000000' }],
    ['get_invoice', { invoice_id: invoiceId }, { invoice_id: UNKNOWN_ID }],
    ['pay_invoice', { invoice_id: invoiceId }, { invoice_id: UNKNOWN_ID }],
    ['get_experiment_results', { experiment_id: id }, { experiment_id: UNKNOWN_ID }],
  ] as const;
  for (const [name, theirs, unknown] of pairs) {
    const [foreign, missing] = [await stranger.call(name, theirs), await stranger.call(name, unknown)];
    assert.equal(foreign.isError, true, `${name} ${foreign.text}`);
    assert.match(getText(foreign.body.code), /_not_found$/);
    assert.deepEqual(removeId(foreign.body), removeId(missing.body), name);
  }
});

for (const kind of clientKinds) {
  test(`${kind} client: its token is revoked → the next call is refused`, async () => {
    const own = await issueToken();
    const client = await connect(kind, address, own);
    assert.equal((await client.call('whoami')).isError, false);
    expectStatus(await ask('POST', '/tokens/revoke', { token: own }), 200);
    await assert.rejects(client.call('whoami'), /401|nauthorized|revoked/);
    await assert.rejects(client.listTools(), /401|nauthorized|revoked/);
  });
}

test('membership: a caller is demoted → it loses the tools at the next call', async () => {
  const own = await issueToken({ role: 'member' });
  const client = await connect('newest', address, own);
  const before = (await client.listTools()).length;
  const me = (await ask('GET', '/whoami', { token: own })).body;
  const { database } = service.service;
  const organizationId = getText(me.active_organization_id);
  const grant = grantByOperator({ organizationId, role: 'viewer' });
  const membership = { user_id: getText(me.user_id), at: service.clock.now() };
  await database.runTransaction((tx) =>
    setMembership(createOrganizationScope(organizationId), tx, grant, membership),
  );
  const fresh = await connect('newest', address, own);
  assert.ok((await fresh.listTools()).length < before);
  assert.equal((await client.call('create_exp', build.createBody())).body.code, 'permission_denied');
});

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  ' ',
  "'; drop table experiments; --",
  '../../../etc/passwd',
  '%00',
  '{{7*7}}',
  'é'.repeat(5_000),
  [],
  ['a', ['b']],
  {},
  { toString: 1, constructor: { prototype: {} }, length: -1 },
];

const isWhole = process.env['ASSAYER_INJECTION'] === 'whole';
/** By day each argument meets this many values, and the next argument those that follow: five arguments meet all. */
const VALUES_EACH = 3;

function pickHostile(argument: number): readonly unknown[] {
  if (isWhole) return HOSTILE;
  const start = (argument * VALUES_EACH) % HOSTILE.length;
  return HOSTILE.slice(start, start + VALUES_EACH);
}

test('hostile arguments: any value in any argument → a success or an expected failure', async () => {
  const own = await issueToken({ ownOrganization: true, isStaff: true });
  const client = await connect('default', address, own, '/mcp/?tools=all');
  const codes = new Set<unknown>();
  let argumentCount = 0;
  for (const tool of await client.listTools()) {
    const name = getText(tool.name);
    // It would end the test's own token.
    if (name === 'revoke_token') continue;
    const { params, body } = getBinding(name).operation.example;
    const example = { ...params, ...(typeof body === 'object' ? body : {}) };
    for (const key of Object.keys(tool.inputSchema?.properties ?? {})) {
      for (const value of pickHostile(argumentCount++)) {
        const answer = await callWithoutClient(service, own, name, { ...example, [key]: value });
        if (answer.isError) codes.add(answer.body.code);
        assert.notEqual(answer.body.code, 'internal_error', `${name} ${key} ${JSON.stringify(value)}`);
      }
    }
  }
  assert.ok(codes.has('invalid_request') && codes.has('invalid_query') && codes.has('invalid_experiment'));
  assert.equal(logLines.filter((line) => line.includes('"level":50')).length, 0);
});

test('invalid_request: unknown argument names, also those that every object has → refused by name', async () => {
  const client = await connect('newest', address, token, '/mcp/?tools=all');
  for (const tool of await client.listTools()) {
    const name = getText(tool.name);
    const answer = await client.call(name, { constructor: 1, toString: 2, hasOwnProperty: 3 });
    const code = getBinding(name).operation.inspect === undefined ? 'invalid_request' : 'invalid_experiment';
    assert.equal(answer.body.code, code, `${name} ${answer.text}`);
    assert.deepEqual(
      getItems(answer.body.problems)
        .filter(({ message }) => !/is required/.test(getText(message)))
        .map(({ path }) => getText(path)),
      ['constructor', 'toString', 'hasOwnProperty'],
    );
  }
});

test('invalid_request: an argument is misnamed → the one that is required is named before it', async () => {
  const client = await connect('newest', address, token, '/mcp/?tools=all');
  const refused = await client.call('pay_invoice', { id: 'in_1', payment_method: 7 });
  assert.equal(
    refused.body.error,
    'The request is not valid: payment_method: must be string (and 2 more).',
    refused.text,
  );
  assert.deepEqual(refused.body.problems, [
    { path: 'payment_method', message: 'must be string' },
    { path: 'invoice_id', message: 'is required' },
    { path: 'id', message: 'is not a known field' },
  ]);
});

test('internal_error: an unexpected exception in a tool → the answer says only "internal error"', async () => {
  const broken = await testService();
  const brokenAddress = await listen(broken);
  const client = await connect('default', brokenAddress, broken.token);
  await broken.service.database.read.query('alter table targets rename to targets_away');
  const answer = await client.call('list_targets');
  assert.equal(answer.isError, true);
  assert.deepEqual(removeId(answer.body), {
    error: 'internal error',
    request_id: 'string',
    code: 'internal_error',
  });
  assert.ok(broken.logLines.some((line) => line.includes('"level":50') && line.includes('list_targets')));
});

test('rate_limited: a flood of MCP requests → 429 with Retry-After, as by REST', async () => {
  const limited = await testService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '5' });
  const limitedAddress = await listen(limited);
  const statuses: number[] = [];
  for (let index = 0; index < 8; index++) {
    const answer = await fetch(`${limitedAddress}/mcp/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${limited.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: index, method: 'ping' }),
    });
    statuses.push(answer.status);
    await answer.text();
    if (answer.status === 429) assert.equal(answer.headers.get('retry-after'), '1');
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
  assert.equal((await limited.ask('GET', '/whoami')).status, 429);
});

test('list_sequences: the tool takes the name of a sequence, as REST does → that sequence alone', async () => {
  const sequences = { 'named-one': VHH, 'named-two': VHH };
  const { code } = await build.create(build.createBody({ sequences }));
  const query = { experiment_id: code, name: 'named-two' };
  const client = await connect('newest', address, token);
  const called = await client.call('list_sequences', query);
  assert.equal(called.isError, false, called.text);
  const asked = expectStatus(await ask('GET', `/sequences?${new URLSearchParams(query).toString()}`), 200);
  for (const { items } of [called.body, asked.body])
    assert.deepEqual(
      getItems(items).map(({ name }) => name),
      ['named-two'],
    );
});

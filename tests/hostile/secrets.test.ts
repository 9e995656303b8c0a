import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRecordedService } from '#testing/recorder.ts';

const service = await createRecordedService({ LOG_LEVEL: 'debug' });
const { ask, clock, issueToken, token, logLines, runLab } = service;
const { read } = service.service.database;
const { createBody, create, createInvoiced, pay } = await createBuilders(service);

/** Found in no log and no refusal: a sequence, the secret of a webhook, tokens, and what a body held. */
const SEQUENCE = 'WWCANARYWWCANARYWWCANARY';
const SECRET = 'canary-webhook-secret-0123456789abcdef';
const NOTE = 'canary-note';
const CANARIES = [SEQUENCE, SEQUENCE.slice(0, 12), SECRET, NOTE, token.slice(9), token.slice(-43)];

const PROTOCOL_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const spec = {
  sequences: { hidden: SEQUENCE },
  n_replicates: 1,
  parameters: { sandbox: { force: 'binder' }, note: NOTE },
};
const whole = createBody(spec, {
  webhook_secret: SECRET,
  webhook_url: 'https://example.org/hook',
  description: NOTE,
});

function assertSilent(where: string, text: string): void {
  for (const canary of CANARIES) assert.ok(!text.includes(canary), `${where} holds ${canary.slice(0, 12)}…`);
  assert.doesNotMatch(text, /asy_(test|live)_/, where);
}

const assertSilentLog = () => assertSilent('the log', logLines.join('\n'));

test('secrets: an experiment from draft to results → no secret in the log', async () => {
  const open = await createInvoiced(whole);
  await pay(open);
  await runLab();
  assert.equal((await ask('GET', `/experiments/${open.id}`)).body.status, 'done');
  assert.ok(logLines.length > 5);
  assertSilentLog();
});

test('secrets: any refusal → repeats no secret, neither in its body nor in the log', async () => {
  const { id, code } = await create(whole);
  const lost = await issueToken({ role: 'viewer' });
  const refusals = [
    await ask('POST', '/experiments', { payload: `{"webhook_secret":"${SECRET}",` }),
    await ask('POST', '/experiments', { payload: SEQUENCE }),
    await ask('POST', '/experiments', { body: createBody({ sequences: { a: `${SEQUENCE}1` } }) }),
    await ask('POST', '/sequences', {
      body: { experiment_code: code, sequences: [{ aa_string: `${SEQUENCE}1` }] },
    }),
    await ask('PATCH', `/experiments/${id}`, {
      body: { webhook_secret: 5, description: NOTE, status: NOTE },
    }),
    await ask('GET', '/whoami', { token: `${token}x` }),
    await ask('GET', '/whoami', { token: token.slice(0, -3) }),
    await ask('POST', '/experiments', { token: lost, body: whole }),
    await ask('GET', '/whoami', { token: null, headers: { authorization: `Basic ${token}` } }),
  ];
  for (const { status, text } of refusals) {
    assert.ok(status >= 400 && status < 500, text);
    assertSilent('a refusal', text);
  }
  assertSilentLog();
});

test('secrets: a search for a sequence → the log does not hold the sequence', async () => {
  expectStatus(await ask('GET', `/sequences?search=${SEQUENCE}`), 200);
  expectFailure(await ask('GET', `/sequences?filter=eq(aa,${SEQUENCE}`), 400, 'invalid_query');
  assertSilentLog();
});

test('secrets: a refusal that repeats the requested path → its line in the log does not', async () => {
  const refusals = [
    await ask('GET', `//${SEQUENCE}`),
    await ask('GET', `/nothing/${SECRET}`),
    await ask('POST', '/tokens/revoke', { body: { [NOTE]: 1 } }),
    await ask('GET', `/experiments?${NOTE}=1`),
    await ask('POST', '//mcp/', {
      headers: { accept: 'application/json' },
      payload: `{"jsonrpc":"2.0","id":1,"method":"ping","${NOTE}\\u0000":1}`,
    }),
    await ask('GET', `//${NOTE}`, { headers: { accept: 'text/html' } }),
    await ask('POST', '//mcp/', {
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
      body: { jsonrpc: '2.0', id: 1, method: NOTE, params: { _meta: PROTOCOL_META } },
    }),
  ];
  for (const { status, text } of refusals) assert.ok(status >= 400 && status < 500, text);
  assert.ok(
    refusals.some(({ text }) => text.includes(SECRET)),
    'no refusal repeats what was sent',
  );
  assertSilentLog();
});

test('secrets: the audit log → holds who did what and no secret', async () => {
  const rows = await read.query<{ row: string }>('select row_to_json(a)::text as row from audit_log a');
  assert.ok(rows.length > 0);
  for (const { row } of rows) assertSilent('the audit trail', row);
});

test('internal_error: a statement fails → the answer shows neither the statement nor its row', async () => {
  await read.query(`alter table sequences add constraint broken check (length < 1) not valid`);
  const failed = await ask('POST', '/experiments', { body: whole });
  expectFailure(failed, 500, 'internal_error');
  assertSilent('a 500', failed.text);
  assert.doesNotMatch(failed.text, /constraint|sequences|check|row/i);
  assert.ok(logLines.some((line) => line.includes('violates check constraint')));
  assertSilentLog();
  await read.query('alter table sequences drop constraint broken');
});

test('internal_error: a job fails → the log says why and does not show the row', async () => {
  await createInvoiced(whole);
  const check = `name <> 'Materials arrived'`;
  await read.query(`alter table updates add constraint broken check (${check}) not valid`);
  clock.advance(30 * DAY_MS);
  await service.service.worker.runDue();
  const failure = logLines.find((line) => line.includes('a job failed')) ?? '';
  assert.match(failure, /violates check constraint/);
  assert.doesNotMatch(failure, /Failing row contains/);
  assertSilentLog();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { createRecordedService } from '#testing/recorder.ts';
import { writes } from '#testing/binding-kinds.ts';
import { createFreshRequest, send, type Request } from '#testing/requests.ts';
import { getItems, askPatiently, type TestAnswer } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken, clock } = service;
const { read } = service.service.database;
const build = await createBuilders(service);

function askAtOnce(count: number, question: (index: number) => Promise<TestAnswer>): Promise<TestAnswer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => question(index)));
}

function tally(answers: readonly TestAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function assertOneInvoice(experimentId: string): Promise<void> {
  const filter = encodeURIComponent(`eq(experiment_id,${experimentId})`);
  assert.equal((await ask('GET', `/invoices?filter=${filter}`)).body.total, 1);
  await assertLedger();
}

async function assertLedger(): Promise<void> {
  assert.deepEqual(await checkLedger(labScope, read), []);
}

/** Every row that a write may leave, counted: two equal counts mean that nothing more happened. */
async function countRows(): Promise<string> {
  const tables = [
    'experiments',
    'sequences',
    'quotes',
    'invoices',
    'updates',
    'audit_log',
    'ledger_transactions',
    'ledger_entries',
    'processor_payments',
    'jobs',
    'target_requests',
  ];
  const parts = tables.map((table) => `(select count(*) from ${table})`);
  const [row] = await read.query<{ counts: string }>(`select concat_ws(' ', ${parts.join(', ')}) as counts`);
  return row?.counts ?? '';
}

test('quote_already_accepted: 100 confirmations at once → one succeeds and one invoice exists', async () => {
  const { id, quoteId } = await build.createQuoted();
  const answers = await askAtOnce(100, (index) =>
    askPatiently(() =>
      index % 2 === 0
        ? ask('POST', `/quotes/${quoteId}/confirm`, { body: {} })
        : ask('POST', `/experiments/${id}/quote/confirm`, { body: {} }),
    ),
  );
  assert.deepEqual(tally(answers), { 200: 1, 409: 99 });
  for (const answer of answers.filter(({ status }) => status === 409))
    expectFailure(answer, 409, 'quote_already_accepted');
  await assertOneInvoice(id);
});

/** How often a write is sent at once with one key: enough by day for one that is first, one that waits and one behind it. */
const COPIES = Number(process.env['ASSAYER_RACE_COPIES'] ?? '4');
const ENDS_ITS_TOKEN = new Set(['revoke_token', 'revoke_token_by_id']);

for (const { operation } of writes) {
  test(`idempotency_key: ${operation.id} sent ${COPIES} times at once → one effect and one answer`, async () => {
    const request = await createFreshRequest(operation, build, null);
    const token = await issueToken({ role: 'admin', isStaff: true, isPartner: true });
    const headers = { 'idempotency-key': `key-of-${operation.id}` };
    const answers = await askAtOnce(COPIES, () => send(ask, operation, request, { token, headers }));
    const status = operation.success ?? 200;
    // A revoked token opens no door again, not even for a repetition.
    const isRefused = ({ body }: TestAnswer) =>
      ENDS_ITS_TOKEN.has(operation.id) && JSON.stringify(body.code) === '"token_revoked"';
    const answered = answers.filter((answer) => !isRefused(answer));
    const [head] = answered;
    assert.ok(head !== undefined);
    const first = hideShown(operation, head);
    for (const answer of answered) {
      expectStatus(answer, status);
      assert.equal(hideShown(operation, answer), first);
    }
    const replayed = answered.filter(({ headers: sent }) => sent['idempotency-replayed'] === 'true');
    assert.equal(replayed.length, answered.length - 1);
    if (ENDS_ITS_TOKEN.has(operation.id)) return;
    const before = await countRows();
    const late = expectStatus(await send(ask, operation, request, { token, headers }), status);
    assert.equal(hideShown(operation, late), first);
    assert.equal(await countRows(), before);
    const other = changeRequest(operation, request);
    if (other !== undefined) {
      const refused = await send(ask, operation, other, { token, headers });
      expectFailure(refused, 422, 'idempotency_key_reused');
    }
    await assertLedger();
  });
}

/** The answer without what only the first one shows. */
function hideShown({ shownOnce: name }: Operation, { text, body }: TestAnswer): string {
  if (name === undefined) return text;
  return JSON.stringify({ ...body, [name]: null, [`${name}_was_shown`]: null });
}

/** Another valid request for the same address; undefined where there is only one. */
function changeRequest(operation: Operation, request: Request): Request | undefined {
  if (request.file !== undefined) return { ...request, file: `${request.file}\n` };
  const body = changeBody(operation, request.body);
  return body === undefined ? undefined : { ...request, body };
}

function changeBody({ id }: Operation, body: unknown): unknown {
  if (id.startsWith('confirm_')) return { purchase_order_number: 'PO-2' };
  if (typeof body !== 'object' || body === null) return undefined;
  if ('name' in body) return { ...body, name: 'another' };
  if ('reason' in body) return { ...body, reason: 'other' };
  return 'sequences' in body ? { ...body, sequences: [{ aa_string: 'ACDE' }] } : undefined;
}

test('idempotency_key: ten equal creations without a key → ten experiments', async () => {
  const answers = await askAtOnce(10, () => ask('POST', '/experiments', { body: build.createBody() }));
  assert.deepEqual(tally(answers), { 201: 10 });
  const codes = new Set(answers.map(({ body }) => JSON.stringify(body.experiment_code)));
  assert.equal(codes.size, 10);
});

test('idempotency_key_reused: two callers of one organization use the same key → 422 for the second', async () => {
  const headers = { 'idempotency-key': 'shared' };
  const [one, two] = [await issueToken({ role: 'member' }), await issueToken({ role: 'member' })];
  expectStatus(await ask('POST', '/tokens/revoke', { token: one, headers }), 200);
  expectFailure(await ask('POST', '/tokens/revoke', { token: two, headers }), 422, 'idempotency_key_reused');
  expectStatus(await ask('GET', '/whoami', { token: two }), 200);
});

test('idempotency_key: a request is refused → its key stays free for the same request', async () => {
  const headers = { 'idempotency-key': 'tried-early' };
  const { id } = await build.create();
  const confirm = () => ask('POST', `/experiments/${id}/quote/confirm`, { body: {}, headers });
  expectFailure(await confirm(), 409, 'quote_not_open');
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  expectStatus(await confirm(), 200);
  expectStatus(await confirm(), 200);
});

test('move_not_allowed: confirm, reject and cancel at once → one wins', async () => {
  for (let round = 0; round < 12; round++) {
    const { id, quoteId } = await build.createQuoted();
    const paths = [
      () => ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }),
      () => ask('POST', `/quotes/${quoteId}/reject`, { body: { reason: 'price' } }),
      () => ask('POST', `/experiments/${id}/cancel`),
    ];
    const order = [0, 1, 2].map((index) => (index + round) % 3);
    const answers = await Promise.all(
      order.flatMap((index) => [paths[index], paths[index]]).map((one) => one?.()),
    );
    const won = answers.filter((answer) => answer?.status === 200);
    const { body: detail } = await ask('GET', `/experiments/${id}`);
    // A rejected experiment is a draft again, and a draft can be canceled: the only pair that may both succeed.
    const state = JSON.stringify(detail.status);
    const both = won.length === 2 && state === '"canceled"';
    assert.ok(won.length === 1 || both, `${won.length} winners, ${state}`);
    const filter = encodeURIComponent(`eq(experiment_id,${id})`);
    const { body: quotes } = await ask('GET', `/quotes?filter=${filter}`);
    const alive = getItems(quotes.items).filter((quote) =>
      /draft|open|accepted/.test(JSON.stringify(quote.status)),
    );
    assert.equal(alive.length, state === '"canceled"' ? 0 : 1);
  }
  await assertLedger();
});

test('record_bank_transfer: recorded 20 times at once → collected once', async () => {
  const open = await build.createInvoiced();
  const path = `/lab/invoices/${open.invoiceId}/bank-transfer`;
  const answers = await askAtOnce(20, () => ask('POST', path));
  assert.deepEqual(tally(answers), { 201: 20 });
  await Promise.all([service.service.worker.runDue(), service.service.worker.runDue()]);
  assert.equal((await ask('GET', `/invoices/${open.invoiceId}`)).body.status, 'paid');
  await assertOneInvoice(open.id);
});

test('send_invoice: sent 20 times at once → numbered and posted once', async () => {
  const { id, invoiceId } = await build.createAutoAccepted();
  const answers = await askAtOnce(20, () => ask('POST', `/lab/invoices/${invoiceId}/send`));
  assert.deepEqual(tally(answers), { 200: 20 });
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  await assertOneInvoice(id);
});

test('add_sequences: 20 additions at once → every sequence is kept', async () => {
  const { id, code } = await build.create();
  const answers = await askAtOnce(20, (index) =>
    ask('POST', '/sequences', {
      body: { experiment_code: code, sequences: [{ name: `n${index}`, aa_string: 'ACDEFGHIK' }] },
    }),
  );
  assert.deepEqual(tally(answers), { 201: 20 });
  const { body: detail } = await ask('GET', `/experiments/${id}`);
  assert.equal(getItems(detail.sequences).length, 21);
  assert.equal(detail.costs.breakdown.assay.sequence_count, 21);
});

test('idempotency_key: an estimate or a validation is repeated with its key → the first answer; another body → 422', async () => {
  const whole = build.createBody();
  for (const [path, body] of [
    ['/experiments/validate', whole],
    ['/experiments/cost-estimate', { experiment_spec: whole.experiment_spec }],
  ] as const) {
    const headers = { 'idempotency-key': `computed ${path}`.replace(' ', '') };
    const first = expectStatus(await ask('POST', path, { body, headers }), 200);
    const second = expectStatus(await ask('POST', path, { body, headers }), 200);
    assert.equal(second.text, first.text);
    assert.equal(second.headers['idempotency-replayed'], 'true');
    const other = { ...body, experiment_spec: { ...whole.experiment_spec, n_replicates: 5 } };
    expectFailure(await ask('POST', path, { body: other, headers }), 422, 'idempotency_key_reused');
  }
});

test('idempotency_key: the same request a day later → the first answer', async () => {
  const headers = { 'idempotency-key': 'kept' };
  const first = await ask('POST', '/experiments', { body: build.createBody(), headers });
  clock.advance(24 * 3_600_000);
  assert.equal((await ask('POST', '/experiments', { body: build.createBody(), headers })).text, first.text);
});

/** The rail mpp-spt over the sandbox's own processor of test tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Receipt } from 'mppx';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { holdFirstDrive } from '#testing/held-drive.ts';
import { serializeCredential, MPP, createTokenPayer } from '#testing/payment-client.ts';
import { getItems, getNumber, testService, getText } from '#testing/service.ts';
import { callTool } from '#testing/tool-call.ts';

const service = await testService();
const { ask, clock } = service;
const { read } = service.service.database;
const { orderByToken, readChallenge, answer, payByToken, createInvoiced } = await createTokenPayer(service);

async function mint(cents: number, besides: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const body = { max_amount_cents: cents, ...besides };
  return getText(expectStatus(await ask('POST', '/sandbox/payment-tokens', { body }), 201).body.spt);
}

const readStatus = async (id: string) => getText((await ask('GET', `/invoices/${id}`)).body.status);

async function countCharges(invoiceId: string): Promise<number> {
  const rows = await read.query<{ count: number }>(
    `select count(*) as count from test_charges where invoice_id = $1 and status = 'charged'`,
    [invoiceId],
  );
  return rows[0]?.count ?? -1;
}

test('mpp-spt: an order is paid by token → one charge over the cents of the invoice', async () => {
  const id = await orderByToken();
  const invoice = (await ask('GET', `/invoices/${id}`)).body;
  const challenge = await readChallenge(id);
  assert.equal(challenge.method, 'stripe');
  assert.equal(challenge.intent, 'charge');
  assert.equal(challenge.request.amount, String(getNumber(invoice.total_cents)));
  assert.equal(challenge.request.externalId, id);
  assert.match(challenge.id, /^[\w-]{22}$/, '128 bits');
  const lifeMs = Date.parse(challenge.expires ?? '') - clock.now().getTime();
  assert.equal(lifeMs, 300_000);

  const paid = expectStatus(
    await answer(id, serializeCredential(challenge, await mint(getNumber(invoice.total_cents)), id)),
    200,
  );
  assert.equal(paid.body.status, 'paid');
  assert.equal(paid.body.already_paid, false);
  const reference = paid.body.settlement_reference;
  assert.equal(reference.type, 'provider_payment_intent');
  assert.match(getText(reference.payment_intent_id), /^pi_/);
  const again = expectStatus(await ask('POST', `/invoices/${id}/pay`, { headers: MPP }), 200);
  for (const { headers } of [paid, again])
    assert.deepEqual(Receipt.deserialize(headers['payment-receipt'] ?? ''), {
      method: 'stripe',
      reference: reference.payment_intent_id,
      status: 'success',
      timestamp: clock.now().toISOString(),
    });
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('credentials: token header, payment header or both → payment needs both, else 402 or 401', async () => {
  const id = await orderByToken();
  const path = `/invoices/${id}/pay`;
  const key = { 'x-service-api-key': service.token };
  expectFailure(
    await ask('POST', path, { token: null, headers: { ...MPP, ...key } }),
    402,
    'payment_required',
  );
  const challenge = await readChallenge(id);
  const credential = serializeCredential(challenge, await mint(99_999), id);
  const withoutKey = await ask('POST', path, { token: null, headers: { ...MPP, authorization: credential } });
  expectFailure(withoutKey, 401, 'unauthenticated');
  assert.match(
    getText(withoutKey.body.error),
    /send "X-Service-Api-Key: <token>" beside "Authorization: Payment …"/,
  );
  // Both at once on the first call: the token of the key header is the caller.
  expectFailure(await ask('POST', path, { headers: { ...MPP, ...key } }), 402, 'payment_required');
  expectStatus(await answer(id, credential), 200);
});

test('payment_credential_mismatch: an unreadable, unknown, foreign, changed or expired challenge → 409 and no charge', async () => {
  const id = await orderByToken();
  const other = await orderByToken();
  const challenge = await readChallenge(id);
  const spt = await mint(99_999);
  const mismatches = [
    'Payment',
    'Payment !!!',
    serializeCredential({ ...challenge, id: 'AAAAAAAAAAAAAAAAAAAAAA' }, spt, id),
    serializeCredential({ ...challenge, realm: 'elsewhere.example' }, spt, id),
    serializeCredential({ ...challenge, expires: '2030-01-01T00:00:00.000Z' }, spt, id),
    serializeCredential({ ...challenge, request: { ...challenge.request, amount: '1' } }, spt, id),
    serializeCredential(challenge, spt, other),
    serializeCredential(await readChallenge(other), spt, other),
  ];
  for (const credential of mismatches)
    expectFailure(await answer(id, credential), 409, 'payment_credential_mismatch');
  clock.advance(300_001);
  expectFailure(
    await answer(id, serializeCredential(challenge, spt, id)),
    409,
    'payment_credential_mismatch',
  );
  assert.equal(await countCharges(id), 0);
  expectStatus(await payByToken(id, spt), 200);
});

test('payment_declined: an unknown, expired, used or too small token → 422 before any charge', async () => {
  const id = await orderByToken();
  const expired = await mint(99_999, { expires_in_s: 1 });
  const used = await mint(99_999);
  expectStatus(await payByToken(await orderByToken(), used), 200);
  clock.advance(2_000);
  for (const token of ['spt_test_unknown', expired, await mint(1)])
    expectFailure(await payByToken(id, token), 422, 'payment_declined');
  // A used token belongs to the invoice that it paid.
  const spent = expectFailure(await payByToken(id, used), 422, 'payment_declined');
  assert.match(getText(spent.body.error), /given for another invoice; mint a new one/);
  const [row] = await read.query<{ count: number }>(
    'select count(*) as count from test_charges where invoice_id = $1',
    [id],
  );
  assert.equal(row?.count, 0, 'the processor was not asked to charge');
});

test('payment_declined: a declined card, then another → the second pays in its own attempt', async () => {
  const id = await orderByToken();
  const bad = await mint(99_999, { behavior: 'declines' });
  expectFailure(await payByToken(id, bad), 422, 'payment_declined');
  expectFailure(await payByToken(id, bad), 422, 'payment_declined');
  expectStatus(await payByToken(id, await mint(99_999)), 200);
  const attempts = await read.query<{ n: number; state: string }>(
    'select n, state from payment_attempts where invoice_id = $1 order by n',
    [id],
  );
  assert.deepEqual(attempts, [
    { n: 1, state: 'refused' },
    { n: 2, state: 'paid' },
  ]);
});

test('already_paid: the call is repeated with any credential or none → the charge already made', async () => {
  const id = await orderByToken();
  const challenge = await readChallenge(id);
  const credential = serializeCredential(challenge, await mint(99_999), id);
  const first = expectStatus(await answer(id, credential), 200);
  for (const again of [
    await answer(id, credential),
    await answer(id, serializeCredential(challenge, await mint(99_999), id)),
    await ask('POST', `/invoices/${id}/pay`, { headers: MPP }),
  ]) {
    expectStatus(again, 200);
    assert.equal(again.body.already_paid, true);
    assert.deepEqual(again.body.settlement_reference, first.body.settlement_reference);
    assert.equal(again.headers['payment-receipt'], first.headers['payment-receipt']);
  }
  assert.equal(await countCharges(id), 1);
});

test('hazard: five tokens at once → one charge', async () => {
  const id = await orderByToken();
  const challenge = await readChallenge(id);
  const tokens = await Promise.all(Array.from({ length: 5 }, () => mint(99_999)));
  const answers = await Promise.all(tokens.map((spt) => answer(id, serializeCredential(challenge, spt, id))));
  for (const { status, text } of answers) assert.ok(status === 200 || status === 503, text);
  assert.equal(await readStatus(id), 'paid');
  assert.equal(await countCharges(id), 1);
});

test('hazard: rivals look at an attempt that is recorded and not yet driven → they wait, and its token is charged', async () => {
  const another = await service.openAnother();
  const elsewhere = (id: string, authorization: string) =>
    another.app.inject({
      method: 'POST',
      url: `/api/v1/invoices/${id}/pay`,
      headers: { ...MPP, authorization, 'x-service-api-key': service.token },
    });
  try {
    const id = await orderByToken();
    const challenge = await readChallenge(id);
    const [own, rival] = [await mint(99_999), await mint(99_999)].map((spt) =>
      serializeCredential(challenge, spt, id),
    );
    assert.ok(own !== undefined && rival !== undefined);
    const first = await holdFirstDrive(
      service.service.database,
      () => answer(id, own),
      async () => assert.equal((await elsewhere(id, rival)).statusCode, 503),
    );
    expectStatus(first, 200);
    assert.equal((await elsewhere(id, rival)).statusCode, 200);
    assert.equal(await countCharges(id), 1);
  } finally {
    await another.close();
  }
});

test('refund_invoice: a charge by test token → refunded by the processor that charged', async () => {
  const id = await orderByToken();
  expectStatus(await payByToken(id, await mint(99_999)), 200);
  expectStatus(
    await ask('POST', `/lab/invoices/${id}/refunds`, { body: { amount_cents: 500, reason: 'late' } }),
    201,
  );
  await service.service.worker.runDue();
  const [refund] = await read.query<{ status: string; reference: string }>(
    'select status, reference from refunds where invoice_id = $1',
    [id],
  );
  assert.equal(refund?.status, 'refunded');
  assert.match(refund.reference, /^re_test_/);
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('payment_required: a rail of the Payment scheme → the 402 names the header for the API token', async () => {
  const id = await orderByToken();
  const { body } = expectStatus(await ask('POST', `/invoices/${id}/pay`, { headers: MPP }), 402);
  assert.match(
    getText(body.error),
    /of this response, or, because this is a sandbox, with a token of mint_payment_token as `spt`\.$/,
  );
  assert.equal(body.api_token_header, 'X-Service-Api-Key');
  assert.match(getText(body.hint), /"Authorization: Payment <credential>".*"X-Service-Api-Key: <token>"/);
});

test('challenge: asked again within a minute → the same bytes; later → a new challenge', async () => {
  const id = await orderByToken();
  const first = await ask('POST', `/invoices/${id}/pay`, { headers: MPP });
  clock.advance(30_000);
  const second = await ask('POST', `/invoices/${id}/pay`, { headers: MPP });
  assert.equal(second.headers['www-authenticate'], first.headers['www-authenticate']);
  clock.advance(40_000);
  const third = await ask('POST', `/invoices/${id}/pay`, { headers: MPP });
  assert.notEqual(third.headers['www-authenticate'], first.headers['www-authenticate'], 'a fresh one');
});

const SCHEME_CREDENTIAL = 'org.paymentauth/credential';
const SCHEME_RECEIPT = 'org.paymentauth/receipt';

test('-32042: pay_invoice as a tool without a credential → the challenge as JSON, which a credential in _meta answers', async () => {
  const id = await orderByToken();
  const { error } = await callTool(service, 'pay_invoice', { invoice_id: id });
  assert.equal(error?.code, -32_042, JSON.stringify(error));
  assert.doesNotMatch(getText(error?.message), /header/);
  assert.equal(error?.data?.httpStatus, 402);
  assert.equal(error?.data?.code, 'payment_required');
  const [challenge] = getItems(error?.data?.challenges);
  const { opaque: _opaque, meta: _meta, ...same } = await readChallenge(id);
  assert.deepEqual(challenge, same);
  const credential = { challenge, payload: { spt: await mint(99_999), externalId: id } };
  const { result } = await callTool(
    service,
    'pay_invoice',
    { invoice_id: id },
    { [SCHEME_CREDENTIAL]: credential },
  );
  assert.equal(result?.structuredContent?.already_paid, false, JSON.stringify(result));
  const receipt = result?._meta?.[SCHEME_RECEIPT];
  assert.equal(receipt?.status, 'success');
  assert.equal(receipt?.challengeId, challenge?.id);
  assert.equal(receipt?.reference, result?.structuredContent?.settlement_reference?.payment_intent_id);

  const repeated = expectStatus(await answer(id, serializeCredential(same, credential.payload.spt, id)), 200);
  assert.equal(repeated.body.already_paid, true);
  assert.equal(await countCharges(id), 1);
});

test('payment_credential_mismatch: a credential in _meta that answers no challenge → a result with the reason, and no charge', async () => {
  const id = await orderByToken();
  const { error } = await callTool(service, 'pay_invoice', { invoice_id: id });
  const [challenge] = getItems(error?.data?.challenges);
  const payload = { spt: await mint(99_999), externalId: id };
  for (const hostile of [
    null,
    'Payment x',
    [],
    {},
    { challenge, payload: 7 },
    { challenge: { ...challenge, request: { ...challenge?.request, amount: '1' } }, payload },
    { challenge: { ...challenge, request: { amount: 1 } }, payload },
    { challenge: { ...challenge, request: '%%%' }, payload },
    { challenge: { ...challenge, realm: 'elsewhere' }, payload },
  ]) {
    const { result } = await callTool(
      service,
      'pay_invoice',
      { invoice_id: id },
      { [SCHEME_CREDENTIAL]: hostile },
    );
    assert.equal(result?.isError, true, JSON.stringify([hostile, result]));
    assert.match(getText(result?.content?.[0]?.text), /"payment_credential_mismatch"/);
  }
  assert.equal(await countCharges(id), 0);
});

test('_meta: a credential on a tool that takes no payment → it is ignored', async () => {
  const meta = { [SCHEME_CREDENTIAL]: {}, 'x402/payment': {} };
  const { result } = await callTool(service, 'whoami', {}, meta);
  assert.notEqual(result?.isError, true);
  assert.equal(result?._meta?.[SCHEME_RECEIPT], undefined);
});

test('spt: tools alone in a sandbox, and then again by every other way → one charge', async () => {
  const id = await orderByToken();
  const { result: minted } = await callTool(service, 'mint_payment_token', { max_amount_cents: 99_999 });
  const spt = getText(minted?.structuredContent?.spt);
  const { result } = await callTool(service, 'pay_invoice', { invoice_id: id, spt });
  assert.equal(result?.structuredContent?.status, 'paid', JSON.stringify(result));
  assert.equal(result?.structuredContent?.already_paid, false);
  const again = expectStatus(await ask('POST', `/invoices/${id}/pay`, { body: { spt } }), 200);
  assert.equal(again.body.already_paid, true);
  const other = await callTool(service, 'pay_invoice', { invoice_id: id, spt: await mint(99_999) });
  assert.equal(other.result?.structuredContent?.already_paid, true);
  assert.equal(await countCharges(id), 1);
});

test('spt: the tool, REST and a credential bring tokens at once → one charge', async () => {
  const id = await orderByToken();
  const challenge = await readChallenge(id);
  const tokens = [await mint(99_999), await mint(99_999), await mint(99_999)] as const;
  await Promise.all([
    callTool(service, 'pay_invoice', { invoice_id: id, spt: tokens[0] }),
    ask('POST', `/invoices/${id}/pay`, { body: { spt: tokens[1] } }),
    answer(id, serializeCredential(challenge, tokens[2], id)),
  ]);
  assert.equal(await readStatus(id), 'paid');
  assert.equal(await countCharges(id), 1);
});

test('spt: a token that cannot pay, or an invoice of another rail → 422 or 409, and null is no token', async () => {
  const id = await orderByToken();
  const send = (spt: unknown, invoiceId = id) => ask('POST', `/invoices/${invoiceId}/pay`, { body: { spt } });
  expectFailure(await send(await mint(1)), 422, 'payment_declined');
  expectFailure(await send('spt\nx'), 409, 'payment_credential_mismatch');
  expectFailure(await send(''), 400, 'invalid_request');
  expectFailure(await send(null), 402, 'payment_required');
  const { invoiceId: hosted } = await createInvoiced();
  expectFailure(await send(await mint(99_999), hosted), 409, 'method_rail_mismatch');
  assert.equal(await countCharges(id), 0);
});

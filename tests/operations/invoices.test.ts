import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, getText } from '#testing/service.ts';
import { buildStripeVariables } from '#testing/stripe/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { create, createInvoiced, createAutoAccepted, pay, createPaid } = await createBuilders(service);

const rail = fakeRail();
const byMachine = await createRecordedService({}, { rails: [rail] });
const machine = await createMachineOrders(byMachine);

const live = await createRecordedService({ ENVIRONMENT: 'live' });

const payCall = (id: string, method?: string) =>
  ask('POST', `/invoices/${id}/pay`, {
    headers: method === undefined ? {} : { 'x-service-payment-method': method },
  });

/** States that only later doors bring about are written straight into the table. */
const arrange = (id: string, change: string) =>
  service.service.database.read.query(`update invoices set ${change} where id = $1`, [id]);

test('get_invoice: by either id, in the list and at its experiment → the same invoice', async () => {
  const { id, invoiceId, quoteId } = await createInvoiced();
  const invoice = expectStatus(await ask('GET', `/invoices/${invoiceId}`), 200);
  assert.equal(invoice.body.status, 'open');
  assert.equal(invoice.body.quote_id, quoteId);
  const external = getText(invoice.body.provider_invoice_id);
  assert.deepEqual((await ask('GET', `/invoices/${external}`)).body, invoice.body);
  const listed = expectStatus(await ask('GET', `/invoices?filter=eq(id,${invoiceId})`), 200);
  assert.equal(getItems(listed.body.items)[0]?.amount_cents, invoice.body.total_cents);
  const metadata = expectStatus(await ask('GET', `/experiments/${id}/invoice`), 200);
  assert.equal(metadata.body.provider_invoice_url, invoice.body.hosted_invoice_url);
});

const PUBLISHED_INVOICE =
  `id invoice_number organization_id status amount_cents currency created_at due_date hosted_invoice_url
   provider_invoice_id experiment_id experiment_code quote_id line_items subtotal_cents tax_cents total_cents
   amount_paid_cents already_paid payment_method`.split(/\s+/);

test('get_invoice: open, then paid → every published field, and what was paid by what', async () => {
  const open = await createInvoiced();
  const read = async () => expectStatus(await ask('GET', `/invoices/${open.invoiceId}`), 200).body;
  const before = await read();
  assert.deepEqual(
    PUBLISHED_INVOICE.filter((name) => !(name in before)),
    [],
  );
  assert.deepEqual([before.status, before.already_paid, before.amount_paid_cents], ['open', false, 0]);
  await pay(open);
  const paid = await read();
  assert.deepEqual([paid.status, paid.already_paid], ['paid', true]);
  assert.equal(paid.amount_paid_cents, before.total_cents);
  assert.equal(paid.settlement_reference?.type, 'provider_payment');
  assert.ok(Number.isFinite(Date.parse(getText(paid.paid_at))));
});

test('get_invoice_metadata: an experiment without an invoice → status null', async () => {
  const { id } = await create();
  const metadata = expectStatus(await ask('GET', `/experiments/${id}/invoice`), 200);
  assert.equal(metadata.body.status, null);
});

test('invalid_query: invoices are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/invoices?filter=eq(color,red)'), 400, 'invalid_query');
});

test('invoice_not_found: unknown invoices → 404', async () => {
  for (const id of [UNKNOWN_ID, 'in_0', 'x']) {
    expectFailure(await ask('GET', `/invoices/${id}`), 404, 'invoice_not_found');
    expectFailure(await ask('GET', `/invoices/${id}/pdf`), 404, 'invoice_not_found');
    expectFailure(await payCall(id), 404, 'invoice_not_found');
  }
});

test('experiment_not_found: the invoice of an unknown experiment → 404', async () => {
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/invoice`), 404, 'experiment_not_found');
});

test('invoice_is_draft: a draft → 404; a finalized invoice → its current PDF', async () => {
  const draft = await createAutoAccepted();
  expectFailure(await ask('GET', `/invoices/${draft.invoiceId}/pdf`), 404, 'invoice_is_draft');
  const open = await createInvoiced();
  const redirected = expectStatus(await ask('GET', `/invoices/${open.invoiceId}/pdf`), 307);
  const { pathname, search } = new URL(redirected.headers.location ?? '');
  const fetchDocument = () => ask('GET', `/${pathname}${search}`, { token: null });
  const unpaid = expectStatus(await fetchDocument(), 200).text;
  assert.deepEqual([redirected.headers['content-type'], redirected.text], ['application/pdf', unpaid]);
  assert.equal((await fetchDocument()).text, unpaid);
  await pay(open);
  assert.notEqual((await fetchDocument()).text, unpaid);
});

test('document_not_ready: the processor does not answer → 503', async () => {
  const variables = buildStripeVariables('http://127.0.0.1:1');
  const outside = await createRecordedService(variables);
  const { invoiceId } = await (await createBuilders(outside)).createInvoiced();
  expectFailure(await outside.ask('GET', `/invoices/${invoiceId}/pdf`), 503, 'document_not_ready');
});

test('get_credit_note_pdf: a refund → its PDF; an unknown number → 404', async () => {
  const { invoiceId } = await createPaid();
  const reason = { reason: 'The antigen cannot be bought.' };
  const refund = expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body: reason }), 201);
  const getPath = (invoice: string, number: string) => `/invoices/${invoice}/credit-notes/${number}/pdf`;
  const number = getText(refund.body.credit_note_number);
  const redirected = expectStatus(await ask('GET', getPath(invoiceId, number)), 307);
  const { pathname, search } = new URL(redirected.headers.location ?? '');
  const served = expectStatus(await ask('GET', `/${pathname}${search}`, { token: null }), 200);
  assert.match(served.text, /^%PDF-1\.7/);
  assert.equal(redirected.text, served.text);
  expectFailure(await ask('GET', getPath(invoiceId, 'CN-2026-99999')), 404, 'credit_note_not_found');
  expectFailure(await ask('GET', getPath(UNKNOWN_ID, number)), 404, 'invoice_not_found');
});

test('pay_invoice: the hosted rail, before and after payment → where to pay, then that it is paid', async () => {
  const open = await createInvoiced();
  const before = expectStatus(await payCall(open.invoiceId), 200);
  assert.equal(before.body.status, 'open');
  assert.equal(before.body.already_paid, false);
  assert.match(getText(before.body.hosted_invoice_url), /\/pay\//);
  await pay(open);
  const paid = expectStatus(await payCall(open.invoiceId, 'async_invoice'), 200);
  assert.equal(paid.body.status, 'paid');
  assert.equal(paid.body.already_paid, true);
});

test('method_rail_mismatch: another rail than that of the creation → 409', async () => {
  const { invoiceId } = await createInvoiced();
  expectFailure(await payCall(invoiceId, 'x402-exact'), 409, 'method_rail_mismatch');
});

test('unknown_payment_method: an unknown rail → 400', async () => {
  const { invoiceId } = await createInvoiced();
  expectFailure(await payCall(invoiceId, 'barter'), 400, 'unknown_payment_method');
});

test('invoice_not_payable: a void or uncollectible invoice → 422', async () => {
  for (const status of ['void', 'uncollectible']) {
    const { invoiceId } = await createInvoiced();
    await arrange(invoiceId, `status = '${status}'`);
    expectFailure(await payCall(invoiceId), 422, 'invoice_not_payable');
  }
});

test('payment_owed_back: money arrived for a void invoice → 422 names the credit note, and the invoice to pay instead', async () => {
  const { invoiceId } = await createInvoiced();
  const because = { body: { reason: 'Wrong company.' } };
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/void`, because), 200);
  const transfer = { body: { reference: 'SEPA late' } };
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, transfer), 201);
  const [note] = getItems((await ask('GET', `/invoices/${invoiceId}`)).body.credit_notes);
  const told = expectFailure(await payCall(invoiceId), 422, 'payment_owed_back');
  assert.ok(
    getText(told.body.error).includes(`credit note ${getText(note?.credit_note_number)} of`),
    told.text,
  );
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/reissue`, because), 201);
  assert.match(
    expectFailure(await payCall(invoiceId), 422, 'payment_owed_back').text,
    /The invoice is void, replaced by INV-.* credit note CN-.*"problems":.*pay INV-/,
  );
});

test('test_payment_unavailable: a live environment gets a test token → 403, whatever the invoice', async () => {
  const body = { spt: 'spt_test_0' };
  const refused = await live.ask('POST', `/invoices/${UNKNOWN_ID}/pay`, { body });
  expectFailure(refused, 403, 'test_payment_unavailable');
  assert.match(getText(refused.body.error), /only in a sandbox environment; here, pay by the payment method/);
});

test('spend_limit_exceeded: tokens pay invoices that others accepted → each counts once, and two at once stay within the cap', async () => {
  const orders = [await machine.createOrder(), await machine.createOrder()];
  const price = getNumber((await byMachine.ask('GET', `/invoices/${orders[0]}`)).body.total_cents);
  const own = { token: byMachine.token, name: 'capped', attenuation: { max_spend_cents: price * 2 - 1 } };
  const token = getText((await byMachine.ask('POST', '/tokens/attenuate', { body: own })).body.token);
  const paid = await Promise.all(orders.map((id, index) => machine.payWith(id, `cap:${index}`, { token })));
  assert.deepEqual(
    paid.map(({ status }) => status).sort((a, b) => a - b),
    [200, 403],
  );
  for (const answer of paid) if (answer.status === 403) expectFailure(answer, 403, 'spend_limit_exceeded');
  const readSpending = async () => (await byMachine.ask('GET', '/whoami', { token })).text;
  assert.match(await readSpending(), new RegExp(`"spent_cents":${price},"remaining_cents":${price - 1}`));
  const again = paid.findIndex(({ status }) => status === 200);
  expectStatus(await machine.payWith(orders[again] ?? '', `cap:${again}`, { token }), 200);
  assert.match(await readSpending(), new RegExp(`"spent_cents":${price},`));
  const ordering = { ...own, attenuation: { max_spend_cents: price } };
  const buyer = getText((await byMachine.ask('POST', '/tokens/attenuate', { body: ordering })).body.token);
  const accepted = await machine.createOrder({ token: buyer });
  expectStatus(await machine.payWith(accepted, 'cap:own', { token: buyer }), 200);
});

test('token_restricted: the invoice is of a machine rail outside the payment policy of the token → 403, and nothing is paid', async () => {
  const id = await machine.createOrder();
  const attenuation = { payment_policy: { methods: ['mpp-spt'] } };
  const body = { token: byMachine.token, name: 'cards', attenuation };
  const token = getText((await byMachine.ask('POST', '/tokens/attenuate', { body })).body.token);
  expectFailure(await machine.payWith(id, 'policy:1', { token }), 403, 'token_restricted');
  assert.ok(!rail.moved.has('policy:1'));
  expectStatus(await machine.payWith(id, 'policy:1'), 200);
});

test('payment_rail_not_served: an invoice of a machine rail that is not served → 501', async () => {
  const { invoiceId } = await createInvoiced();
  await arrange(invoiceId, `payment_method = 'x402-exact'`);
  expectFailure(await payCall(invoiceId), 501, 'payment_rail_not_served');
});

test('payment_required, payment_not_settled, payment_in_progress, payment_refused: any 402 → carries the same challenge', async () => {
  const id = await machine.createOrder();
  const unpaid = expectFailure(await machine.payWith(id), 402, 'payment_required');
  assert.equal(unpaid.headers['cache-control'], 'no-store');
  const challenge = unpaid.headers['payment-required'];
  assert.ok(challenge !== undefined && challenge.length > 0);
  const refused = expectFailure(await machine.payWith(id, 'bad:1'), 402, 'payment_refused');
  assert.equal(refused.headers['payment-required'], challenge);
  rail.next = 'nothing happens';
  const waiting = expectFailure(await machine.payWith(id, 'payer:1'), 402, 'payment_not_settled');
  assert.equal(waiting.headers['payment-required'], challenge);
  const busy = expectFailure(await machine.payWith(id, 'rival:1'), 402, 'payment_in_progress');
  assert.equal(busy.headers['payment-required'], challenge);
  const paid = expectStatus(await machine.payWith(id, 'payer:1'), 200);
  assert.equal(paid.headers['payment-response'], 'payer:1');
  assert.equal(paid.body.status, 'paid');
});

test('pay_invoice: no method header → the rail of the experiment', async () => {
  const id = await machine.createOrder();
  const challenge = await byMachine.ask('POST', `/invoices/${id}/pay`);
  expectFailure(challenge, 402, 'payment_required');
  assert.match(getText(challenge.body.error), /must be paid by x402-exact[^]*terms of this response\.$/);
});

test('payment_credential_mismatch, payment_declined: a wrong or unfunded credential → 409 or 422 without a challenge', async () => {
  const id = await machine.createOrder();
  const late = expectFailure(await machine.payWith(id, 'late:1'), 409, 'payment_credential_mismatch');
  assert.equal(late.headers['payment-required'], undefined);
  expectFailure(await machine.payWith(id, 'poor:1'), 422, 'payment_declined');
  expectStatus(await machine.payWith(id, 'payer:2'), 200);
});

test('payment_outcome_unknown: the rail cannot tell → 503, and the same credential pays once when it is sent again', async () => {
  const id = await machine.createOrder();
  rail.next = 'unknown';
  const unknown = expectFailure(await machine.payWith(id, 'payer:3'), 503, 'payment_outcome_unknown');
  assert.equal(unknown.headers['retry-after'], '5');
  expectStatus(await machine.payWith(id, 'payer:3'), 200);
  assert.equal(rail.moved.get('payer:3'), 1);
});

proveCoverage('invoices');

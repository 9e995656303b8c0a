import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { checkLedger, selectInvoiceBalances } from '#features/ledger/store.ts';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { withoutCollection } from '#testing/collection.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { worker, database } = service.service;
const {
  create,
  createQuoted,
  createInvoiced,
  createVoided,
  createAutoAccepted,
  pay,
  createPaid,
  createReleased,
  createRefusedRefund,
} = await createBuilders(service);

const because = { reason: 'The antigen cannot be bought any more.' };
const post = (path: string, body: unknown) => ask('POST', `/lab/${path}`, { body });
const cancel = (id: string, body: object = because) => post(`experiments/${id}/cancel`, body);
const close = (id: string, how: 'void' | 'uncollectible') => post(`invoices/${id}/${how}`, because);
const refund = (id: string, body: object = because) => post(`invoices/${id}/refunds`, body);
const readInvoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const readBooks = (id: string) => selectInvoiceBalances(labScope, database.read, id);
const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, database.read), []);

test('list_all_invoices: staff → invoices of every organization; others → 403', async () => {
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  const theirs = await createInvoiced(undefined, { token });
  const listed = expectStatus(await ask('GET', `/lab/invoices?filter=eq(id,${theirs.invoiceId})`), 200);
  assert.equal(listed.body.total, 1);
  const read = expectStatus(await ask('GET', `/lab/invoices/${theirs.invoiceId}`), 200);
  assert.equal(read.body.id, theirs.invoiceId);
  expectFailure(await ask('GET', `/invoices/${theirs.invoiceId}`), 404, 'invoice_not_found');
  expectFailure(await ask('GET', '/lab/invoices', { token }), 403, 'permission_denied');
});

test('invalid_query: lists of the lab are filtered by an unknown field → 400', async () => {
  for (const list of ['invoices', 'refunds'])
    expectFailure(await ask('GET', `/lab/${list}?filter=eq(color,red)`), 400, 'invalid_query');
});

test('invoice_not_found: staff read, close or refund an unknown invoice → 404', async () => {
  expectFailure(await ask('GET', '/lab/invoices/in_0'), 404, 'invoice_not_found');
  expectFailure(await close('in_0', 'void'), 404, 'invoice_not_found');
  expectFailure(await close(UNKNOWN_ID, 'uncollectible'), 404, 'invoice_not_found');
  expectFailure(await refund(UNKNOWN_ID), 404, 'invoice_not_found');
});

test('void_invoice: an unpaid invoice → leaves the books and can no longer be paid', async () => {
  const open = await createInvoiced();
  const voided = expectStatus(await close(open.invoiceId, 'void'), 200);
  assert.equal(voided.body.status, 'void');
  assert.equal(voided.body.closed_reason, because.reason);
  assert.deepEqual(await readBooks(open.invoiceId), { receivable: 0, deferred_revenue: 0 });
  expectFailure(await ask('POST', `/invoices/${open.invoiceId}/pay`), 422, 'invoice_not_payable');
  const draft = await createAutoAccepted();
  assert.equal(expectStatus(await close(draft.invoiceId, 'void'), 200).body.status, 'void');
  await assertHealthy();
});

test('payment_not_set_up: an invoice is issued again without bank account and processor → 409, and none is made', async () => {
  const { invoiceId } = await createInvoiced();
  await close(invoiceId, 'void');
  await withoutCollection(service, async () =>
    expectFailure(await post(`invoices/${invoiceId}/reissue`, because), 409, 'payment_not_set_up'),
  );
  assert.equal((await readInvoice(invoiceId)).replaced_by, null);
});

test('reissue_invoice: a void invoice → a new invoice with the next number, which names the old one', async () => {
  const { id, invoiceId } = await createVoided();
  const before = await readInvoice(invoiceId);
  const { body } = expectStatus(await post(`invoices/${invoiceId}/reissue`, because), 201);
  assert.deepEqual(body.replaces, { id: invoiceId, invoice_number: before.invoice_number });
  assert.deepEqual(
    [body.status, body.total_cents, body.quote_id],
    ['open', before.total_cents, before.quote_id],
  );
  assert.notEqual(body.invoice_number, before.invoice_number);
  assert.equal((await ask('GET', `/experiments/${id}/invoice`)).body.invoice_id, body.id);
  await assertHealthy();
});

test('invoice_not_reissuable: an invoice that is open, paid, replaced or of a canceled order → 409 with the reason', async () => {
  const again = (invoiceId: string) => post(`invoices/${invoiceId}/reissue`, because);
  const expectRefused = async (invoiceId: string, reason: RegExp) => {
    const answer = expectFailure(await again(invoiceId), 409, 'invoice_not_reissuable');
    assert.match(getText(answer.body.error), reason);
  };
  await expectRefused((await createInvoiced()).invoiceId, /it is open; void it first/);
  await expectRefused((await createPaid()).invoiceId, /it is paid; refund it instead/);
  const { invoiceId } = await createVoided();
  expectStatus(await again(invoiceId), 201);
  await expectRefused(invoiceId, /INV-2026-\d{5} replaces it already/);
  const gone = await createVoided();
  expectStatus(await cancel(gone.id), 200);
  await expectRefused(gone.invoiceId, /its order was canceled/);
  expectFailure(await again(UNKNOWN_ID), 404, 'invoice_not_found');
});

test('mark_invoice_uncollectible: an open invoice → bad debt, until it is paid after all', async () => {
  const open = await createInvoiced();
  expectStatus(await close(open.invoiceId, 'uncollectible'), 200);
  assert.equal(
    (await readBooks(open.invoiceId)).bad_debt,
    (21_200 / 21_200) * (await readTotal(open.invoiceId)),
  );
  await assertHealthy();
  await database.read.query(`update invoices set status = 'open' where id = $1`, [open.invoiceId]);
  expectStatus(await post(`invoices/${open.invoiceId}/bank-transfer`, {}), 201);
  await database.read.query(`update invoices set status = 'uncollectible' where id = $1`, [open.invoiceId]);
  await worker.runDue();
  assert.equal((await readInvoice(open.invoiceId)).status, 'paid');
  assert.equal((await readBooks(open.invoiceId)).bad_debt, 0);
  await assertHealthy();
});

async function readTotal(id: string): Promise<number> {
  return Number(JSON.stringify((await readInvoice(id)).total_cents));
}

test('invoice_not_closable: a paid invoice is voided or given up, a draft is given up → 409', async () => {
  const { invoiceId } = await createPaid();
  expectFailure(await close(invoiceId, 'void'), 409, 'invoice_not_closable');
  expectFailure(await close(invoiceId, 'uncollectible'), 409, 'invoice_not_closable');
  const draft = await createAutoAccepted();
  expectFailure(await close(draft.invoiceId, 'uncollectible'), 409, 'invoice_not_closable');
});

test('refund_invoice: several parts → one credit note each, and no more than was paid', async () => {
  const { invoiceId } = await createPaid();
  const total = await readTotal(invoiceId);
  const first = expectStatus(await refund(invoiceId, { ...because, amount_cents: 100 }), 201);
  assert.equal(first.body.status, 'pending');
  assert.match(getText(first.body.credit_note_number), /^CN-2026-\d{5}$/);
  expectFailure(await refund(invoiceId, { ...because, amount_cents: total }), 422, 'refund_exceeds_payment');
  const rest = expectStatus(await refund(invoiceId), 201);
  assert.equal(rest.body.amount_cents, total - 100);
  expectFailure(await refund(invoiceId), 422, 'refund_exceeds_payment');
  await worker.runDue();
  const invoice = await readInvoice(invoiceId);
  assert.equal(invoice.status, 'paid');
  assert.equal(invoice.amount_refunded_cents, total);
  const notes = getItems(invoice.credit_notes);
  assert.deepEqual(
    notes.map((note) => getText(note.status)),
    ['refunded', 'refunded'],
  );
  const books = await readBooks(invoiceId);
  assert.deepEqual([books.cash, books.refunds, books.deferred_revenue], [0, 0, 0]);
  await assertHealthy();
});

test('refund_invoice: after the results are released → the credit reduces revenue', async () => {
  const { invoiceId } = await createReleased();
  const total = await readTotal(invoiceId);
  assert.equal((await readBooks(invoiceId)).revenue, -total);
  expectStatus(await refund(invoiceId, { ...because, amount_cents: 500 }), 201);
  assert.equal((await readBooks(invoiceId)).revenue, 500 - total);
  await worker.runDue();
  await assertHealthy();
});

test('invoice_not_refundable: an unpaid invoice → 409', async () => {
  const { invoiceId } = await createInvoiced();
  expectFailure(await refund(invoiceId), 409, 'invoice_not_refundable');
});

test('record_refund: the rail cannot send the refund → staff record its reference once', async () => {
  const id = await createRefusedRefund();
  const listed = expectStatus(await ask('GET', `/lab/refunds?filter=eq(id,${id})`), 200);
  const [waiting] = getItems(listed.body.items);
  assert.equal(waiting?.status, 'action_required');
  assert.match(getText(waiting?.problem), /record the reference/);
  const record = (reference: string) => post(`refunds/${id}/record`, { reference });
  assert.equal(expectStatus(await record('SEPA 17'), 200).body.status, 'refunded');
  expectFailure(await record('SEPA 18'), 409, 'refund_not_waiting');
  const other = await createRefusedRefund();
  for (const reference of ['SEPA 17', ' SEPA  17 '])
    expectFailure(await post(`refunds/${other}/record`, { reference }), 409, 'refund_reference_used');
  expectFailure(await post(`refunds/${other}/record`, { reference: '  ' }), 400, 'invalid_request');
  await assertHealthy();
});

test('refund_not_confirmed: a machine rail does not confirm the reference → 422', async () => {
  const served = await createRecordedService({}, { rails: [fakeRail()] });
  const machine = await createMachineOrders(served);
  const invoiceId = await machine.createOrder();
  expectStatus(await machine.payWith(invoiceId, 'payer:1'), 200);
  const made = await served.ask('POST', `/lab/invoices/${invoiceId}/refunds`, {
    body: { reason: 'half', amount_cents: 100 },
  });
  const refundId = getText(expectStatus(made, 201).body.id);
  await served.service.worker.runDue();
  const record = (reference: string) =>
    served.ask('POST', `/lab/refunds/${refundId}/record`, { body: { reference } });
  for (const reference of ['nothing', 'unreachable'])
    expectFailure(await record(reference), 422, 'refund_not_confirmed');
  assert.equal(expectStatus(await record('sent 1'), 200).body.status, 'refunded');
  assert.equal(expectStatus(await record('sent 1'), 200).body.reference, 'sent 1');
});

test('retry_refund: a refund waits for action → the rail is asked again', async () => {
  const id = await createRefusedRefund();
  await database.read.query(`update refunds set rail = 'hosted' where id = $1`, [id]);
  assert.equal(expectStatus(await post(`refunds/${id}/retry`, {}), 200).body.status, 'pending');
  expectFailure(await post(`refunds/${id}/retry`, {}), 409, 'refund_not_waiting');
  await worker.runDue();
  const listed = await ask('GET', `/lab/refunds?filter=eq(id,${id})`);
  assert.equal(getItems(listed.body.items)[0]?.status, 'refunded');
  await assertHealthy();
});

test('refund_not_found: unknown refunds → 404', async () => {
  expectFailure(await post(`refunds/${UNKNOWN_ID}/retry`, {}), 404, 'refund_not_found');
  expectFailure(await post(`refunds/${UNKNOWN_ID}/record`, { reference: 'x' }), 404, 'refund_not_found');
});

test('cancel_exp_by_staff: a draft, an open quote, an unpaid and a paid invoice → canceled, voided or refunded', async () => {
  const draft = await create();
  assert.equal(expectStatus(await cancel(draft.code), 200).body.invoice_status, null);
  const open = await createQuoted();
  expectStatus(await cancel(open.id), 200);
  assert.equal((await ask('GET', `/quotes/${open.quoteId}`)).body.status, 'canceled');
  const unpaid = await createInvoiced();
  const voided = expectStatus(await cancel(unpaid.id), 200);
  assert.equal(voided.body.invoice_status, 'void');
  assert.equal(voided.body.refund, null);
  const done = await createPaid();
  const refunded = expectStatus(await cancel(done.id), 200);
  assert.equal(refunded.body.invoice_status, 'paid');
  assert.equal(refunded.body.refund.amount_cents, await readTotal(done.invoiceId));
  const updates = await ask('GET', `/experiments/${done.id}/updates?limit=100`);
  assert.equal(getItems(updates.body.items).at(-1)?.name, 'Credit note issued');
  await worker.runDue();
  await assertHealthy();
});

test('cancel_exp_by_staff: part of the payment is kept → that part is revenue', async () => {
  const partly = await createPaid();
  const total = await readTotal(partly.invoiceId);
  expectStatus(await cancel(partly.id, { ...because, refund_cents: 1_000 }), 200);
  assert.equal((await readBooks(partly.invoiceId)).revenue, 1_000 - total);
  const kept = await createPaid();
  assert.equal(expectStatus(await cancel(kept.id, { ...because, refund_cents: 0 }), 200).body.refund, null);
  const above = await createPaid();
  expectFailure(
    await cancel(above.id, { ...because, refund_cents: 10 * total }),
    422,
    'refund_exceeds_payment',
  );
  await worker.runDue();
  await assertHealthy();
});

test('invoice_not_refundable: refund_cents while nothing is paid or a payment is pending → 409 with the reason', async () => {
  const expectRefused = async (id: string, refundCents: number, sentence: RegExp) => {
    const answer = await cancel(id, { ...because, refund_cents: refundCents });
    const { body: failure } = expectFailure(answer, 409, 'invoice_not_refundable');
    assert.match(getText(failure.error), sentence);
    assert.equal(getItems(failure.problems)[0]?.path, 'refund_cents');
  };
  const unpaid = await createInvoiced();
  await expectRefused(unpaid.id, 100, /The invoice is open;/);
  await expectRefused((await createQuoted()).id, 0, /The invoice is not made yet;/);
  expectStatus(await post(`invoices/${unpaid.invoiceId}/bank-transfer`, {}), 201);
  await expectRefused(unpaid.id, 0, /open, with a payment being confirmed/);
  await worker.runDue();
  const canceled = expectStatus(await cancel(unpaid.id, { ...because, refund_cents: 0 }), 200);
  assert.deepEqual([canceled.body.invoice_status, canceled.body.refund], ['paid', null]);
  await assertHealthy();
});

test('move_not_allowed: staff cancel after the run began → 409; an unknown experiment → 404', async () => {
  const done = await createReleased();
  expectFailure(await cancel(done.id), 409, 'move_not_allowed');
  expectFailure(await cancel(UNKNOWN_ID), 404, 'experiment_not_found');
});

test('settle: a payment arrives after its invoice was voided → it is sent back', async () => {
  const open = await createInvoiced();
  expectStatus(await post(`invoices/${open.invoiceId}/bank-transfer`, {}), 201);
  expectStatus(await cancel(open.id), 200);
  await worker.runDue();
  await worker.runDue();
  const invoice = await readInvoice(open.invoiceId);
  assert.equal(invoice.status, 'void');
  const listed = await ask('GET', `/lab/refunds?filter=eq(invoice_id,${open.invoiceId})`);
  const [surplus] = getItems(listed.body.items);
  assert.equal(surplus?.status, 'refunded');
  assert.equal(surplus?.is_credit, false);
  assert.equal(getItems(invoice.credit_notes)[0]?.is_credit, false);
  const page = await ask('GET', `/${new URL(getText(invoice.hosted_invoice_url)).pathname}`, { token: null });
  assert.match(page.text, /Nothing is owed. The payment has been refunded\./);
  assert.match(page.text, /Surplus payment CN-/);
  await pay(await createInvoiced());
  await assertHealthy();
});

test('list_lab_organizations: clients with and without orders → what each owes, and not the installation', async () => {
  const before = await ask('GET', '/lab/organizations?limit=100&sort=asc(created_at)');
  const owed = Number(getItems(before.body.items)[0]?.owed_cents);
  const { invoiceId } = await createInvoiced();
  const { body: invoice } = await ask('GET', `/lab/invoices/${invoiceId}`);
  const other = await issueToken({ ownOrganization: true });
  const { body } = expectStatus(await ask('GET', '/lab/organizations?limit=100&sort=asc(created_at)'), 200);
  const items = getItems(body.items);
  assert.equal(Number(items[0]?.owed_cents), owed + Number(invoice.amount_cents));
  const own = getText((await ask('GET', '/whoami', { token: other })).body.active_organization_id);
  const found = items.find(({ id }) => getText(id) === own);
  assert.deepEqual([found?.owed_cents, found?.experiment_count, found?.member_count], [0, 0, 1]);
  assert.ok(items.every(({ id }) => getText(id) !== INSTALLATION_ID));
  expectFailure(await ask('GET', '/lab/organizations', { token: other }), 403, 'permission_denied');
  expectFailure(await ask('GET', '/lab/organizations?filter=eq(nothing,1)'), 400, 'invalid_query');
});

proveCoverage('lab-billing');

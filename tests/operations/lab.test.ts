import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { withoutCollection } from '#testing/collection.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { createInvoiced, createAutoAccepted, pay, createReleased } = await createBuilders(service);

/** States that settings of the installation bring about are written straight into the tables. */
const { read } = service.service.database;
const send = (id: string) => ask('POST', `/lab/invoices/${id}/send`);
const bookTransfer = (id: string) => ask('POST', `/lab/invoices/${id}/bank-transfer`);

test('send_invoice: a draft, sent twice → open with one number and one page', async () => {
  const { invoiceId } = await createAutoAccepted();
  const sent = expectStatus(await send(invoiceId), 200);
  assert.equal(sent.body.status, 'open');
  assert.match(getText(sent.body.hosted_invoice_url), /\/pay\//);
  assert.deepEqual((await send(invoiceId)).body, sent.body);
  assert.match(getText((await ask('GET', `/invoices/${invoiceId}`)).body.invoice_number), /^INV-2026-\d{5}$/);
});

test('record_bank_transfer: without a reference → paid after the notification, and a further one needs a reference', async () => {
  const open = await createInvoiced();
  assert.equal(expectStatus(await bookTransfer(open.invoiceId), 201).body.status, 'open');
  assert.equal(expectStatus(await bookTransfer(open.invoiceId), 201).body.status, 'open');
  await service.service.worker.runDue();
  const again = expectFailure(await bookTransfer(open.invoiceId), 409, 'transfer_needs_reference');
  assert.match(getText(again.body.error), /The invoice is paid, .* it is then owed back/);
});

const bookAndRead = async (id: string, body: object) =>
  getText(expectStatus(await ask('POST', `/lab/invoices/${id}/bank-transfer`, { body }), 201).body.taken_as);
const readInvoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const listRefunds = async (id: string) =>
  getItems((await ask('GET', `/lab/refunds?filter=eq(invoice_id,${id})`)).body.items);
const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, read), []);

test('record_bank_transfer: with a reference → booked at once; a second reference → owed back', async () => {
  const { invoiceId } = await createInvoiced();
  const first = { reference: 'SEPA 1', received_on: '2026-03-01' };
  assert.equal(await bookAndRead(invoiceId, first), 'payment');
  const paid = await readInvoice(invoiceId);
  assert.equal(paid.status, 'paid');
  assert.deepEqual(paid.settlement_reference, { type: 'bank_transfer', ...first });
  const { pathname } = new URL(getText(paid.hosted_invoice_url));
  assert.match((await ask('GET', `/${pathname}`, { token: null })).text, /SEPA 1/);
  assert.equal(await bookAndRead(invoiceId, first), 'known');
  assert.equal((await listRefunds(invoiceId)).length, 0);
  assert.equal(await bookAndRead(invoiceId, { reference: 'SEPA 2' }), 'returned');
  await service.service.worker.runDue();
  const [refund] = await listRefunds(invoiceId);
  assert.deepEqual(
    [refund?.status, refund?.amount_cents, refund?.is_credit, refund?.rail],
    ['action_required', paid.total_cents, false, 'bank'],
  );
  await assertHealthy();
});

test('record_bank_transfer: late money → pays an uncollectible invoice, and is owed back for a void one', async () => {
  const reason = { body: { reason: 'late' } };
  const { invoiceId: late } = await createInvoiced();
  expectStatus(await ask('POST', `/lab/invoices/${late}/uncollectible`, reason), 200);
  const needed = expectFailure(await bookTransfer(late), 409, 'transfer_needs_reference');
  assert.match(getText(needed.body.error), /it then pays the invoice/);
  assert.equal(await bookAndRead(late, { reference: 'SEPA late' }), 'payment');
  assert.equal((await readInvoice(late)).status, 'paid');
  const { invoiceId: gone } = await createInvoiced();
  expectStatus(await ask('POST', `/lab/invoices/${gone}/void`, reason), 200);
  expectFailure(await bookTransfer(gone), 409, 'transfer_needs_reference');
  assert.equal(await bookAndRead(gone, { reference: 'SEPA gone' }), 'returned');
  assert.equal((await readInvoice(gone)).status, 'void');
  assert.equal((await listRefunds(gone)).length, 1);
  await service.service.worker.runDue();
  await assertHealthy();
});

test('transfer_reference_used: a reference is recorded for a second invoice → 409', async () => {
  const [one, two] = [await createInvoiced(), await createInvoiced()];
  assert.equal(await bookAndRead(one.invoiceId, { reference: 'SEPA one' }), 'payment');
  const body = { reference: 'SEPA one' };
  const answer = await ask('POST', `/lab/invoices/${two.invoiceId}/bank-transfer`, { body });
  expectFailure(answer, 409, 'transfer_reference_used');
  for (const day of ['2026-02-30', '2027-01-01', '1.3.2026']) {
    const wrong = { reference: 'SEPA two', received_on: day };
    const answer = await ask('POST', `/lab/invoices/${two.invoiceId}/bank-transfer`, { body: wrong });
    expectFailure(answer, 400, 'invalid_request');
  }
  assert.equal((await readInvoice(two.invoiceId)).status, 'open');
});

test('transfer_reference_used: one reference for two invoices at once → one is paid, the other is not', async () => {
  for (let round = 0; round < 5; round += 1) {
    const orders = [await createInvoiced(), await createInvoiced(), await createInvoiced()];
    const body = { reference: `SEPA rival ${round}` };
    const answers = await Promise.all(
      orders.map(({ invoiceId }) => ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, { body })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, orders.length - 1);
    for (const answer of refused) expectFailure(answer, 409, 'transfer_reference_used');
    const invoices = await Promise.all(orders.map(({ invoiceId }) => readInvoice(invoiceId)));
    assert.equal(invoices.filter((invoice) => getText(invoice.status) === 'paid').length, 1);
  }
  await assertHealthy();
});

/** Runs what is due until the only refund of an invoice waits for staff. */
async function findWaitingRefund(invoiceId: string): Promise<string> {
  for (let turns = 0; turns < 20; turns += 1) {
    await service.service.worker.runDue();
    const [refund] = await listRefunds(invoiceId);
    if (refund !== undefined && getText(refund.status) === 'action_required') return getText(refund.id);
  }
  throw new Error('no refund waits for staff');
}

test('transfer_reference_used: the reference of a refund of the invoice → 409, and nothing is booked', async () => {
  const { invoiceId } = await createInvoiced();
  assert.equal(await bookAndRead(invoiceId, { reference: 'SEPA in' }), 'payment');
  assert.equal(await bookAndRead(invoiceId, { reference: 'SEPA in twice' }), 'returned');
  const refundId = await findWaitingRefund(invoiceId);
  const record = { body: { reference: 'SEPA out' } };
  expectStatus(await ask('POST', `/lab/refunds/${refundId}/record`, record), 200);
  const answer = await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, record);
  const refused = expectFailure(answer, 409, 'transfer_reference_used');
  assert.match(getText(refused.body.error), /recorded for a refund of this invoice/);
  await assertHealthy();
});

test('record_bank_transfer: the reference is copied with other spaces → known; a blank one → 400', async () => {
  const { invoiceId } = await createInvoiced();
  assert.equal(await bookAndRead(invoiceId, { reference: ' SEPA  spaced ' }), 'payment');
  for (const reference of ['SEPA spaced', 'SEPA spaced ', '  SEPA   spaced'])
    assert.equal(await bookAndRead(invoiceId, { reference }), 'known');
  assert.equal((await listRefunds(invoiceId)).length, 0);
  const blank = await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, { body: { reference: '  ' } });
  expectFailure(blank, 400, 'invalid_request');
});

test('payment_being_confirmed: a transfer was recorded without its reference a moment ago → 409, and it counts once', async () => {
  const { invoiceId } = await createInvoiced();
  assert.equal(expectStatus(await bookTransfer(invoiceId), 201).body.taken_as, 'collected');
  const body = { reference: 'SEPA same' };
  const again = await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, { body });
  const refused = expectFailure(again, 409, 'payment_being_confirmed');
  assert.match(getText(refused.body.error), /do not record it again/);
  await service.service.worker.runDue();
  assert.equal((await readInvoice(invoiceId)).status, 'paid');
  assert.equal((await listRefunds(invoiceId)).length, 0);
  await assertHealthy();
});

test('invoice_not_found: staff send or record a transfer for an unknown invoice → 404', async () => {
  expectFailure(await send(UNKNOWN_ID), 404, 'invoice_not_found');
  expectFailure(await bookTransfer('in_0'), 404, 'invoice_not_found');
});

test('payment_not_set_up: staff send a draft without bank account and processor → 409, and it stays a draft', async () => {
  const { invoiceId } = await createAutoAccepted();
  await withoutCollection(service, async () =>
    expectFailure(await send(invoiceId), 409, 'payment_not_set_up'),
  );
  assert.equal((await readInvoice(invoiceId)).status, 'draft');
});

test('invoice_not_payable: a transfer for a draft, or sending a paid invoice → 422', async () => {
  const draft = await createAutoAccepted();
  expectFailure(await bookTransfer(draft.invoiceId), 422, 'invoice_not_payable');
  const paid = await createInvoiced();
  await pay(paid);
  expectFailure(await send(paid.invoiceId), 422, 'invoice_not_payable');
});

test('method_rail_mismatch: a transfer for an invoice of a machine rail → 409', async () => {
  const { invoiceId } = await createInvoiced();
  await read.query(`update invoices set payment_method = 'x402-exact' where id = $1`, [invoiceId]);
  expectFailure(await bookTransfer(invoiceId), 409, 'method_rail_mismatch');
});

test('collected_by_processor: a transfer for an invoice that Stripe collects → 409', async () => {
  const { invoiceId } = await createInvoiced();
  await read.query(`update processor_invoices set processor = 'stripe' where invoice_id = $1`, [invoiceId]);
  expectFailure(await bookTransfer(invoiceId), 409, 'collected_by_processor');
});

test('reanalyze_experiment: bad settings or no reason → 400 before any job is made', async () => {
  const { id } = await createReleased();
  const again = (reanalysis: unknown) =>
    ask('POST', `/lab/experiments/${id}/reanalyze`, { body: reanalysis });
  for (const settings of [{ no_such: 1 }, { drift: 'yes' }, { limits: { r2_min: 'high' } }]) {
    const refused = expectFailure(await again({ reason: 'x', settings }), 400, 'invalid_request');
    assert.match(refused.text, /etting/);
  }
  expectFailure(await again({ settings: {} }), 400, 'invalid_request');
  assert.match(
    getText(expectStatus(await again({ reason: 'again' }), 201).body.analysis_id),
    /^[0-9a-f-]{36}$/,
  );
});

test('move_not_allowed: an experiment without results is analyzed again → 409', async () => {
  const { id } = await createInvoiced();
  const answer = await ask('POST', `/lab/experiments/${id}/reanalyze`, { body: { reason: 'early' } });
  expectFailure(answer, 409, 'move_not_allowed');
});

test('experiment_not_found: an unknown experiment is analyzed again → 404', async () => {
  const path = `/lab/experiments/${UNKNOWN_ID}/reanalyze`;
  expectFailure(await ask('POST', path, { body: { reason: 'again' } }), 404, 'experiment_not_found');
});

proveCoverage('lab');

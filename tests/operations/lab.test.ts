import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, recordedService } from '#testing/recorder.ts';
import { textOf } from '#testing/service.ts';

const service = await recordedService();
const { ask } = service;
const { invoiced, autoAccepted, pay, released } = await builders(service);

const send = (id: string) => ask('POST', `/lab/invoices/${id}/send`);
const transfer = (id: string) => ask('POST', `/lab/invoices/${id}/bank-transfer`);

test('send_invoice: a draft becomes open with a number and a page, once', async () => {
  const { invoiceId } = await autoAccepted();
  const sent = expectStatus(await send(invoiceId), 200);
  assert.equal(sent.body.status, 'open');
  assert.match(textOf(sent.body.hosted_invoice_url), /\/pay\//);
  assert.deepEqual((await send(invoiceId)).body, sent.body);
  assert.match(textOf((await ask('GET', `/invoices/${invoiceId}`)).body.invoice_number), /^INV-2026-\d{5}$/);
});

test('record_bank_transfer: the invoice is paid once the notification is in, and stays paid once', async () => {
  const open = await invoiced();
  assert.equal(expectStatus(await transfer(open.invoiceId), 201).body.status, 'open');
  assert.equal(expectStatus(await transfer(open.invoiceId), 201).body.status, 'open');
  await service.service.worker.runDue();
  assert.equal(expectStatus(await transfer(open.invoiceId), 201).body.status, 'paid');
});

test('invoice_not_found: unknown invoices', async () => {
  expectFailure(await send(UNKNOWN_ID), 404, 'invoice_not_found');
  expectFailure(await transfer('in_0'), 404, 'invoice_not_found');
});

test('invoice_not_payable: a draft takes no transfer, a paid invoice is not sent', async () => {
  const draft = await autoAccepted();
  expectFailure(await transfer(draft.invoiceId), 422, 'invoice_not_payable');
  const paid = await invoiced();
  await pay(paid);
  expectFailure(await send(paid.invoiceId), 422, 'invoice_not_payable');
});

/** States that settings of the installation bring about are written straight into the tables. */
const { read } = service.service.database;

test('method_rail_mismatch: an invoice of a machine rail takes no transfer', async () => {
  const { invoiceId } = await invoiced();
  await read.query(`update invoices set payment_method = 'x402-exact' where id = $1`, [invoiceId]);
  expectFailure(await transfer(invoiceId), 409, 'method_rail_mismatch');
});

test('collected_by_processor: an invoice that an outside processor collects takes no transfer', async () => {
  const { invoiceId } = await invoiced();
  await read.query(`update processor_invoices set processor = 'stripe' where invoice_id = $1`, [invoiceId]);
  expectFailure(await transfer(invoiceId), 409, 'collected_by_processor');
});

test('reanalyse_experiment: settings are checked before anything is asked of the worker', async () => {
  const { id } = await released();
  const again = (reanalysis: unknown) =>
    ask('POST', `/lab/experiments/${id}/reanalyse`, { body: reanalysis });
  for (const settings of [{ no_such: 1 }, { drift: 'yes' }, { limits: { r2_min: 'high' } }]) {
    const refused = expectFailure(await again({ reason: 'x', settings }), 400, 'invalid_request');
    assert.match(refused.text, /etting/);
  }
  expectFailure(await again({ settings: {} }), 400, 'invalid_request');
  assert.match(
    textOf(expectStatus(await again({ reason: 'again' }), 201).body.analysis_id),
    /^[0-9a-f-]{36}$/,
  );
});

test('move_not_allowed: what has no results yet cannot be analysed again', async () => {
  const { id } = await invoiced();
  const answer = await ask('POST', `/lab/experiments/${id}/reanalyse`, { body: { reason: 'early' } });
  expectFailure(answer, 409, 'move_not_allowed');
});

test('experiment_not_found: an unknown experiment cannot be analysed again', async () => {
  const path = `/lab/experiments/${UNKNOWN_ID}/reanalyse`;
  expectFailure(await ask('POST', path, { body: { reason: 'again' } }), 404, 'experiment_not_found');
});

proveCoverage('lab');

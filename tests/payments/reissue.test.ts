/** A void invoice that is issued again: one replacement, the price of the quote, and nobody pays the old one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#domain/ledger/check-store.ts';
import { invoiceBalances } from '#domain/ledger/store.ts';
import { expectFailure, expectStatus, type Invoiced } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { fragileConnections, LOSSES, type Loss } from '#testing/fragile-connections.ts';
import { machineOrders } from '#testing/machine-orders.ts';
import { readPdf } from '#testing/pdf.ts';
import { itemsOf, numberOf, testService, textOf, type Json, type TestAnswer } from '#testing/service.ts';

const connections = fragileConnections();
const chain = fakeRail('x402-exact');
const cards = { ...fakeRail('mpp-spt'), paysAnewOn402: true };
const service = await testService({ SANDBOX_SPEED: '1' }, { rails: [chain, cards] });
const { ask, newToken } = service;
const { database, worker } = service.service;
const { read } = database;
const { voided, invoiced, pay, paid, order, payWith, body, autoAccepted } = await machineOrders(service);

const because = { reason: 'Billed to the wrong company.' };
const post = (path: string, given: object = because) => ask('POST', `/lab/invoices/${path}`, { body: given });
const invoiceOf = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const healthy = async () => assert.deepEqual(await checkLedger(labScope, read), []);
const amounts = (invoice: Json) =>
  [invoice.subtotal_cents, invoice.tax_cents, invoice.total_cents].map((cents) => numberOf(cents));

async function again(invoiceId: string, given: object = because): Promise<Json> {
  return expectStatus(await post(`${invoiceId}/reissue`, given), 201).body;
}

async function profile(changes: object): Promise<void> {
  expectStatus(await ask('PATCH', '/billing/profile', { body: changes }), 200);
}

async function germanVat(treatment: 'taxed' | 'reverse_charge', basisPoints = 1_900): Promise<void> {
  const rate = { country: 'DE', name: 'VAT', treatment, rate_basis_points: basisPoints };
  expectStatus(await ask('POST', '/lab/tax-rates', { body: rate }), 200);
}

async function pdfOf(invoiceId: string): Promise<string> {
  const link = await ask('GET', `/invoices/${invoiceId}/pdf`);
  const path = new URL(link.headers.location ?? '');
  const answer = await service.service.app.inject({ url: `${path.pathname}${path.search}` });
  assert.equal(answer.statusCode, 200);
  return (await readPdf(answer.rawPayload)).text;
}

test('reissue_invoice: a corrected buyer and order number → the price and tax of the quote', async () => {
  await germanVat('taxed');
  await profile({ legal_name: 'Wrong GmbH', country: 'DE', tax_id: null });
  const { id, invoiceId } = await voided();
  const before = await invoiceOf(invoiceId);
  await germanVat('taxed', 700);
  await profile({ legal_name: 'Right GmbH' });
  const next = await again(invoiceId, { ...because, purchase_order_number: 'PO-77' });
  assert.deepEqual(amounts(next), amounts(before));
  assert.deepEqual([next.line_items, next.tax], [before.line_items, before.tax]);
  assert.equal(next.purchase_order_number, 'PO-77');
  const old = await invoiceOf(invoiceId);
  assert.equal(old.replaced_by?.invoice_number, next.invoice_number);
  assert.match(
    await pdfOf(textOf(next.id)),
    new RegExp(`Right GmbH[^]*Replaces invoice\\s+${textOf(old.invoice_number)}`),
  );
  assert.match(await pdfOf(invoiceId), new RegExp(`Invoice ${textOf(next.invoice_number)} replaces it`));
  assert.match(await pdfOf(invoiceId), /Wrong GmbH/);
  const feed = itemsOf((await ask('GET', `/experiments/${id}/updates`)).body.items);
  const told = feed.map(({ description }) => JSON.stringify(description));
  assert.match(
    told.find((text) => text.includes('replaces')) ?? '',
    /replaces INV-2026-\d{5}\. Reason: Billed to the wrong company/,
  );
  assert.deepEqual(await invoiceBalances(labScope, read, invoiceId), {
    receivable: 0,
    deferred_revenue: 0,
    tax: 0,
  });
  await healthy();
});

test('reissue_invoice: the buyer is taxed differently by then → the current tax on the same price', async () => {
  await germanVat('reverse_charge');
  await profile({ country: 'DE', tax_id: null });
  const { invoiceId } = await voided();
  const [subtotal] = amounts(await invoiceOf(invoiceId));
  await profile({ tax_id: 'DE123456789' });
  const next = await again(invoiceId);
  assert.deepEqual(amounts(next), [subtotal, 0, subtotal]);
  assert.match(textOf(next.tax?.note), /Reverse charge/);
  await profile({ country: null, tax_id: null });
  await healthy();
});

test('reissue_invoice: an order with a void invoice → continues with the new one, and waiting_on names whose turn it is', async () => {
  const turn = async ({ id }: Invoiced) => (await ask('GET', `/experiments/${id}`)).body.waiting_on;
  const listed = async ({ id }: Invoiced) => {
    const page = await ask('GET', `/experiments?filter=${encodeURIComponent(`eq(id,${id})`)}`);
    return itemsOf(page.body.items)[0];
  };
  const placed = await voided();
  const lab = { actor: 'lab', awaiting: 'the lab issues the invoice again or cancels the order' };
  assert.deepEqual(await turn(placed), lab);
  assert.equal((await listed(placed))?.invoice_status, 'void');
  expectStatus(await ask('POST', `/lab/experiments/${placed.id}/materials`, { body: {} }), 200);
  assert.deepEqual(await turn(placed), lab);
  const next = await again(placed.invoiceId);
  assert.deepEqual(await turn(placed), { actor: 'client', awaiting: 'you pay the invoice' });
  assert.deepEqual(
    [(await listed(placed))?.invoice_status, (await listed(placed))?.provider_invoice_url],
    ['open', next.hosted_invoice_url],
  );
  await pay({ ...placed, invoiceId: textOf(next.id) });
  assert.deepEqual(await turn(placed), { actor: 'lab', awaiting: 'an instrument is free' });
  const run = await ask('POST', `/lab/experiments/${placed.id}/runs`, { body: { instrument: 'Octet R8' } });
  expectStatus(run, 201);
  await healthy();
});

test('waiting_on: an uncollectible or draft invoice → the lab', async () => {
  const actorOf = async (id: string) =>
    textOf((await ask('GET', `/experiments/${id}`)).body.waiting_on?.actor);
  const given = await invoiced();
  expectStatus(await post(`${given.invoiceId}/uncollectible`), 200);
  const { waiting_on: turn } = (await ask('GET', `/experiments/${given.id}`)).body;
  assert.match(textOf(turn?.awaiting), /closed unpaid/);
  const draft = await autoAccepted();
  await read.query(`update experiments set status = 'in_queue' where id = $1`, [draft.id]);
  assert.equal(await actorOf(draft.id), 'lab');
  assert.match(
    textOf((await ask('GET', `/experiments/${draft.id}`)).body.waiting_on?.awaiting),
    /sends the invoice/,
  );
});

test('reissue_invoice: the results are already released → the new invoice earns the revenue', async () => {
  const { id, invoiceId } = await paid();
  const stuck = await voided();
  await read.query(`update experiments set status = 'done' where id = $1`, [stuck.id]);
  const next = await again(stuck.invoiceId);
  const books = await invoiceBalances(labScope, read, textOf(next.id));
  assert.deepEqual([books.revenue, books.deferred_revenue], [-numberOf(next.subtotal_cents), 0]);
  await healthy();
  assert.equal((await ask('GET', `/experiments/${id}/invoice`)).body.invoice_id, invoiceId);
});

test('reissue_invoice: the replacement is void as well → replaced in turn', async () => {
  const { id, invoiceId } = await voided();
  const second = await again(invoiceId);
  expectStatus(await post(`${textOf(second.id)}/void`), 200);
  const third = await again(textOf(second.id));
  assert.equal((await invoiceOf(textOf(second.id))).replaced_by?.id, third.id);
  assert.equal((await invoiceOf(invoiceId)).replaced_by?.id, second.id);
  assert.equal((await ask('GET', `/experiments/${id}/invoice`)).body.invoice_id, third.id);
  await healthy();
});

test('reissue_invoice: a void draft → an open invoice that replaces no number', async () => {
  const { invoiceId } = await autoAccepted();
  expectStatus(await post(`${invoiceId}/void`), 200);
  const next = await again(invoiceId);
  assert.deepEqual([next.status, next.replaces], ['open', { id: invoiceId, invoice_number: null }]);
  await healthy();
});

test('invoice_not_payable: pages and addresses of a void invoice → name its replacement', async () => {
  const hosted = await voided();
  const page = new URL(textOf((await invoiceOf(hosted.invoiceId)).hosted_invoice_url)).pathname;
  const next = await again(hosted.invoiceId);
  const number = textOf(next.invoice_number);
  const nextPage = new URL(textOf(next.hosted_invoice_url)).pathname;
  const { text } = await ask('GET', `/${page}`, { token: null });
  assert.ok(text.includes(`replaced by <a href="${nextPage}">${number}</a>`), text);
  assert.doesNotMatch(text, /<button/);
  assert.match((await ask('GET', `/${nextPage}`, { token: null })).text, /Replaces<\/dt><dd>INV-2026-/);
  const refusals = [
    await ask('POST', `/invoices/${hosted.invoiceId}/pay`),
    await ask('POST', `/lab/invoices/${hosted.invoiceId}/send`, { body: {} }),
  ];
  for (const answer of refusals) {
    expectFailure(answer, 422, 'invoice_not_payable');
    assert.match(textOf(answer.body.error), new RegExp(`is void, replaced by ${number}, and cannot be paid`));
    assert.ok(textOf(itemsOf(answer.body.problems)[0]?.message).includes(textOf(next.hosted_invoice_url)));
  }
  const late = await ask('POST', `/${page}/test-payment`, { token: null });
  assert.equal(late.status, 422);
  assert.ok(late.text.includes(number));
});

test('invoice_not_payable: a machine pays a void invoice → 422; the new invoice → paid on the same rail', async () => {
  for (const rail of [chain, cards]) {
    const headers = { 'x-service-payment-method': rail.method };
    const first = await order({ headers });
    expectStatus(await post(`${first}/void`), 200);
    const next = textOf((await again(first)).id);
    for (const credential of [undefined, `old ${rail.method}`]) {
      const answer = expectFailure(await payWith(first, credential, { headers }), 422, 'invoice_not_payable');
      const [problem] = itemsOf(answer.body.problems);
      assert.match(
        textOf(problem?.message),
        new RegExp(`pay INV-2026-\\d{5} at http.*/api/v1/invoices/${next}/pay$`),
      );
    }
    assert.equal(chain.moved.get(`old ${rail.method}`), undefined);
    expectStatus(await payWith(next, `new ${rail.method}`, { headers }), 200);
    assert.equal((await invoiceOf(next)).status, 'paid');
  }
  await healthy();
});

test('reissue_invoice: late money for the void invoice → owed back, and the new one stays open', async () => {
  const { invoiceId } = await voided();
  const next = textOf((await again(invoiceId)).id);
  const transfer = await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, {
    body: { reference: 'LATE 1' },
  });
  assert.equal(expectStatus(transfer, 201).body.taken_as, 'returned');
  assert.equal((await invoiceOf(next)).status, 'open');
  await healthy();
});

test('permission_denied: a client reissues an invoice → 403', async () => {
  const token = await newToken({ role: 'admin', ownOrganization: true });
  const { invoiceId } = await voided(body(), { token: service.token });
  const answer = await ask('POST', `/lab/invoices/${invoiceId}/reissue`, { token, body: because });
  expectFailure(answer, 403, 'permission_denied');
});

const replacements = async (invoiceId: string): Promise<number> =>
  (await read.query('select id from invoices where replaces_id = $1', [invoiceId])).length;

test('races: three reissues and a cancellation at once, 40 rounds → at most one invoice', async () => {
  while ((await worker.runDue()) > 0);
  for (let round = 0; round < 40; round += 1) {
    const { id, invoiceId } = await voided();
    const questions: (() => Promise<TestAnswer>)[] = [
      ...Array.from({ length: 3 }, () => () => post(`${invoiceId}/reissue`)),
      ...(round % 2 === 0 ? [() => ask('POST', `/lab/experiments/${id}/cancel`, { body: because })] : []),
    ];
    const shift = round % questions.length;
    const inTurn = [...questions.slice(shift), ...questions.slice(0, shift)];
    const answers = await Promise.all(inTurn.map((question) => question()));
    const issued = answers.filter(({ status }) => status === 201);
    for (const answer of answers.filter(({ status }) => status >= 400))
      expectFailure(answer, 409, 'invoice_not_reissuable');
    const canceled = textOf((await ask('GET', `/experiments/${id}`)).body.status) === 'canceled';
    assert.equal(canceled, round % 2 === 0);
    assert.ok(issued.length === 1 || (issued.length === 0 && canceled));
    assert.equal(await replacements(invoiceId), issued.length);
    const alive = await read.query(`select id from invoices where experiment_id = $1 and status <> 'void'`, [
      id,
    ]);
    assert.equal(alive.length, canceled ? 0 : 1);
  }
  await healthy();
});

/** Whether a re-issue has a statement of that number. */
async function survives(at: number, loss: Loss): Promise<boolean> {
  const { invoiceId } = await voided();
  connections.lose(at, loss);
  const first = await post(`${invoiceId}/reissue`);
  const isReached = connections.stop();
  const story = `lost ${loss} statement ${at + 1}: ${first.status} ${first.text}`;
  assert.ok(first.status === 201 || first.status >= 500, story);
  const second = await post(`${invoiceId}/reissue`);
  assert.ok(
    second.status === 201 || textOf(second.body.code) === 'invoice_not_reissuable',
    `${story} ${second.text}`,
  );
  assert.equal(await replacements(invoiceId), 1, story);
  assert.deepEqual(await checkLedger(labScope, read), [], story);
  return isReached;
}

test('crash: the connection is lost at every statement of a reissue → one invoice, one number, correct books', async () => {
  for (const loss of LOSSES) {
    let at = 0;
    while (await survives(at, loss)) at += 1;
    assert.ok(at > 12, `only ${at} statements`);
  }
});

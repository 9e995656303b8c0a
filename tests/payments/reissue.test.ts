/** A void invoice that is issued again: one replacement, the price of the quote, and nobody pays the old one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger, selectInvoiceBalances } from '#features/ledger/store.ts';
import { expectFailure, expectStatus, type Invoiced } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createFragileConnections, LOSSES, type Loss } from '#testing/fragile-connections.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { readPdf } from '#testing/pdf.ts';
import { getItems, getNumber, testService, getText, type Json, type TestAnswer } from '#testing/service.ts';

const ROUNDS = Number(process.env.ASSAYER_PAYMENT_RACES ?? '15');
const connections = createFragileConnections();
const chain = fakeRail('x402-exact');
const cards = { ...fakeRail('mpp-spt'), paysAnewOn402: true };
const service = await testService({ SANDBOX_SPEED: '1' }, { rails: [chain, cards] });
const { ask, issueToken } = service;
const { database, worker } = service.service;
const { read } = database;
const {
  createVoided,
  createInvoiced,
  pay,
  createPaid,
  createOrder,
  payWith,
  createBody,
  createAutoAccepted,
} = await createMachineOrders(service);

const because = { reason: 'Billed to the wrong company.' };
const post = (path: string, body: object = because) => ask('POST', `/lab/invoices/${path}`, { body });
const readInvoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, read), []);
const getAmounts = (invoice: Json) =>
  [invoice.subtotal_cents, invoice.tax_cents, invoice.total_cents].map((cents) => getNumber(cents));

async function reissueInvoice(invoiceId: string, body: object = because): Promise<Json> {
  return expectStatus(await post(`${invoiceId}/reissue`, body), 201).body;
}

async function updateProfile(changes: object): Promise<void> {
  expectStatus(await ask('PATCH', '/billing/profile', { body: changes }), 200);
}

async function setGermanVat(treatment: 'taxed' | 'reverse_charge', basisPoints = 1_900): Promise<void> {
  const rate = { country: 'DE', name: 'VAT', treatment, rate_basis_points: basisPoints };
  expectStatus(await ask('POST', '/lab/tax-rates', { body: rate }), 200);
}

async function readInvoicePdf(invoiceId: string): Promise<string> {
  const link = await ask('GET', `/invoices/${invoiceId}/pdf`);
  const path = new URL(link.headers.location ?? '');
  const answer = await service.service.app.inject({ url: `${path.pathname}${path.search}` });
  assert.equal(answer.statusCode, 200);
  return (await readPdf(answer.rawPayload)).text;
}

test('reissue_invoice: a corrected buyer and order number → the price and tax of the quote', async () => {
  await setGermanVat('taxed');
  await updateProfile({ legal_name: 'Wrong GmbH', country: 'DE', tax_id: null });
  const { id, invoiceId } = await createVoided();
  const before = await readInvoice(invoiceId);
  await setGermanVat('taxed', 700);
  await updateProfile({ legal_name: 'Right GmbH' });
  const next = await reissueInvoice(invoiceId, { ...because, purchase_order_number: 'PO-77' });
  assert.deepEqual(getAmounts(next), getAmounts(before));
  assert.deepEqual([next.line_items, next.tax], [before.line_items, before.tax]);
  assert.equal(next.purchase_order_number, 'PO-77');
  const old = await readInvoice(invoiceId);
  assert.equal(old.replaced_by?.invoice_number, next.invoice_number);
  assert.match(
    await readInvoicePdf(getText(next.id)),
    new RegExp(`Right GmbH[^]*Replaces invoice\\s+${getText(old.invoice_number)}`),
  );
  assert.match(
    await readInvoicePdf(invoiceId),
    new RegExp(`Invoice ${getText(next.invoice_number)} replaces it`),
  );
  assert.match(await readInvoicePdf(invoiceId), /Wrong GmbH/);
  const feed = getItems((await ask('GET', `/experiments/${id}/updates`)).body.items);
  const descriptions = feed.map(({ description }) => JSON.stringify(description));
  assert.match(
    descriptions.find((text) => text.includes('replaces')) ?? '',
    /replaces INV-2026-\d{5}\. Reason: Billed to the wrong company/,
  );
  assert.deepEqual(await selectInvoiceBalances(labScope, read, invoiceId), {
    receivable: 0,
    deferred_revenue: 0,
    tax: 0,
  });
  await assertHealthy();
});

test('reissue_invoice: the buyer is taxed differently by then → the current tax on the same price', async () => {
  await setGermanVat('reverse_charge');
  await updateProfile({ country: 'DE', tax_id: null });
  const { invoiceId } = await createVoided();
  const [subtotal] = getAmounts(await readInvoice(invoiceId));
  await updateProfile({ tax_id: 'DE123456789' });
  const next = await reissueInvoice(invoiceId);
  assert.deepEqual(getAmounts(next), [subtotal, 0, subtotal]);
  assert.match(getText(next.tax?.note), /Reverse charge/);
  await updateProfile({ country: null, tax_id: null });
  await assertHealthy();
});

test('spend_limit_exceeded: an invoice that was issued again costs more → a token counts the difference, and stays within its cap', async () => {
  const readSpent = async (token: string) => (await ask('GET', '/whoami', { token })).body.token?.spent_cents;
  const orderAndReissue = async (token: string) => {
    await updateProfile({ country: null, tax_id: null });
    const ordered = await createOrder({ token });
    expectStatus(await post(`${ordered}/void`), 200);
    await setGermanVat('taxed');
    await updateProfile({ country: 'DE' });
    return reissueInvoice(ordered);
  };
  const derive = async (cents: number) => {
    const body = { token: service.token, name: 'capped', attenuation: { max_spend_cents: cents } };
    return getText(expectStatus(await ask('POST', '/tokens/attenuate', { body }), 201).body.token);
  };
  await updateProfile({ country: null, tax_id: null });
  const price = getNumber((await readInvoice(await createOrder())).total_cents);
  const tight = await derive(price);
  const beyond = await orderAndReissue(tight);
  assert.ok(getNumber(beyond.total_cents) > price);
  expectFailure(await payWith(getText(beyond.id), 'tight:1', { token: tight }), 403, 'spend_limit_exceeded');
  assert.equal(await readSpent(tight), price);
  const wide = await derive(price * 2);
  const within = await orderAndReissue(wide);
  for (const _twice of [1, 2])
    expectStatus(await payWith(getText(within.id), 'wide:1', { token: wide }), 200);
  assert.equal(await readSpent(wide), within.total_cents);
  await updateProfile({ country: null, tax_id: null });
  await assertHealthy();
});

test('reissue_invoice: an order with a void invoice → continues with the new one, and waiting_on names whose turn it is', async () => {
  const turn = async ({ id }: Invoiced) => (await ask('GET', `/experiments/${id}`)).body.waiting_on;
  const listInvoices = async ({ id }: Invoiced) => {
    const page = await ask('GET', `/experiments?filter=${encodeURIComponent(`eq(id,${id})`)}`);
    return getItems(page.body.items)[0];
  };
  const placed = await createVoided();
  const lab = { actor: 'lab', awaiting: 'the lab issues the invoice again or cancels the order' };
  assert.deepEqual(await turn(placed), lab);
  assert.equal((await listInvoices(placed))?.invoice_status, 'void');
  expectStatus(await ask('POST', `/lab/experiments/${placed.id}/materials`, { body: {} }), 200);
  assert.deepEqual(await turn(placed), lab);
  const next = await reissueInvoice(placed.invoiceId);
  assert.deepEqual(await turn(placed), { actor: 'client', awaiting: 'you pay the invoice' });
  assert.deepEqual(
    [(await listInvoices(placed))?.invoice_status, (await listInvoices(placed))?.provider_invoice_url],
    ['open', next.hosted_invoice_url],
  );
  await pay({ ...placed, invoiceId: getText(next.id) });
  assert.deepEqual(await turn(placed), { actor: 'lab', awaiting: 'an instrument is free' });
  const run = await ask('POST', `/lab/experiments/${placed.id}/runs`, { body: { instrument: 'Octet R8' } });
  expectStatus(run, 201);
  await assertHealthy();
});

test('waiting_on: an uncollectible or draft invoice → the lab', async () => {
  const readActor = async (id: string) =>
    getText((await ask('GET', `/experiments/${id}`)).body.waiting_on?.actor);
  const order = await createInvoiced();
  expectStatus(await post(`${order.invoiceId}/uncollectible`), 200);
  const { waiting_on: turn } = (await ask('GET', `/experiments/${order.id}`)).body;
  assert.match(getText(turn?.awaiting), /closed unpaid/);
  const draft = await createAutoAccepted();
  await read.query(`update experiments set status = 'in_queue' where id = $1`, [draft.id]);
  assert.equal(await readActor(draft.id), 'lab');
  assert.match(
    getText((await ask('GET', `/experiments/${draft.id}`)).body.waiting_on?.awaiting),
    /sends the invoice/,
  );
});

test('reissue_invoice: the results are already released → the new invoice earns the revenue', async () => {
  const { id, invoiceId } = await createPaid();
  const stuck = await createVoided();
  await read.query(`update experiments set status = 'done' where id = $1`, [stuck.id]);
  const next = await reissueInvoice(stuck.invoiceId);
  const books = await selectInvoiceBalances(labScope, read, getText(next.id));
  assert.deepEqual([books.revenue, books.deferred_revenue], [-getNumber(next.subtotal_cents), 0]);
  await assertHealthy();
  assert.equal((await ask('GET', `/experiments/${id}/invoice`)).body.invoice_id, invoiceId);
});

test('reissue_invoice: the replacement is void as well → replaced in turn', async () => {
  const { id, invoiceId } = await createVoided();
  const second = await reissueInvoice(invoiceId);
  expectStatus(await post(`${getText(second.id)}/void`), 200);
  const third = await reissueInvoice(getText(second.id));
  assert.equal((await readInvoice(getText(second.id))).replaced_by?.id, third.id);
  assert.equal((await readInvoice(invoiceId)).replaced_by?.id, second.id);
  assert.equal((await ask('GET', `/experiments/${id}/invoice`)).body.invoice_id, third.id);
  await assertHealthy();
});

test('reissue_invoice: a void draft → an open invoice that replaces no number', async () => {
  const { invoiceId } = await createAutoAccepted();
  expectStatus(await post(`${invoiceId}/void`), 200);
  const next = await reissueInvoice(invoiceId);
  assert.deepEqual([next.status, next.replaces], ['open', { id: invoiceId, invoice_number: null }]);
  await assertHealthy();
});

test('invoice_not_payable: pages and addresses of a void invoice → name its replacement', async () => {
  const hosted = await createVoided();
  const page = new URL(getText((await readInvoice(hosted.invoiceId)).hosted_invoice_url)).pathname;
  const next = await reissueInvoice(hosted.invoiceId);
  const number = getText(next.invoice_number);
  const nextPage = new URL(getText(next.hosted_invoice_url)).pathname;
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
    assert.match(
      getText(answer.body.error),
      new RegExp(`is void, replaced by ${number}, and cannot be paid`),
    );
    assert.ok(getText(getItems(answer.body.problems)[0]?.message).includes(getText(next.hosted_invoice_url)));
  }
  const late = await ask('POST', `/${page}/test-payment`, { token: null });
  assert.equal(late.status, 422);
  assert.ok(late.text.includes(number));
});

test('invoice_not_payable: a machine pays a void invoice → 422; the new invoice → paid on the same rail', async () => {
  for (const rail of [chain, cards]) {
    const headers = { 'x-service-payment-method': rail.method };
    const first = await createOrder({ headers });
    expectStatus(await post(`${first}/void`), 200);
    const next = getText((await reissueInvoice(first)).id);
    for (const credential of [undefined, `old ${rail.method}`]) {
      const answer = expectFailure(await payWith(first, credential, { headers }), 422, 'invoice_not_payable');
      const [problem] = getItems(answer.body.problems);
      assert.match(
        getText(problem?.message),
        new RegExp(`pay INV-2026-\\d{5} at http.*/api/v1/invoices/${next}/pay$`),
      );
    }
    assert.equal(chain.moved.get(`old ${rail.method}`), undefined);
    expectStatus(await payWith(next, `new ${rail.method}`, { headers }), 200);
    assert.equal((await readInvoice(next)).status, 'paid');
  }
  await assertHealthy();
});

test('reissue_invoice: late money for the void invoice → owed back, and the new one stays open', async () => {
  const { invoiceId } = await createVoided();
  const next = getText((await reissueInvoice(invoiceId)).id);
  const transfer = await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, {
    body: { reference: 'LATE 1' },
  });
  assert.equal(expectStatus(transfer, 201).body.taken_as, 'returned');
  assert.equal((await readInvoice(next)).status, 'open');
  await assertHealthy();
});

test('permission_denied: a client reissues an invoice → 403', async () => {
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  const { invoiceId } = await createVoided(createBody(), { token: service.token });
  const answer = await ask('POST', `/lab/invoices/${invoiceId}/reissue`, { token, body: because });
  expectFailure(answer, 403, 'permission_denied');
});

const countReplacements = async (invoiceId: string): Promise<number> =>
  (await read.query('select id from invoices where replaces_id = $1', [invoiceId])).length;

test(`races: three reissues and a cancellation at once, ${ROUNDS} rounds → at most one invoice`, async () => {
  while ((await worker.runDue()) > 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, invoiceId } = await createVoided();
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
    const canceled = getText((await ask('GET', `/experiments/${id}`)).body.status) === 'canceled';
    assert.equal(canceled, round % 2 === 0);
    assert.ok(issued.length === 1 || (issued.length === 0 && canceled));
    assert.equal(await countReplacements(invoiceId), issued.length);
    const alive = await read.query(`select id from invoices where experiment_id = $1 and status <> 'void'`, [
      id,
    ]);
    assert.equal(alive.length, canceled ? 0 : 1);
  }
  await assertHealthy();
});

/** Whether a re-issue has a statement of that number. */
async function assertSurvives(at: number, loss: Loss): Promise<boolean> {
  const { invoiceId } = await createVoided();
  connections.lose(at, loss);
  const first = await post(`${invoiceId}/reissue`);
  const isReached = connections.stop();
  const story = `lost ${loss} statement ${at + 1}: ${first.status} ${first.text}`;
  assert.ok(first.status === 201 || first.status >= 500, story);
  const second = await post(`${invoiceId}/reissue`);
  assert.ok(
    second.status === 201 || getText(second.body.code) === 'invoice_not_reissuable',
    `${story} ${second.text}`,
  );
  assert.equal(await countReplacements(invoiceId), 1, story);
  assert.deepEqual(await checkLedger(labScope, read), [], story);
  return isReached;
}

test('crash: the connection is lost at every statement of a reissue → one invoice, one number, correct books', async () => {
  for (const loss of LOSSES) {
    let at = 0;
    while (await assertSurvives(at, loss)) at += 1;
    assert.ok(at > 12, `only ${at} statements`);
  }
});

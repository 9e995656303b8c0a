import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPayBody } from '#features/payments/pages/pay-view.ts';
import { payTestInvoice, requireInvoiceOfPage } from '#features/payments/collect-payment.ts';
import { getItems, type TestService, testService, getText } from '#testing/service.ts';

const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';
const HOSTILE = '<img src=x onerror=alert(1)>"\'';

/** For tests that others do not disturb; the first has its first invoice. */
const service = await testService();

/** An accepted quote; the path of its payment page. */
async function openInvoice(
  { ask, service }: TestService,
  options: { name?: string; purchaseOrder?: string } = {},
): Promise<{ code: string; invoiceId: string; page: string }> {
  const targets = await ask('GET', '/targets?search=EGFR&selfservice_only=true');
  const created = await ask('POST', '/experiments', {
    body: {
      name: options.name ?? 'to be paid',
      experiment_spec: {
        experiment_type: 'screening',
        method: 'bli',
        target_id: getItems(targets.body.items)[0]?.id,
        n_replicates: 1,
        sequences: { one: VHH },
      },
    },
  });
  const code = getText(created.body.experiment_code);
  await ask('POST', `/experiments/${code}/submit`);
  const confirmed = await ask('POST', `/experiments/${code}/quote/confirm`, {
    body: options.purchaseOrder === undefined ? {} : { purchase_order_number: options.purchaseOrder },
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  const page = getText(confirmed.body.hosted_invoice_url).replace(service.work.site.baseUrl, '/');
  return { code, invoiceId: getText(confirmed.body.invoice_id), page };
}

async function countPayments({ service }: TestService): Promise<number> {
  const [row] = await service.database.read.query<{ count: number }>(
    'select count(*) as count from processor_payments',
  );
  return row?.count ?? -1;
}

test('pay page: two clicks on an open invoice → one payment, and a receipt after the notification', async () => {
  const { ask, service: parts } = service;
  const { page, invoiceId } = await openInvoice(service, { purchaseOrder: 'PO-7' });
  const open = await ask('GET', page, { token: null });
  assert.equal(open.status, 200, open.text);
  assert.match(open.text, /INV-2026-00001/);
  assert.match(open.text, /PO-7/);
  assert.match(open.text, /Make a test payment/);
  assert.doesNotMatch(open.text, /http-equiv="refresh"/);

  const clicks = await Promise.all([1, 2].map(() => ask('POST', `${page}/test-payment`, { token: null })));
  assert.deepEqual(
    clicks.map((answer) => [answer.status, answer.headers.location]),
    [1, 2].map(() => [303, page.slice(1)]),
  );
  assert.equal(await countPayments(service), 1);
  const waiting = await ask('GET', page, { token: null });
  assert.match(waiting.text, /Payment received, being confirmed/);
  assert.match(waiting.text, /http-equiv="refresh" content="2"/);
  assert.doesNotMatch(waiting.text, /Make a test payment/);

  await parts.worker.runDue();
  const receipt = await ask('GET', page, { token: null });
  assert.match(receipt.text, /Receipt/);
  assert.match(receipt.text, /pay_[0-9a-f]{32}/);
  assert.doesNotMatch(receipt.text, /http-equiv="refresh"|Make a test payment/);
  assert.equal((await ask('GET', `/invoices/${invoiceId}`)).body.status, 'paid');
  const again = await ask('POST', `${page}/test-payment`, { token: null });
  assert.equal(again.status, 303);
  assert.equal(await countPayments(service), 1);
});

test('pay page: HTML in a purchase order → shown as text', async () => {
  const { page } = await openInvoice(service, { purchaseOrder: HOSTILE });
  const { text } = await service.ask('GET', page, { token: null });
  assert.match(text, /&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;/);
  assert.doesNotMatch(text, /<img/);
});

test('pay page: a void or uncollectible invoice → a sentence and no payment button', async () => {
  const { page, invoiceId } = await openInvoice(service);
  for (const [status, words] of [
    ['void', /was voided/],
    ['uncollectible', /is closed/],
  ] as const) {
    await service.service.database.read.query('update invoices set status = $1 where id = $2', [
      status,
      invoiceId,
    ]);
    const { text } = await service.ask('GET', page, { token: null });
    assert.match(text, words);
    assert.doesNotMatch(text, /<button/);
    const refused = await service.ask('POST', `${page}/test-payment`, { token: null });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /cannot be paid/);
  }
});

test('invoice_not_found: an unknown key → 404 and a page that says what to do', async () => {
  const answer = await service.ask('GET', '//pay/aaaaaaaaaaaaaaaaaaaaaa', { token: null });
  assert.equal(answer.status, 404);
  assert.match(answer.headers['content-type'] ?? '', /text\/html/);
  assert.match(answer.text, /There is no invoice at this address/);
  assert.match(answer.text, /req_/);
  for (const bad of ['//pay/x', `//pay/${'a'.repeat(200)}`, '//pay/..%2f..%2fetc']) {
    assert.equal((await service.ask('GET', bad, { token: null })).status, 404, bad);
  }
  assert.equal((await service.ask('GET', '//pay/%00', { token: null })).status, 400);
});

test('pay page: another site sends the form → 400 and no payment', async () => {
  const ownService = await testService();
  const { page } = await openInvoice(ownService);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://elsewhere.example' },
  ] as Record<string, string>[]) {
    const refused = await ownService.ask('POST', `${page}/test-payment`, { token: null, headers });
    assert.equal(refused.status, 400, JSON.stringify(headers));
  }
  assert.equal(await countPayments(ownService), 0);
  const own = await ownService.ask('POST', `${page}/test-payment`, {
    token: null,
    headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(own.status, 303);
});

test('test_payment_unavailable: a live environment → shows the bank transfer and refuses a test payment', async () => {
  const sandbox = await testService();
  const { page } = await openInvoice(sandbox, { purchaseOrder: 'PO-7' });
  const key = page.split('/').at(-1) ?? '';
  const invoice = await requireInvoiceOfPage(sandbox.service.database.read, key);
  const { seller } = sandbox.service.work.site.letterhead;
  const view = { invoice, isCollected: false, outside: undefined, now: sandbox.clock.now() };
  const { text } = renderPayBody({
    ...view,
    environment: 'live',
    seller: { ...seller, name: 'Lab of proteins' },
  });
  assert.match(text, /<dt>From<\/dt><dd><bdi>Lab of proteins</);
  assert.match(text, /Pay by bank transfer/);
  assert.match(text, /<code>INV-2026-00001<\/code>/);
  assert.doesNotMatch(text, /<button|test payment/);
  const live = {
    ...sandbox.service.work,
    site: { ...sandbox.service.work.site, environment: 'live' as const },
  };
  const origin = { requestId: 'test', address: '127.0.0.1' };
  await assert.rejects(
    sandbox.service.database.runTransaction((tx) => payTestInvoice(live, tx, key, origin)),
    { code: 'test_payment_unavailable' },
  );
});

test('portal: a live environment → no sandbox frame', async () => {
  const { ask } = await testService({ ENVIRONMENT: 'live' });
  const { text } = await ask('GET', '//', { token: null });
  assert.match(text, /<body class="live">/);
  assert.doesNotMatch(text, /Sandbox/);
});

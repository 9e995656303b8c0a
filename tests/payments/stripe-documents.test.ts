/** Whose document a quote or an invoice has while Stripe is the processor, and what is answered while it has none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { getText, type TestAnswer } from '#testing/service.ts';
import { createStripeService } from '#testing/stripe/service.ts';

const { fake, build, pass, findAtStripe, open, service } = await createStripeService();
const { ask } = service;

const clearFaults = (): void => {
  fake.plan = () => undefined;
};

async function follow(redirect: TestAnswer): Promise<TestAnswer> {
  const { pathname, search } = new URL(expectStatus(redirect, 307).headers.location ?? '');
  return ask('GET', `/${pathname}${search}`, { token: null });
}

async function getPage(invoiceId: string): Promise<string> {
  const { body } = await ask('GET', `/invoices/${invoiceId}`);
  return getText(body.hosted_invoice_url).replace(service.service.work.site.baseUrl, '/');
}

test('get_invoice_pdf: an invoice at Stripe → 307 to the current address with its document, asked of Stripe each time', async () => {
  const { invoiceId, stripeId } = await open();
  const address = `/i/${stripeId}/pdf`;
  for (const [path, read] of [
    [`/invoices/${invoiceId}/pdf`, [`GET ${address}`]],
    [`${await getPage(invoiceId)}/invoice.pdf`, []],
  ] as const) {
    const before = fake.log.length;
    const answer = expectStatus(await ask('GET', path), 307);
    assert.equal(answer.headers.location, `${fake.url}${address}`);
    assert.match(answer.headers['cache-control'] ?? '', /no-store/);
    assert.deepEqual(fake.log.slice(before), [`GET /v1/invoices/${stripeId}`, ...read], 'asked each time');
    if (read.length > 0) {
      assert.equal(answer.headers['content-type'], 'application/pdf');
      assert.equal(answer.text, `%PDF-1.7 invoice ${stripeId}`);
    }
  }
});

test('document_not_ready: Stripe has no document or does not answer → 503 with Retry-After', async () => {
  const { invoiceId } = await build.createInvoiced();
  const path = `/invoices/${invoiceId}/pdf`;
  const early = expectFailure(await ask('GET', path), 503, 'document_not_ready');
  assert.match(early.headers['retry-after'] ?? '', /^\d+$/);
  assert.equal((await ask('GET', `${await getPage(invoiceId)}/invoice.pdf`, { token: null })).status, 503);
  await pass(0);
  expectStatus(await ask('GET', path), 307);
  for (const fault of ['refused', 'lost', 'hang', 'gateway'] as const) {
    fake.plan = () => fault;
    expectFailure(await ask('GET', path), 503, 'document_not_ready');
  }
  clearFaults();
  expectStatus(await ask('GET', path), 307);
});

test('document_not_ready: Stripe names an unsafe address, or one without a document → nobody is sent there', async () => {
  const { invoiceId } = await open();
  const made = findAtStripe(invoiceId);
  assert.ok(made !== undefined);
  for (const pdf of [
    'http://elsewhere.example/a.pdf',
    'javascript:alert(1)',
    'https://a:b@elsewhere.example/',
    `${fake.url}/v1/no-document`,
  ]) {
    made.pdf = pdf;
    expectFailure(await ask('GET', `/invoices/${invoiceId}/pdf`), 503, 'document_not_ready');
  }
  made.pdf = 'https://pay.example/invoice.pdf?s=1';
  const answer = await ask('GET', `${await getPage(invoiceId)}/invoice.pdf`, { token: null });
  assert.equal(expectStatus(answer, 307).headers.location, made.pdf);
  made.page = 'javascript:alert(1)';
  await pass(31);
  const page = expectStatus(await ask('GET', await getPage(invoiceId), { token: null }), 200).text;
  assert.doesNotMatch(page, /javascript:/);
  assert.match(page, /cannot be paid here at the moment/);
});

test('get_invoice_pdf: the invoice has another number at Stripe → our document', async () => {
  const { invoiceId } = await open();
  const made = findAtStripe(invoiceId);
  assert.ok(made !== undefined);
  made.number = 'ANOTHER-1';
  const document = expectStatus(await follow(await ask('GET', `/invoices/${invoiceId}/pdf`)), 200);
  assert.match(document.text, /^%PDF-1\.7\n/);
});

test('get_quote_pdf: a quote at Stripe → its document through our signed link, without our key', async () => {
  const quoted = await build.createQuoted();
  const ask307 = () => ask('GET', `/experiments/${quoted.id}/quote/pdf`);
  expectFailure(await ask307(), 503, 'document_not_ready');
  await pass(0);
  const redirect = await ask307();
  const document = expectStatus(await follow(redirect), 200);
  assert.equal(redirect.text, document.text);
  assert.match(document.text, /^%PDF-1\.7 quote qt_\w+ open$/);
  assert.equal(document.headers['content-type'], 'application/pdf');
  assert.match(document.headers['content-disposition'] ?? '', /^inline; filename="Q-2026-\d{5}\.pdf"$/);
  assert.doesNotMatch((await ask307()).headers.location ?? '', /stripe|sk_/);
  for (const fault of ['refused', 'unclear', 'lost', 'hang', 'gateway'] as const) {
    fake.plan = () => fault;
    expectFailure(await ask307(), 503, 'document_not_ready');
  }
  clearFaults();
  expectStatus(await follow(await ask307()), 200);
});

test('get_quote_pdf: Stripe refuses the quote, or it is a custom draft → our document', async () => {
  fake.refuse = (request) => request === 'POST /v1/quotes';
  const { id } = await build.createQuoted();
  await pass(0);
  fake.refuse = () => false;
  const refused = expectStatus(await follow(await ask('GET', `/experiments/${id}/quote/pdf`)), 200);
  assert.match(refused.text, /^%PDF-1\.7\n/);
  const draft = await build.createCustomDraft();
  const shown = expectStatus(await follow(await ask('GET', `/lab/quotes/${draft.quoteId}/pdf`)), 200);
  assert.match(shown.text, /^%PDF-1\.7\n/);
});

test('get_invoice_pdf: an invoice of a machine rail → our document', async () => {
  const headers = { 'x-service-payment-method': 'mpp-spt' };
  const { invoiceId } = await build.createInvoiced(undefined, { headers });
  const document = expectStatus(await follow(await ask('GET', `/invoices/${invoiceId}/pdf`)), 200);
  assert.match(document.text, /^%PDF-1\.7\n/);
});

test('STRIPE_DOCUMENTS: ours → our documents, whatever Stripe makes', async () => {
  const own = await createStripeService({ STRIPE_DOCUMENTS: 'ours' });
  const quoted = await own.build.createQuoted();
  const invoiced = await own.build.createInvoiced();
  await own.pass(0);
  for (const path of [`/experiments/${quoted.id}/quote/pdf`, `/invoices/${invoiced.invoiceId}/pdf`]) {
    const { pathname, search } = new URL(
      expectStatus(await own.service.ask('GET', path), 307).headers.location ?? '',
    );
    const document = await own.service.ask('GET', `/${pathname}${search}`, { token: null });
    assert.match(expectStatus(document, 200).text, /^%PDF-1\.7\n/);
  }
});

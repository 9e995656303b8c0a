/** Quotes at Stripe beside ours: ours decides, Stripe's follows, and nothing waits for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStripeProcessor } from '#adapters/processors/stripe/index.ts';
import { systemClock } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectStatus, type Quoted } from '#testing/builders.ts';
import { getNumber, getText } from '#testing/service.ts';
import { acceptQuote } from '#testing/stripe/quotes.ts';
import { fakeStripe, SECRET_KEY, WEBHOOK_SECRET } from '#testing/stripe/server.ts';
import { getLastEvent, createStripeService } from '#testing/stripe/service.ts';
import type { FakeInvoice, FakeQuote } from '#testing/stripe/state.ts';

const { fake, build, deliver, pass, findAtStripe, readStatus, service } = await createStripeService();
const { ask, clock } = service;
const { database, worker } = service.service;
const { read } = database;

const findQuoteAtStripe = (quoteId: string): FakeQuote | undefined =>
  Object.values(fake.state.books.quotes).find(({ metadata }) => metadata.quote_id === quoteId);
function sumLines({ lines }: { readonly lines: readonly { readonly amount: number }[] }): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

/** Open here and there. */
async function createMirrored(): Promise<Quoted & { readonly made: FakeQuote }> {
  const quoted = await build.createQuoted();
  await pass(0);
  const made = findQuoteAtStripe(quoted.quoteId);
  assert.equal(made?.status, 'open');
  return { ...quoted, made };
}

interface Mirror {
  readonly status: string;
  readonly last_error: string | null;
  readonly next_at: string | null;
}

async function readMirror(quoteId: string): Promise<Mirror | undefined> {
  const rows = await read.query<Mirror>(
    'select status, last_error, next_at from processor_quotes where quote_id = $1',
    [quoteId],
  );
  return rows[0];
}

async function confirm(quoteId: string): Promise<string> {
  const answer = expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }), 200);
  return getText(answer.body.invoice_id);
}

/** Every invoice at Stripe is one of ours, and no two are the same. */
function assertNoStrayInvoices(): void {
  const ours = Object.values(fake.state.books.invoices).map(({ metadata }) => metadata.invoice_id);
  assert.ok(ours.every((id) => id !== undefined));
  assert.equal(new Set(ours).size, ours.length);
}

async function payAndCheck(invoiceId: string): Promise<void> {
  const made = findAtStripe(invoiceId);
  assert.equal(made?.status, 'open');
  const ours = (await ask('GET', `/invoices/${invoiceId}`)).body;
  assert.equal(made.number, ours.invoice_number);
  assert.equal(sumLines(made), getNumber(ours.total_cents));
  assert.ok(fake.pay(made.id));
  expectStatus(await deliver(getLastEvent(fake, 'invoice.paid')), 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  assertNoStrayInvoices();
  assert.deepEqual(await checkLedger(labScope, read), []);
}

test('Stripe quotes: an open quote is accepted → opened there with our lines, and its invoice becomes ours', async () => {
  const begin = fake.log.length;
  const { quoteId, made } = await createMirrored();
  const asQuote = `/v1/quotes/${made.id}`;
  assert.deepEqual(fake.log.slice(begin), [
    'POST /v1/customers',
    ...made.lines.map(() => 'POST /v1/products'),
    'POST /v1/quotes',
    `POST ${asQuote}/finalize`,
  ]);
  const ours = (await ask('GET', `/quotes/${quoteId}`)).body;
  assert.equal(sumLines(made), getNumber(ours.total_cents));
  assert.equal(made.expiresAt, Math.floor(Date.parse(getText(ours.valid_until)) / 1000));
  const confirmed = fake.log.length;
  const invoiceId = await confirm(quoteId);
  await pass(0);
  const asInvoice = `/v1/invoices/${made.invoice}`;
  assert.deepEqual(fake.log.slice(confirmed), [
    `GET ${asQuote}`,
    `POST ${asQuote}/accept`,
    `GET ${asInvoice}`,
    `POST ${asInvoice}`,
    `POST ${asInvoice}/finalize`,
  ]);
  assert.equal(findQuoteAtStripe(quoteId)?.status, 'accepted');
  assert.equal(findQuoteAtStripe(quoteId)?.invoice, findAtStripe(invoiceId)?.id);
  await payAndCheck(invoiceId);
});

test('Stripe quotes: a quote is accepted before it is at Stripe → the job makes, accepts and invoices it', async () => {
  const { quoteId } = await build.createQuoted();
  const invoiceId = await confirm(quoteId);
  assert.equal(findQuoteAtStripe(quoteId), undefined);
  await pass(0);
  await pass(2);
  assert.equal(findQuoteAtStripe(quoteId)?.status, 'accepted');
  await payAndCheck(invoiceId);
});

test('Stripe quotes: our quote is rejected, expired, withdrawn or canceled → canceled at Stripe', async () => {
  const rejected = await createMirrored();
  const reason = { reason: 'price' };
  expectStatus(await ask('POST', `/quotes/${rejected.quoteId}/reject`, { body: reason }), 200);
  const withdrawn = await createMirrored();
  expectStatus(await ask('POST', `/lab/quotes/${withdrawn.quoteId}/withdraw`, { body: {} }), 200);
  const byClient = await createMirrored();
  expectStatus(await ask('POST', `/experiments/${byClient.id}/cancel`, { body: {} }), 200);
  const byStaff = await createMirrored();
  expectStatus(await ask('POST', `/lab/experiments/${byStaff.id}/cancel`, { body: { reason: 'x' } }), 200);
  await pass(0);
  for (const { quoteId, made } of [rejected, withdrawn, byClient, byStaff]) {
    assert.equal(made.status, 'canceled');
    assert.equal((await readMirror(quoteId))?.status, 'canceled');
  }
  const expired = await createMirrored();
  // Just before it is past its date at Stripe as well.
  clock.advance(30 * 86_400_000);
  await worker.runChores();
  await pass(0);
  assert.equal((await ask('GET', `/quotes/${expired.quoteId}`)).body.status, 'stale');
  assert.equal((await readMirror(expired.quoteId))?.status, 'canceled');
});

test('Stripe quotes: a quote ends before it is at Stripe → it is not opened there', async () => {
  const { quoteId } = await build.createQuoted();
  expectStatus(await ask('POST', `/quotes/${quoteId}/reject`, { body: { reason: 'price' } }), 200);
  await pass(0);
  await pass(60);
  assert.equal(findQuoteAtStripe(quoteId), undefined);
  assert.deepEqual(
    [(await readMirror(quoteId))?.status, (await readMirror(quoteId))?.next_at],
    ['canceled', null],
  );
});

test('Stripe quotes: a quote of a machine rail, or over zero → never sent to Stripe', async () => {
  const headers = { 'x-service-payment-method': 'mpp-spt' };
  const machine = await build.createQuoted(undefined, { headers });
  const draft = await build.createCustomDraft();
  const free = { line_items: [{ description: 'A gift', quantity: 1, unit_price_cents: 0 }] };
  expectStatus(await ask('PATCH', `/lab/quotes/${draft.quoteId}`, { body: free }), 200);
  expectStatus(await ask('POST', `/lab/quotes/${draft.quoteId}/open`), 200);
  await pass(0);
  for (const { quoteId } of [machine, draft]) {
    assert.equal(findQuoteAtStripe(quoteId), undefined);
    assert.equal(await readMirror(quoteId), undefined);
  }
  const invoiceId = await confirm(draft.quoteId);
  await pass(0);
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.equal(findAtStripe(invoiceId), undefined);
});

test('Stripe quotes: a custom quote with a discount → one line there over the same sum', async () => {
  const draft = await build.createCustomDraft();
  const discounts = [{ description: 'Framework agreement', basis_points: 1_000 }];
  expectStatus(await ask('PATCH', `/lab/quotes/${draft.quoteId}`, { body: { discounts } }), 200);
  const opened = expectStatus(await ask('POST', `/lab/quotes/${draft.quoteId}/open`), 200);
  await pass(0);
  const made = findQuoteAtStripe(draft.quoteId);
  assert.deepEqual(
    made?.lines.map(({ amount }) => amount),
    [getNumber(opened.body.total_cents)],
  );
  const invoiceId = await confirm(draft.quoteId);
  await pass(0);
  await payAndCheck(invoiceId);
});

test('Stripe quotes: Stripe refuses the quote for good → the invoice is made without it', async () => {
  for (const step of ['finalize', 'accept'] as const) {
    fake.refuse = (request) => request.endsWith(`/${step}`) && request.includes('/quotes/');
    const { quoteId } = await build.createQuoted();
    await pass(0);
    const invoiceId = await confirm(quoteId);
    await pass(0);
    fake.refuse = () => false;
    const mirror = await readMirror(quoteId);
    assert.match(mirror?.status ?? '', /^(?:refused|canceled)$/);
    assert.equal(mirror?.next_at, null);
    assert.notEqual(findQuoteAtStripe(quoteId)?.status, 'accepted');
    await payAndCheck(invoiceId);
  }
});

test('Stripe quotes: canceled in the dashboard → ours is still accepted and invoiced', async () => {
  const { quoteId, made } = await createMirrored();
  made.status = 'canceled';
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.status, 'open');
  const invoiceId = await confirm(quoteId);
  await pass(0);
  await payAndCheck(invoiceId);
});

test('Stripe quotes: accepted in the dashboard → ours stays open, and its invoice becomes ours when we accept', async () => {
  const { quoteId, made } = await createMirrored();
  acceptQuote(fake.state, made, fake.readNowS());
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.status, 'open');
  const invoiceId = await confirm(quoteId);
  await pass(0);
  assert.equal(findAtStripe(invoiceId)?.id, made.invoice);
  await payAndCheck(invoiceId);
});

test('Stripe quotes: accepted in the dashboard, rejected here → the lab is told, and nothing is invoiced here', async () => {
  const { quoteId, made, id } = await createMirrored();
  acceptQuote(fake.state, made, fake.readNowS());
  expectStatus(await ask('POST', `/quotes/${quoteId}/reject`, { body: { reason: 'price' } }), 200);
  await pass(0);
  assert.equal((await ask('GET', `/experiments/${id}`)).body.status, 'draft');
  const filter = encodeURIComponent(
    `and(eq(operation,quote_accepted_at_processor),eq(subject,'${quoteId}'))`,
  );
  const { body } = await ask('GET', `/lab/audit?filter=${filter}`);
  assert.equal(body.total, 1);
  // What somebody made there stays there, as a draft that nobody can pay.
  assert.equal(fake.state.books.invoices[made.invoice ?? '']?.status, 'draft');
  delete fake.state.books.invoices[made.invoice ?? ''];
});

test('Stripe quotes: somebody removes, voids or finalizes the invoice of an accepted quote → one invoice is paid', async () => {
  const stories: ((invoice: FakeInvoice) => void)[] = [
    (invoice) => void delete fake.state.books.invoices[invoice.id],
    (invoice) => void (invoice.status = 'void'),
  ];
  for (const story of stories) {
    const { quoteId, made } = await createMirrored();
    acceptQuote(fake.state, made, fake.readNowS());
    const begun = fake.state.books.invoices[made.invoice ?? ''];
    assert.ok(begun !== undefined);
    story(begun);
    const invoiceId = await confirm(quoteId);
    await pass(0);
    assert.notEqual(findAtStripe(invoiceId)?.id, begun.id);
    delete fake.state.books.invoices[begun.id];
    await payAndCheck(invoiceId);
  }
  const { quoteId, made } = await createMirrored();
  acceptQuote(fake.state, made, fake.readNowS());
  const begun = fake.state.books.invoices[made.invoice ?? ''];
  assert.ok(begun !== undefined);
  begun.status = 'open';
  fake.pay(begun.id);
  const invoiceId = await confirm(quoteId);
  await pass(0);
  assert.equal(await readStatus(invoiceId), 'paid', 'paid there before ours was made');
  assertNoStrayInvoices();
});

test('Stripe quotes: the invoice is over another sum than ours → not opened, and the error says so', async () => {
  const { quoteId, made } = await createMirrored();
  acceptQuote(fake.state, made, fake.readNowS());
  const begun = fake.state.books.invoices[made.invoice ?? ''];
  begun?.lines.push({ description: 'by hand', amount: 1 });
  const invoiceId = await confirm(quoteId);
  await pass(0);
  assert.equal(findAtStripe(invoiceId)?.status, 'draft');
  const [row] = await read.query<{ last_error: string }>(
    'select last_error from processor_invoices where invoice_id = $1',
    [invoiceId],
  );
  assert.match(row?.last_error ?? '', /the total of \S+ is \d+ usd, but \d+ usd are owed/);
  begun?.lines.pop();
  await pass(60);
  await payAndCheck(invoiceId);
});

test('void_invoice: before or after the job of a quote at Stripe → the quote is canceled, or its invoice voided', async () => {
  const reason = { body: { reason: 'wrong' } };
  const first = await createMirrored();
  const early = await confirm(first.quoteId);
  expectStatus(await ask('POST', `/lab/invoices/${early}/void`, reason), 200);
  await pass(0);
  await pass(60);
  assert.equal(first.made.status, 'canceled');
  assert.equal(findAtStripe(early), undefined);

  const second = await createMirrored();
  const late = await confirm(second.quoteId);
  // Accepted, and the answer never came.
  fake.plan = (request) => (request.endsWith('/accept') ? 'lost' : undefined);
  await pass(0);
  fake.plan = () => undefined;
  assert.equal(second.made.status, 'accepted');
  expectStatus(await ask('POST', `/lab/invoices/${late}/void`, reason), 200);
  await pass(0);
  await pass(60);
  assert.equal(findAtStripe(late)?.status, 'void');
  assertNoStrayInvoices();
});

test('reissue_invoice: an invoice made from a quote at Stripe → a new invoice there, and the old one stays void', async () => {
  const reason = { body: { reason: 'wrong buyer' } };
  // Voided after its invoice was made there, and before.
  for (const isMade of [true, false]) {
    const { quoteId, made } = await createMirrored();
    const first = await confirm(quoteId);
    if (isMade) await pass(0);
    expectStatus(await ask('POST', `/lab/invoices/${first}/void`, reason), 200);
    const again = await ask('POST', `/lab/invoices/${first}/reissue`, reason);
    const next = getText(expectStatus(again, 201).body.id);
    await pass(0);
    await pass(60);
    assert.equal(findAtStripe(first)?.status, isMade ? 'void' : undefined);
    assert.equal(made.status, isMade ? 'accepted' : 'canceled');
    assert.equal(findAtStripe(next)?.status, 'open');
    await payAndCheck(next);
  }
});

test('Stripe quotes: the answer to an opening is lost and our quote ends → found and canceled', async () => {
  fake.plan = (request) => (request === 'POST /v1/quotes' ? 'lost' : undefined);
  const { quoteId } = await build.createQuoted();
  await pass(0);
  fake.plan = () => undefined;
  assert.equal(findQuoteAtStripe(quoteId)?.status, 'draft');
  expectStatus(await ask('POST', `/quotes/${quoteId}/reject`, { body: { reason: 'price' } }), 200);
  await pass(1);
  await pass(60);
  assert.equal(findQuoteAtStripe(quoteId)?.status, 'canceled');
  assert.deepEqual(
    [(await readMirror(quoteId))?.status, (await readMirror(quoteId))?.next_at],
    ['canceled', null],
  );
});

test('Stripe quotes: Stripe is down from quote to invoice → the client notices nothing, and the invoice follows', async () => {
  fake.plan = () => 'refused';
  const { quoteId } = await build.createQuoted();
  await pass(0);
  const invoiceId = await confirm(quoteId);
  await pass(0);
  await pass(2);
  fake.plan = () => undefined;
  await pass(60);
  await pass(60);
  await payAndCheck(invoiceId);
});

test('Stripe quotes: two attempts accept at once → both get the same invoice', async () => {
  const own = await fakeStripe();
  const settings = {
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    apiBase: own.url,
    timeoutMs: 5_000,
  };
  const { hosted } = createStripeProcessor({ ...settings, networkId: null }, systemClock);
  assert.ok(hosted.quotes !== null);
  const organizationId = '01980000-0000-7000-8000-0000000000b1';
  const order = {
    quote_id: 'qt_of_two_attempts',
    quote_number: 'Q-2026-00001',
    organization_id: organizationId,
    customer_id: await hosted.ensureCustomer({ id: organizationId, name: 'Demo organization' }),
    experiment_code: 'EXP-1',
    currency: 'usd',
    lines: [{ description: 'Binding screening assay', amountCents: 14_900 }],
    total_cents: 14_900,
    expires_at: new Date(Date.now() + 86_400_000),
    attempted_at: null,
    providerId: null,
  };
  const [one, other] = await Promise.all([hosted.quotes.accept(order), hosted.quotes.accept(order)]);
  assert.equal(one.status, 'accepted');
  assert.notEqual(one.providerInvoiceId, null);
  assert.deepEqual(other, one);
  assert.equal(Object.keys(own.state.books.invoices).length, 1);
});

/** The hosted rail with Stripe: the SDK drives our adapter against a stateful fake held to the SDK's own types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { getItems, getNumber, getText } from '#testing/service.ts';
import { getLastEvent, createStripeService } from '#testing/stripe/service.ts';
import { toRecord } from '#testing/stripe/values.ts';

const setup = await createStripeService();
const { fake, build, deliver, pass, findAtStripe, readStatus, open, service } = setup;
const { ask, clock } = service;
const { read } = service.service.database;

const clearFaults = (): void => {
  fake.plan = () => undefined;
};

async function countPostings(invoiceId: string): Promise<number> {
  const rows = await read.query<{ count: number }>(
    `select count(*) as count from ledger_transactions where invoice_id = $1 and kind = 'payment_settled'`,
    [invoiceId],
  );
  return rows[0]?.count ?? -1;
}

async function getPage(invoiceId: string): Promise<string> {
  const { body } = await ask('GET', `/invoices/${invoiceId}`);
  const path = getText(body.hosted_invoice_url).replace(service.service.work.site.baseUrl, '/');
  return expectStatus(await ask('GET', path, { token: null }), 200).text;
}

test('Stripe: an accepted quote → an open invoice there, and its notification settles it', async () => {
  const invoiced = await build.createInvoiced(build.createBody({ sequences: { a: 'ACDEFGHIKLMNPQRSTVWY' } }));
  assert.match(await getPage(invoiced.invoiceId), /being prepared/);
  await service.service.worker.runDue();
  const made = findAtStripe(invoiced.invoiceId);
  const ours = (await ask('GET', `/invoices/${invoiced.invoiceId}`)).body;
  assert.equal(made?.status, 'open');
  assert.equal(made.number, ours.invoice_number);
  const total = made.lines.reduce((sum, { amount }) => sum + amount, 0);
  assert.equal(total, getNumber(ours.total_cents));
  assert.match(await getPage(invoiced.invoiceId), new RegExp(`href="${fake.url}/i/${made.id}"`));
  assert.doesNotMatch(await getPage(invoiced.invoiceId), /test payment/);

  assert.ok(fake.pay(made.id));
  expectStatus(await deliver(getLastEvent(fake, 'invoice.paid')), 200);
  const paid = (await ask('GET', `/invoices/${invoiced.invoiceId}`)).body;
  assert.equal(paid.status, 'paid');
  assert.deepEqual(paid.settlement_reference, { type: 'provider_payment', payment_id: made.id });
  assert.match(await getPage(invoiced.invoiceId), /Receipt/);
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('Stripe: several invoices of one organization → one customer', async () => {
  const before = Object.keys(fake.state.books.customers).length;
  await open();
  await open();
  assert.equal(Object.keys(fake.state.books.customers).length, before);
});

test('hazard: the same event ten times at once → one ledger entry', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  const event = getLastEvent(fake, 'invoice.paid');
  const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(event)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(await countPostings(invoiceId), 1);
});

test('hazard: a notification before our own row is visible → 503, and Stripe sends it again', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  const event = getLastEvent(fake, 'invoice.paid');
  // As after a commit that this process does not see yet: neither the row nor the invoice is there.
  const unknown = {
    ...event,
    id: 'evt_early',
    object: withMetadata(event.object, '01980000-0000-7000-8000-00000000ffff', 'in_early'),
  };
  const early = expectFailure(await deliver(unknown), 503, 'notification_too_early');
  assert.notEqual(early.headers['retry-after'], undefined);
  expectStatus(await deliver(event), 200);
  assert.equal(await readStatus(invoiceId), 'paid');
});

function withMetadata(object: unknown, invoiceId: string, id: string): unknown {
  return { ...toRecord(object), id, metadata: { invoice_id: invoiceId } };
}

test('hazard: a notification for an invoice whose creation was never answered → it settles the invoice', async () => {
  const { invoiceId } = await build.createInvoiced();
  // Everything reaches Stripe, and no answer comes back.
  fake.plan = (request) => (request.startsWith('POST /v1/invoices/') ? 'lost' : undefined);
  await pass(0);
  await pass(2);
  await pass(4);
  clearFaults();
  const made = findAtStripe(invoiceId);
  assert.equal(made?.status, 'open');
  fake.pay(made.id);
  expectStatus(await deliver(getLastEvent(fake, 'invoice.paid')), 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  await pass(60);
  assert.equal(await countPostings(invoiceId), 1);
  const invoices = Object.values(fake.state.books.invoices);
  assert.equal(invoices.filter(({ metadata }) => metadata.invoice_id === invoiceId).length, 1);
  assert.deepEqual(
    invoices.filter(({ metadata }) => metadata.invoice_id === undefined),
    [],
    'what was made of a quote is named',
  );
});

function isOf(object: unknown, invoiceId: string): boolean {
  return toRecord(toRecord(object).metadata).invoice_id === invoiceId;
}

test('hazard: the notification races the synchronous path → one of them settles', async () => {
  const { invoiceId, stripeId } = await open();
  clock.advance(3_600_000);
  fake.pay(stripeId);
  const event = getLastEvent(fake, 'invoice.paid');
  const { worker } = service.service;
  const answers = await Promise.all([deliver(event), worker.runChores(), deliver(event), worker.runChores()]);
  for (const answer of answers) if (answer !== undefined) assert.equal(answer.status, 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.equal(await countPostings(invoiceId), 1);
});

test('hazard: the notification meets a deadlock → it is repeated and answered 200', async () => {
  const { id, invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  const event = getLastEvent(fake, 'invoice.paid');
  let delivered: ReturnType<typeof deliver> | undefined;
  // Against the order of everything else: the invoice first. One of the two has to give way and begin again.
  await service.service.database.runTransaction(async (tx) => {
    await tx.query('select 1 from invoices where id = $1 for update', [invoiceId]);
    if (delivered === undefined) {
      delivered = deliver(event);
      await waitForLock();
    }
    await tx.query('select 1 from experiments where id = $1 for update', [id]);
  });
  assert.equal((await delivered)?.status, 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.equal(await countPostings(invoiceId), 1);
});

/** Returns once somebody waits for a lock of this database. */
async function waitForLock(): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const waiting = await read.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
    assert.ok(performance.now() < deadline, 'nobody waits for a lock');
  }
}

test('hazard: duplicate, disordered and late events → a paid invoice never reopens', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  const events = fake.state.books.events.filter(({ object }) => isOf(object, invoiceId));
  assert.ok(events.length >= 3);
  for (const event of [...events, ...events].reverse()) expectStatus(await deliver(event), 200);
  clock.advance(3 * 86_400_000);
  for (const event of events) expectStatus(await deliver(event), 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.equal(await countPostings(invoiceId), 1);
});

test('hazard: the notification never comes → asking finds the payment within a minute', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  await pass(31);
  assert.equal(await readStatus(invoiceId), 'paid');
});

test('collected_by_processor: a transfer or test payment for an invoice that Stripe collects → 409', async () => {
  const { invoiceId } = await open();
  expectFailure(await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`), 409, 'collected_by_processor');
  const { body } = await ask('GET', `/invoices/${invoiceId}`);
  const page = getText(body.hosted_invoice_url).replace(service.service.work.site.baseUrl, '/');
  assert.equal((await ask('POST', `${page}/test-payment`, { token: null })).status, 409);
});

test('Stripe: a reply that is not an invoice → not believed, whatever its status', async () => {
  const { invoiceId } = await build.createInvoiced();
  // The SDK resolves a 502 whose JSON has no error as if it were the object.
  fake.plan = () => 'gateway';
  await pass(0);
  const [row] = await read.query<{ status: string; last_error: string }>(
    'select status, last_error from processor_invoices where invoice_id = $1',
    [invoiceId],
  );
  assert.equal(row?.status, 'wanted');
  assert.match(row.last_error, /expected form/);
  clearFaults();
  await pass(60);
  assert.equal(findAtStripe(invoiceId)?.status, 'open');
});

test('void_invoice: an invoice at Stripe → withdrawn there; paid in the meantime → refunded', async () => {
  const first = await open();
  expectStatus(
    await ask('POST', `/lab/invoices/${first.invoiceId}/void`, { body: { reason: 'wrong' } }),
    200,
  );
  await pass(0);
  assert.equal(findAtStripe(first.invoiceId)?.status, 'void');
  assert.equal(fake.pay(first.stripeId), false);

  const second = await open();
  const before = fake.state.sumCollectedCents();
  fake.pay(second.stripeId);
  expectStatus(
    await ask('POST', `/lab/invoices/${second.invoiceId}/void`, { body: { reason: 'wrong' } }),
    200,
  );
  await pass(0);
  await pass(1);
  assert.equal(await readStatus(second.invoiceId), 'void');
  assert.equal(fake.state.sumCollectedCents(), before, 'the money went back');
  assert.deepEqual(await checkLedger(labScope, read), []);
});

async function listEntries(invoiceId: string, operation: string) {
  const filter = encodeURIComponent(`and(eq(operation,${operation}),eq(subject,'${invoiceId}'))`);
  return getItems((await ask('GET', `/lab/audit?filter=${filter}`)).body.items);
}

async function listUpdates(experimentId: string): Promise<string[]> {
  const { body } = await ask('GET', `/updates?experiment_id=${experimentId}&limit=100`);
  return getItems(body.items).map(({ name }) => getText(name));
}

test('Stripe: an invoice is voided in the dashboard → void here, with an audit entry and an update', async () => {
  for (const isTold of [true, false]) {
    const { id, invoiceId, stripeId } = await open();
    const made = fake.state.books.invoices[stripeId];
    assert.ok(made !== undefined);
    made.status = 'void';
    const object = { id: stripeId, object: 'invoice', metadata: made.metadata };
    const event = { id: `evt_void_${stripeId}`, created: 1, type: 'invoice.voided', object };
    if (isTold) expectStatus(await deliver(event), 200);
    else await pass(31);
    const { body } = await ask('GET', `/lab/invoices/${invoiceId}`);
    assert.deepEqual([body.status, body.closed_reason], ['void', 'Voided at stripe']);
    const [entry, ...others] = await listEntries(invoiceId, 'invoice_voided_at_processor');
    assert.deepEqual([entry?.actor_kind, entry?.actor, others.length], ['processor', 'stripe', 0]);
    assert.ok((await listUpdates(id)).includes('Invoice voided'));
    assert.match(await getPage(invoiceId), /was voided/);
    if (isTold) expectStatus(await deliver(event), 200);
    await pass(3_600);
    assert.equal((await listEntries(invoiceId, 'invoice_voided_at_processor')).length, 1);
  }
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('Stripe: an invoice is marked uncollectible there → uncollectible here, and a late payment still pays it', async () => {
  const { id, invoiceId, stripeId } = await open();
  const made = fake.state.books.invoices[stripeId];
  assert.ok(made !== undefined);
  made.status = 'uncollectible';
  await pass(31);
  assert.equal(await readStatus(invoiceId), 'uncollectible');
  assert.equal((await listEntries(invoiceId, 'invoice_given_up_at_processor')).length, 1);
  assert.ok((await listUpdates(id)).includes('Invoice closed as uncollectible'));
  assert.match(await getPage(invoiceId), /is closed/);
  assert.deepEqual(await checkLedger(labScope, read), []);
  await pass(3_601);
  assert.equal(made.status, 'uncollectible', 'it is not withdrawn');
  fake.pay(stripeId);
  expectStatus(await deliver(getLastEvent(fake, 'invoice.paid')), 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('mark_invoice_uncollectible: an invoice at Stripe → withdrawn there, uncollectible here', async () => {
  const { invoiceId } = await open();
  const reason = { body: { reason: 'bankrupt' } };
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/uncollectible`, reason), 200);
  await pass(0);
  assert.equal(findAtStripe(invoiceId)?.status, 'void');
  assert.equal(await readStatus(invoiceId), 'uncollectible');
});

test('refund_invoice: the answer of Stripe is lost → the money is sent back once', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  await deliver(getLastEvent(fake, 'invoice.paid'));
  const before = fake.state.sumCollectedCents();
  fake.plan = (request, index) => {
    if (request !== 'POST /v1/refunds') return undefined;
    fake.plan = () => undefined;
    return index >= 0 ? 'lost' : undefined;
  };
  const refund = expectStatus(
    await ask('POST', `/lab/invoices/${invoiceId}/refunds`, {
      body: { amount_cents: 1_000, reason: 'late' },
    }),
    201,
  );
  for (let round = 0; round < 4; round++) await pass(10);
  assert.equal(before - fake.state.sumCollectedCents(), 1_000);
  const rows = await read.query<{ status: string }>('select status from refunds where id = $1', [
    getText(refund.body.id),
  ]);
  assert.equal(rows[0]?.status, 'refunded');
  assert.deepEqual(await checkLedger(labScope, read), []);
});

test('invalid_notification: a changed body, a foreign secret or an old signature → 400', async () => {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  const { payload, signature } = fake.signEvent(getLastEvent(fake, 'invoice.paid'));
  const send = (body: string, header: string) =>
    ask('POST', '//processor/notifications', {
      token: null,
      payload: body,
      headers: { 'stripe-signature': header },
    });
  expectFailure(
    await send(payload.replace('invoice.paid', 'invoice.void'), signature),
    400,
    'invalid_notification',
  );
  expectFailure(
    await send(payload, signature.replace(/v1=\w{8}/, 'v1=00000000')),
    400,
    'invalid_notification',
  );
  expectFailure(await send(payload, ''), 400, 'invalid_notification');
  clock.advance(400_000);
  expectFailure(await send(payload, signature), 400, 'invalid_notification');
  assert.equal(await readStatus(invoiceId), 'open');
});

test('Stripe: events of other things in the account → accepted without effect', async () => {
  const foreign = { id: 'evt_foreign', created: 1 };
  expectStatus(
    await deliver({ ...foreign, type: 'customer.created', object: { id: 'cus_1', object: 'customer' } }),
    200,
  );
  const object = { id: 'in_foreign', object: 'invoice', metadata: {} };
  expectStatus(await deliver({ ...foreign, type: 'invoice.paid', object }), 200);
});

test('Stripe: a payment on its page fails, also told twice → one update; of an invoice that is paid → none', async () => {
  const { id, invoiceId, stripeId } = await open();
  const made = fake.state.books.invoices[stripeId];
  assert.ok(made !== undefined);
  const object = { id: stripeId, object: 'invoice', metadata: made.metadata };
  const event = { id: `evt_failed_${stripeId}`, created: 1, type: 'invoice.payment_failed', object };
  for (let count = 0; count < 2; count += 1) expectStatus(await deliver(event), 200);
  const countFailures = async () =>
    (await listUpdates(id)).filter((name) => name === 'Payment failed').length;
  assert.equal(await countFailures(), 1);
  assert.equal(await readStatus(invoiceId), 'open');
  assert.ok(fake.pay(stripeId));
  expectStatus(await deliver({ ...event, id: `${event.id}_late` }), 200);
  assert.equal(await readStatus(invoiceId), 'paid');
  assert.equal(await countFailures(), 1);
});

/** The built-in processor behind the port of every processor: its book, its signed notifications, its old invoices. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createBuiltinProcessor } from '#adapters/processors/builtin/index.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { testService, getText } from '#testing/service.ts';

const service = await testService();
const { ask, clock } = service;
const { database, worker, work } = service.service;
const { read } = database;
const build = await createBuilders(service);
const SECRET = 'a secret of this test';
const { hosted } = createBuiltinProcessor(work, database, SECRET);

const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, read), []);
const readStatus = async (id: string) => getText((await ask('GET', `/invoices/${id}`)).body.status);

interface Book {
  readonly status: string;
  readonly provider_id: string | null;
  readonly next_at: string | null;
  readonly at_processor: string | null;
}

async function readBook(invoiceId: string): Promise<Book | undefined> {
  const rows = await read.query<Book>(
    `select p.status, p.provider_id, p.next_at, b.status as at_processor
     from processor_invoices p left join builtin_invoices b on b.invoice_id = p.invoice_id
     where p.invoice_id = $1 and p.processor = 'builtin'`,
    [invoiceId],
  );
  return rows[0];
}

async function testPayment(invoiceId: string): Promise<number> {
  const { body } = await ask('GET', `/invoices/${invoiceId}`);
  const page = getText(body.hosted_invoice_url).replace(work.site.baseUrl, '/');
  return (await ask('POST', `${page}/test-payment`, { token: null })).status;
}

async function settle(): Promise<void> {
  while ((await worker.runDue()) > 0);
}

test('hosted rail: an accepted quote → the built-in processor opens the invoice, and payment closes it', async () => {
  const { invoiceId } = await build.createInvoiced();
  assert.deepEqual(
    [(await readBook(invoiceId))?.status, (await readBook(invoiceId))?.at_processor],
    ['wanted', null],
  );
  await settle();
  const open = await readBook(invoiceId);
  assert.deepEqual([open?.status, open?.at_processor], ['open', 'open']);
  assert.equal(await testPayment(invoiceId), 303);
  assert.equal(await readStatus(invoiceId), 'open', 'paid by its notification, not by the button');
  await settle();
  assert.equal(await readStatus(invoiceId), 'paid');
  const paid = await readBook(invoiceId);
  assert.deepEqual([paid?.status, paid?.at_processor, paid?.next_at], ['paid', 'paid', null]);
  await assertHealthy();
});

test('hosted rail: a payment before the invoice is open at the processor → it is paid all the same', async () => {
  for (const pay of [
    testPayment,
    async (id: string) => (await ask('POST', `/lab/invoices/${id}/bank-transfer`)).status,
  ]) {
    const { invoiceId } = await build.createInvoiced();
    assert.ok((await pay(invoiceId)) < 400);
    assert.equal((await readBook(invoiceId))?.at_processor, 'paid');
    await settle();
    assert.equal(await readStatus(invoiceId), 'paid');
  }
  await assertHealthy();
});

test('hosted rail: the notification never comes → asking finds the payment within a minute', async () => {
  const { invoiceId } = await build.createInvoiced();
  await settle();
  assert.equal(await testPayment(invoiceId), 303);
  await read.query(`delete from jobs where kind = 'notify_payment'`);
  clock.advance(31_000);
  await worker.runChores();
  assert.equal(await readStatus(invoiceId), 'paid');
  await assertHealthy();
});

test('void_invoice: a hosted invoice is voided → the processor withdraws it and refunds a late payment', async () => {
  const reason = { body: { reason: 'wrong' } };
  const first = await build.createInvoiced();
  await settle();
  expectStatus(await ask('POST', `/lab/invoices/${first.invoiceId}/void`, reason), 200);
  await settle();
  assert.deepEqual(
    [(await readBook(first.invoiceId))?.status, (await readBook(first.invoiceId))?.at_processor],
    ['void', 'void'],
  );
  assert.equal(await testPayment(first.invoiceId), 422);

  const second = await build.createInvoiced();
  assert.equal(await testPayment(second.invoiceId), 303);
  expectStatus(await ask('POST', `/lab/invoices/${second.invoiceId}/void`, reason), 200);
  await settle();
  assert.equal(await readStatus(second.invoiceId), 'void');
  const refunds = await read.query<{ status: string }>('select status from refunds where invoice_id = $1', [
    second.invoiceId,
  ]);
  assert.deepEqual(refunds, [{ status: 'refunded' }]);
  await assertHealthy();
});

test('void_invoice: the processor never opened the invoice → it is not opened there', async () => {
  const { invoiceId } = await build.createInvoiced();
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/void`, { body: { reason: 'wrong' } }), 200);
  await settle();
  assert.deepEqual(
    [(await readBook(invoiceId))?.status, (await readBook(invoiceId))?.at_processor],
    ['void', null],
  );
});

function signBody(body: string, at = clock.now(), secret = SECRET): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

test('invalid_notification: another signature, an old one or another form → refused', async () => {
  const invoice = {
    id: `bi_${'0'.repeat(32)}`,
    invoice_id: '01980000-0000-7000-8000-00000000ffff',
    payment_id: 'pay_1',
  };
  const body = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', created_at: '2026-03-02', invoice });
  const read = async (text: string, signature: string | undefined) =>
    hosted.readNotice(text, signature, clock.now());
  const { id, invoice_id: invoiceId } = invoice;
  const notice = { id: 'evt_1', type: 'invoice.paid', providerId: id, invoiceId, isPaymentFailure: false };
  assert.deepEqual(await read(body, signBody(body)), notice);
  const old = new Date(clock.now().getTime() - 400_000);
  for (const [text, signature] of [
    [body, undefined],
    [body, ''],
    [body, 't=1,v1=00'],
    [body, signBody(body, clock.now(), 'another secret')],
    [body, signBody(body, old)],
    [body.replace('pay_1', 'pay_2'), signBody(body)],
    ['no JSON', signBody('no JSON')],
    ['{}', signBody('{}')],
  ] as const)
    await assert.rejects(read(text, signature), { code: 'invalid_notification' }, `${text} ${signature}`);
});

test('invalid_notification: no valid signature of a processor → 400', async () => {
  const unsigned: Readonly<Record<string, string>>[] = [
    {},
    { 'processor-signature': 't=1,v1=00' },
    { 'stripe-signature': 't=1,v1=00' },
  ];
  for (const headers of unsigned)
    expectFailure(
      await ask('POST', '//processor/notifications', {
        token: null,
        payload: '{}',
        headers: { 'content-type': 'application/json', ...headers },
      }),
      400,
      'invalid_notification',
    );
});

/** What the migration has done to a database of this service, undone: as if it had never had the book. */
async function asBefore(): Promise<void> {
  await read.query(`delete from processor_invoices where processor = 'builtin'`);
  await read.query('drop table builtin_invoices');
  const migration = new URL('../../migrations/0026_builtin_invoices.sql', import.meta.url);
  await database.runTransaction(async (tx) => {
    for (const statement of readFileSync(migration, 'utf8').split(/;\n/))
      if (statement.trim() !== '') await tx.query(statement);
  });
}

test('migration: invoices of every state from before the processor book → are in it and go on', async () => {
  const [open, collected, paid, voided, given] = [
    await build.createInvoiced(),
    await build.createInvoiced(),
    await build.createPaid(),
    await build.createInvoiced(),
    await build.createInvoiced(),
  ];
  const reason = { body: { reason: 'wrong' } };
  expectStatus(await ask('POST', `/lab/invoices/${voided.invoiceId}/void`, reason), 200);
  expectStatus(await ask('POST', `/lab/invoices/${given.invoiceId}/uncollectible`, reason), 200);
  await settle();
  assert.equal(await testPayment(collected.invoiceId), 303);
  const jobs = await read.query<{ id: number }>(
    `delete from jobs where kind = 'notify_payment' and done_at is null returning id`,
  );
  assert.equal(jobs.length, 1);
  await asBefore();

  const states = await Promise.all(
    [open, collected, paid, voided, given].map(async ({ invoiceId }) => {
      const book = await readBook(invoiceId);
      return [book?.status, book?.at_processor, book?.next_at !== null];
    }),
  );
  assert.deepEqual(states, [
    ['open', 'open', true],
    ['open', 'paid', true],
    ['paid', 'paid', false],
    ['void', 'void', false],
    ['void', 'void', false],
  ]);
  // The database's own clock wrote when they are looked at next.
  await read.query('update processor_invoices set next_at = $1 where next_at is not null', [clock.now()]);
  await worker.runChores();
  assert.equal(await readStatus(collected.invoiceId), 'paid');
  assert.equal(await testPayment(open.invoiceId), 303);
  await settle();
  assert.equal(await readStatus(open.invoiceId), 'paid');
  const refund = { body: { amount_cents: 500, reason: 'late' } };
  expectStatus(await ask('POST', `/lab/invoices/${paid.invoiceId}/refunds`, refund), 201);
  await settle();
  const rows = await read.query<{ status: string; rail: string }>(
    'select status, rail from refunds where invoice_id = $1',
    [paid.invoiceId],
  );
  assert.deepEqual(rows, [{ status: 'refunded', rail: 'hosted' }]);
  await assertHealthy();
});

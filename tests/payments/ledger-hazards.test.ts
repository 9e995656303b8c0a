/** What is known to go wrong between payments and books, each shown not to happen here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger, selectTrialBalance, selectInvoiceBalances } from '#features/ledger/store.ts';
import type { RefundFinding, RefundOutcome, RefundPort } from '#features/payments/processor.ts';
import { resumeForgottenRefunds, sendRefund } from '#features/invoices/refunds/send-refund.ts';
import { settlePayment, type Settlement } from '#features/payments/settle-payment.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getItems, getNumber, testService, getText } from '#testing/service.ts';

const service = await testService();
const { ask } = service;
const { database, worker, work } = service.service;
const { createInvoiced, createPaid } = await createBuilders(service);

const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, database.read), []);
const readInvoice = async (id: string) => (await ask('GET', `/invoices/${id}`)).body;
const listPostings = async (id: string) =>
  (
    await database.read.query<{ kind: string }>(
      'select kind from ledger_transactions where invoice_id = $1 order by posted_at, kind',
      [id],
    )
  ).map(({ kind }) => kind);

function createPayment(reference: string, amountCents: number, rail = 'hosted'): Settlement {
  return {
    rail,
    externalReference: reference,
    amountCents,
    currency: 'usd',
    reference: { type: 'provider_payment', payment_id: reference },
    details: {},
  };
}
const settle = (id: string, settlement: Settlement) =>
  database.runTransaction((tx) => settlePayment(work, tx, id, settlement));

test('hazard: ten notifications of one payment at once → one payment is recorded', async () => {
  const { invoiceId } = await createInvoiced();
  const { total_cents: total } = await readInvoice(invoiceId);
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => settle(invoiceId, createPayment('pay_ten', getNumber(total)))),
  );
  assert.deepEqual(outcomes.sort(), [...Array.from({ length: 9 }, () => 'known'), 'paid']);
  assert.deepEqual(await listPostings(invoiceId), ['invoice_finalized', 'payment_settled']);
});

test('hazard: paid on two rails at once → one payment counts, the other is owed back', async () => {
  for (let round = 0; round < 25; round += 1) {
    const { invoiceId } = await createInvoiced();
    const total = getNumber((await readInvoice(invoiceId)).total_cents);
    const outcomes = await Promise.all([
      settle(invoiceId, createPayment(`pay_a_${round}`, total, 'rail-a')),
      settle(invoiceId, createPayment(`pay_b_${round}`, total, 'rail-b')),
    ]);
    assert.deepEqual(outcomes.sort(), ['paid', 'returned']);
    const books = await selectInvoiceBalances(labScope, database.read, invoiceId);
    assert.deepEqual([books.cash, books.refunds, books.receivable], [2 * total, 0 - total, 0]);
  }
  await assertHealthy();
});

test('hazard: one reference for two invoices → refused for the second', async () => {
  const [one, other] = [await createInvoiced(), await createInvoiced()];
  const total = getNumber((await readInvoice(one.invoiceId)).total_cents);
  assert.equal(await settle(one.invoiceId, createPayment('pay_same', total)), 'paid');
  await assert.rejects(settle(other.invoiceId, createPayment('pay_same', total)), {
    code: 'invoice_not_payable',
  });
  assert.equal((await readInvoice(other.invoiceId)).status, 'open');
});

test('hazard: duplicates, disorder and wrong amounts → a paid invoice never reopens and a wrong amount settles nothing', async () => {
  const { invoiceId } = await createInvoiced();
  const total = getNumber((await readInvoice(invoiceId)).total_cents);
  await assert.rejects(settle(invoiceId, createPayment('pay_less', total - 1)), {
    code: 'invoice_not_payable',
  });
  const euros = { ...createPayment('pay_eur', total), currency: 'eur' };
  await assert.rejects(settle(invoiceId, euros), { code: 'invoice_not_payable' });
  assert.equal(await settle(invoiceId, createPayment('pay_right', total)), 'paid');
  assert.equal(await settle(invoiceId, createPayment('pay_right', total)), 'known');
  const reason = { reason: 'late' };
  for (const action of ['void', 'uncollectible'])
    assert.equal((await ask('POST', `/lab/invoices/${invoiceId}/${action}`, { body: reason })).status, 409);
  assert.equal((await readInvoice(invoiceId)).status, 'paid');
});

test('hazard: the settlement is rolled back → no update, job or posting remains', async () => {
  const { id, invoiceId } = await createInvoiced();
  const total = getNumber((await readInvoice(invoiceId)).total_cents);
  const traces = async () => {
    const [row] = await database.read.query<{ traces: string }>(
      `select concat_ws(' ', (select count(*) from updates where experiment_id = $1), (select count(*) from jobs),
         (select count(*) from ledger_transactions), (select count(*) from audit_log)) as traces`,
      [id],
    );
    return row?.traces;
  };
  const before = await traces();
  const failing = database.runTransaction(async (tx) => {
    await settlePayment(work, tx, invoiceId, createPayment('pay_undone', total));
    throw new Error('at the very end');
  });
  await assert.rejects(failing, /at the very end/);
  assert.equal(await traces(), before);
  assert.equal((await readInvoice(invoiceId)).status, 'open');
});

test('ledger: a statement changes or removes a posting → nothing changes', async () => {
  await createPaid();
  const before = await selectTrialBalance(labScope, database.read);
  assert.ok(before.length > 0);
  for (const statement of [
    'update ledger_entries set debit_cents = debit_cents + 1 where debit_cents > 0',
    'delete from ledger_entries',
    `update ledger_transactions set rail = 'elsewhere'`,
    'delete from ledger_transactions',
  ])
    await database.read.query(statement);
  assert.deepEqual(await selectTrialBalance(labScope, database.read), before);
  await assertHealthy();
});

/** A rail whose next answers are given; it moves money once for each key. */
function createScriptedRail(answers: ('done' | 'answer lost' | 'not reached' | 'refused')[]) {
  const moved = new Map<string, string>();
  const find = async (key: string): Promise<RefundFinding> => {
    const reference = moved.get(key);
    return reference === undefined ? { kind: 'none' } : { kind: 'refunded', reference };
  };
  const port: RefundPort = {
    find: ({ idempotency_key: idempotencyKey }) => find(idempotencyKey),
    async send({ idempotency_key: idempotencyKey, refund_id: refundId }): Promise<RefundOutcome> {
      const answer = answers.shift() ?? 'done';
      if (answer === 'refused') return { kind: 'refused', reason: 'The card was closed.' };
      if (answer === 'not reached') throw new Error('the connection was refused');
      const reference = `back:${refundId}:${moved.size}`;
      moved.set(idempotencyKey, reference);
      if (answer === 'answer lost') return { kind: 'unknown', reason: 'the answer was lost' };
      return { kind: 'refunded', reference };
    },
  };
  return { port, moved };
}

async function createRefund(invoiceId: string): Promise<string> {
  const body = { reason: 'goodwill', amount_cents: 500 };
  return getText(
    expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201).body.id,
  );
}

async function refundStatus(id: string): Promise<string> {
  const listed = await ask('GET', `/lab/refunds?filter=eq(id,${id})`);
  return getText(getItems(listed.body.items)[0]?.status);
}

test('refund: the answer is lost or never comes → the money is sent once', async () => {
  const { invoiceId } = await createPaid();
  const { port, moved } = createScriptedRail(['not reached', 'answer lost']);
  const id = await createRefund(invoiceId);
  const attempt = () => sendRefund(work, database, { hosted: port }, id);
  await assert.rejects(attempt(), /not known yet/);
  await assert.rejects(attempt(), /not known yet/);
  assert.equal(await refundStatus(id), 'pending');
  await attempt();
  assert.equal(await refundStatus(id), 'refunded');
  await attempt();
  assert.equal(moved.size, 1);
  await worker.runDue();
  await assertHealthy();
});

test('refund: the rail refuses → staff see it, and a retry has a key of its own', async () => {
  const { invoiceId } = await createPaid();
  const { port, moved } = createScriptedRail(['refused']);
  const id = await createRefund(invoiceId);
  await sendRefund(work, database, { hosted: port }, id);
  assert.equal(await refundStatus(id), 'action_required');
  expectStatus(await ask('POST', `/lab/refunds/${id}/retry`), 200);
  await sendRefund(work, database, { hosted: port }, id);
  assert.equal(await refundStatus(id), 'refunded');
  assert.deepEqual([...moved.keys()], [`refund:${id}:2`]);
  await assertHealthy();
});

test('refund: its job was given up → it is resumed', async () => {
  const { invoiceId } = await createPaid();
  const id = await createRefund(invoiceId);
  await database.read.query(`update jobs set failed_at = now() where unique_key = $1`, [`send_refund:${id}`]);
  await worker.runDue();
  assert.equal(await refundStatus(id), 'pending');
  await resumeForgottenRefunds(work, database);
  await worker.runDue();
  assert.equal(await refundStatus(id), 'refunded');
  await assertHealthy();
});

test('ledger check: every kind of disagreement → is named', async () => {
  const { invoiceId } = await createPaid();
  const { invoiceId: open } = await createInvoiced();
  const spoil = async (statement: string, subject: string, kind: string) => {
    await assert.rejects(
      database.runTransaction(async (tx) => {
        await tx.query(statement, [subject]);
        const kinds = (await checkLedger(labScope, tx)).map((finding) => finding.kind);
        assert.ok(kinds.includes(kind), `${kind} is not among ${kinds.join(', ')}`);
        throw new Error('undo');
      }),
      /undo/,
    );
  };
  await spoil(`update invoices set status = 'open' where id = $1`, invoiceId, 'settled_invoice_not_paid');
  await spoil(`update invoices set status = 'void' where id = $1`, open, 'void_invoice_left_in_the_books');
  await spoil(
    `update invoices set status = 'paid', paid_at = now(), amount_paid_cents = total_cents where id = $1`,
    open,
    'paid_invoice_not_settled',
  );
  await spoil(
    `update invoices set invoice_number = 'INV-1999-00001' where id = $1`,
    open,
    'document_numbers_with_a_gap',
  );
  await spoil(
    `update invoices set subtotal_cents = subtotal_cents + 1, total_cents = total_cents + 1 where id = $1`,
    open,
    'receivable_differs_from_what_is_owed',
  );
  await spoil(
    `update invoices set replaces_id = (select id from invoices where status = 'paid' limit 1) where id = $1`,
    open,
    'replacement_of_another_invoice',
  );
  await spoil(
    `update quotes set subtotal_cents = subtotal_cents + 1, total_cents = total_cents + 1
     where id = (select quote_id from invoices where id = $1)`,
    open,
    'accepted_quote_without_its_invoice',
  );
  await assertHealthy();
});

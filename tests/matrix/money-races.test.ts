/** What happens to one quote and one invoice at once: one wins, the rest are told plainly, and the books are right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import { findInvoice } from '#features/invoices/store.ts';
import { checkLedger, selectInvoiceBalances } from '#features/ledger/store.ts';
import { finalize } from '#workflows/pay/finalize-invoice.ts';
import { expireQuote } from '#features/quotes/reject-quote.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getItems, getNumber, testService, getText, type TestAnswer } from '#testing/service.ts';

const service = await testService();
const { ask, clock } = service;
const { database, worker, work } = service.service;
const { createQuoted, createInvoiced, createPaid, pay, createAutoAccepted } = await createBuilders(service);

/** A multiple of the four and five requests that begin in turn. */
const ROUNDS = Number(process.env.ASSAYER_MONEY_RACES ?? '20');
const REFUND_ROUNDS = Math.ceil(ROUNDS / 3);

const because = { reason: 'race' };
const post = (path: string, body: unknown = {}) => ask('POST', path, { body });
const readStatus = async (path: string) => getText((await ask('GET', path)).body.status);
const assertHealthy = async () => assert.deepEqual(await checkLedger(labScope, database.read), []);

/** Starts the questions in an order that changes with the round. */
function askTogether(
  round: number,
  questions: readonly (() => Promise<TestAnswer>)[],
): Promise<TestAnswer[]> {
  const shift = round % questions.length;
  return Promise.all([...questions.slice(shift), ...questions.slice(0, shift)].map((ask) => ask()));
}

function assertRefusals(answers: readonly TestAnswer[], codes: readonly string[]): void {
  for (const { status, body, text } of answers.filter((answer) => answer.status >= 400)) {
    assert.ok(status === 409 || status === 422, text);
    assert.ok(codes.includes(getText(body.code)), text);
    assert.ok(getText(body.error).length > 20);
  }
}

const DECIDED = ['quote_already_accepted', 'quote_canceled', 'quote_expired', 'move_not_allowed'];
const countWon = (answers: readonly TestAnswer[]) => answers.filter(({ status }) => status < 300).length;

test(`races: three confirmations at once, ${ROUNDS} rounds → one is accepted and one invoice exists`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, quoteId } = await createQuoted();
    const answers = await askTogether(round, [
      () => post(`/quotes/${quoteId}/confirm`),
      () => post(`/experiments/${id}/quote/confirm`),
      () => post(`/quotes/${quoteId}/confirm`, { purchase_order_number: `PO-${round}` }),
    ]);
    assert.equal(countWon(answers), 1);
    assertRefusals(answers, ['quote_already_accepted']);
    const filter = encodeURIComponent(`eq(experiment_id,${id})`);
    assert.equal((await ask('GET', `/invoices?filter=${filter}`)).body.total, 1);
  }
  await assertHealthy();
});

test(`races: confirm, reject, expire, withdraw and cancel at once, ${ROUNDS} rounds → one decides`, async () => {
  const expireAll = async (): Promise<void> => {
    const open = await database.read.query<{ id: string }>(`select id from quotes where status = 'open'`);
    for (const { id } of open) await database.runTransaction((tx) => expireQuote(work, tx, id));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, quoteId } = await createQuoted();
    // In every third round the quote is past its date: nothing but its expiry may win.
    const isPast = round % 3 === 0;
    if (isPast)
      await database.read.query(`update quotes set valid_until = $2 where id = $1`, [quoteId, clock.now()]);
    const [answers] = await Promise.all([
      askTogether(round, [
        () => post(`/quotes/${quoteId}/confirm`),
        () => post(`/quotes/${quoteId}/reject`, { reason: 'price' }),
        () => post(`/lab/quotes/${quoteId}/withdraw`),
        () => post(`/lab/experiments/${id}/cancel`, because),
      ]),
      expireAll(),
    ]);
    assertRefusals(answers, [...DECIDED, 'quote_not_withdrawable']);
    const quote = await readStatus(`/quotes/${quoteId}`);
    const accepted = answers.some(({ body }) => JSON.stringify(body.status) === '"accepted"');
    assert.equal(quote === 'accepted', accepted);
    assert.notEqual(quote, 'open');
    const filter = encodeURIComponent(`eq(experiment_id,${id})`);
    const { body: invoices } = await ask('GET', `/invoices?filter=${filter}`);
    assert.equal(invoices.total, accepted ? 1 : 0);
    if (accepted && (await readStatus(`/experiments/${id}`)) === 'canceled')
      assert.equal(getText(getItems(invoices.items)[0]?.status), 'void');
  }
  await assertHealthy();
});

test(`races: refund, cancel, void and pay at once, ${ROUNDS} rounds → the ledger ends without a remainder`, async () => {
  // What the tests before have left for the worker is not to be waited for in each round.
  while ((await worker.runDue()) > 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, invoiceId } = await createInvoiced();
    expectStatus(await post(`/lab/invoices/${invoiceId}/bank-transfer`), 201);
    const settle = worker.runDue();
    const answers = await askTogether(round, [
      () => post(`/lab/experiments/${id}/cancel`, because),
      () => post(`/lab/invoices/${invoiceId}/refunds`, because),
      () => post(`/lab/invoices/${invoiceId}/void`, because),
    ]);
    await settle;
    assertRefusals(answers, [
      'invoice_not_refundable',
      'invoice_not_closable',
      'refund_exceeds_payment',
      'move_not_allowed',
    ]);
    for (let left = 5; left > 0 && (await worker.runDue()) > 0; left -= 1);
    const invoice = (await ask('GET', `/invoices/${invoiceId}`)).body;
    assert.match(getText(invoice.status), /^(?:paid|void)$/);
    const {
      cash = 0,
      refunds = 0,
      receivable = 0,
    } = await selectInvoiceBalances(labScope, database.read, invoiceId);
    assert.deepEqual([cash, refunds, receivable], [0, 0, 0]);
  }
  await assertHealthy();
});

test(`refund_exceeds_payment: two refunds of 60 % at once, ${REFUND_ROUNDS} rounds → one succeeds`, async () => {
  for (let round = 0; round < REFUND_ROUNDS; round += 1) {
    const { invoiceId } = await createPaid();
    const total = getNumber((await ask('GET', `/invoices/${invoiceId}`)).body.total_cents);
    const part = Math.floor(total * 0.6);
    const answers = await askTogether(round, [
      () => post(`/lab/invoices/${invoiceId}/refunds`, { ...because, amount_cents: part }),
      () => post(`/lab/invoices/${invoiceId}/refunds`, { ...because, amount_cents: part }),
    ]);
    assert.equal(countWon(answers), 1);
    assertRefusals(answers, ['refund_exceeds_payment']);
    await Promise.all([worker.runDue(), worker.runDue()]);
    assert.equal((await ask('GET', `/invoices/${invoiceId}`)).body.amount_refunded_cents, part);
  }
  await assertHealthy();
});

test('invoice numbers: invoices are finalized, refused and rolled back at once → the numbers have no gap', async () => {
  const drafts = [];
  for (let count = 0; count < 12; count += 1) drafts.push(await createAutoAccepted());
  await Promise.all(
    drafts.map(async ({ id, invoiceId }, index) => {
      if (index % 3 !== 0) return post(`/lab/invoices/${invoiceId}/send`);
      const rolledBack = database.runTransaction(async (tx) => {
        const experiment = await lockExperiment(labScope, tx, id);
        assert.ok(experiment !== undefined);
        const scope = createOrganizationScope(experiment.organization_id);
        const draft = await findInvoice(scope, tx, invoiceId);
        assert.ok(draft !== undefined);
        await finalize({ ...work, tx }, scope, experiment, draft);
        throw new Error('the transaction fails at its end');
      });
      await assert.rejects(rolledBack, /fails at its end/);
      return post(`/lab/invoices/${invoiceId}/send`);
    }),
  );
  await pay(await createInvoiced());
  const rows = await database.read.query<{ invoice_number: string }>(
    `select invoice_number from invoices where invoice_number is not null order by invoice_number`,
  );
  const byYear = Map.groupBy(rows, ({ invoice_number: number }) => number.slice(0, 8));
  for (const year of byYear.values())
    assert.deepEqual(
      year.map(({ invoice_number: number }) => Number(number.split('-').at(-1))),
      year.map((_, index) => index + 1),
    );
  await assertHealthy();
});

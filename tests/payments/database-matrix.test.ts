/**
 * The crash matrix of the database: the connection is lost at every statement of a payment in turn, before the statement
 * is carried out and after it, with its answer. A connection that hangs is cut by the pool and is one of the two. Nobody
 * is told a final failure, and a minute later what has moved is in the books. By day every second statement is lost
 * before and the others after; at night all of them both ways.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createFragileConnections, type Loss } from '#testing/fragile-connections.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { testService, getText, type TestAnswer } from '#testing/service.ts';

const isWhole = process.env['ASSAYER_FAULT_MATRIX'] === 'whole';
const REST_S = 60;
const STEP_S = 5;

const connections = createFragileConnections();
const chain = fakeRail('x402-exact');
const cards = fakeRail('mpp-spt');
const service = await testService(
  { SANDBOX_SPEED: '1' },
  { rails: [chain, { ...cards, paysAnewOn402: true }] },
);
const { ask, clock } = service;
const { database, worker } = service.service;
const { createOrder, payWith, createInvoiced } = await createMachineOrders(service);

const readStatus = async (id: string) => getText((await ask('GET', `/invoices/${id}`)).body.status);

/** Time passes, and the worker does what it brings. */
async function pass(): Promise<void> {
  clock.advance(STEP_S * 1_000);
  await worker.runDue();
  await worker.runChores();
}

async function expectKnown(isKnown: () => Promise<boolean>, story: string): Promise<void> {
  for (let waitedS = 0; !(await isKnown()); waitedS += STEP_S) {
    assert.ok(waitedS < REST_S, `not known ${REST_S} s later, ${story}`);
    await pass();
  }
}

const assertHealthy = async (story: string) =>
  assert.deepEqual(await checkLedger(labScope, database.read), [], story);

const listLive = () =>
  database.read.query(`select id from payment_attempts where state in ('prepared', 'settling')`);

interface Flow {
  readonly name: string;
  readonly prepare: (story: string) => Promise<string>;
  /** What a person or program does; it may be lost with its answer, and is done again. */
  readonly pay: (invoiceId: string, story: string) => Promise<TestAnswer>;
  readonly countMoved: (invoiceId: string, story: string) => Promise<number>;
}

const createMachineFlow = (rail: typeof chain): Flow => {
  const headers = { 'x-service-payment-method': rail.method };
  return {
    name: rail.method,
    prepare: () => createOrder({ headers }),
    pay: (id, story) => payWith(id, story, { headers }),
    countMoved: async (_id, story) => rail.moved.get(story) ?? 0,
  };
};

const FLOWS: readonly Flow[] = [
  createMachineFlow(chain),
  createMachineFlow(cards),
  {
    name: 'hosted',
    prepare: async () => (await createInvoiced()).invoiceId,
    async pay(id) {
      // Whoever repeats names what is repeated: without it, a second transfer would be one to give back.
      const headers = { 'idempotency-key': `transfer-${id}` };
      const answer = await ask('POST', `/lab/invoices/${id}/bank-transfer`, { headers });
      // A worker that has no database comes back later.
      await worker.runDue().catch(() => undefined);
      return answer;
    },
    async countMoved(id) {
      const [row] = await database.read.query<{ count: number }>(
        'select count(*) as count from processor_payments where invoice_id = $1',
        [id],
      );
      return row?.count ?? 0;
    },
  },
];

function assertNotFinal({ status, body, text }: TestAnswer, story: string): void {
  const isUnclear = status === 503 || (status === 402 && getText(body.code) === 'payment_not_settled');
  assert.ok(status < 300 || isUnclear, `${status} ${text}, ${story}`);
}

/** Whether the payment has a statement of that number. */
async function assertSurvives(
  { name, prepare, pay, countMoved }: Flow,
  at: number,
  loss: Loss,
): Promise<boolean> {
  const story = `${name}: lost ${loss} statement ${at + 1}`;
  const id = await prepare(story);
  connections.lose(at, loss);
  const first = await pay(id, story);
  const isReached = connections.stop();
  assertNotFinal(first, story);
  // What has moved is found although nobody comes back.
  await expectKnown(
    async () => (await countMoved(id, story)) === 0 || (await readStatus(id)) === 'paid',
    story,
  );
  // What was in hand when its connection was lost is taken up again by whoever comes after its lease.
  await expectKnown(async () => {
    const again = await pay(id, story);
    assertNotFinal(again, story);
    return again.status < 300;
  }, story);
  await expectKnown(async () => (await readStatus(id)) === 'paid' && (await listLive()).length === 0, story);
  assert.equal(await countMoved(id, story), 1, story);
  await assertHealthy(story);
  return isReached;
}

/** In which ways a statement is lost; flows begin with different ones. */
function chooseLosses(flow: number, statement: number): readonly [Loss, ...Loss[]] {
  if (isWhole) return ['before', 'after'];
  return (flow + statement) % 2 === 0 ? ['before'] : ['after'];
}

for (const [index, flow] of FLOWS.entries()) {
  test(`database matrix: ${flow.name}, the connection is lost at each statement → the books are right a minute later`, async () => {
    let statements = 0;
    for (; ; statements += 1) {
      const [first, ...others] = chooseLosses(index, statements);
      if (!(await assertSurvives(flow, statements, first))) break;
      for (const loss of others) await assertSurvives(flow, statements, loss);
    }
    assert.ok(statements > 10, `${statements} statements`);
    console.log(`${flow.name}: ${statements} statements`);
  });
}

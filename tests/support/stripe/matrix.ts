/**
 * The crash matrix of the card processor: each request of a flow fails in turn, in each way in which a request can
 * fail. At most a minute later no payment is in doubt, and all money that moved is in the books.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectStatus } from '#testing/builders.ts';
import { FAULTS, type Fault } from './server.ts';
import type { StripeService } from './service.ts';

const REST_S = 60;
const STEP_S = 5;
/** Faults before Stripe carries a request out, and faults after it. */
const NOT_DONE: readonly Fault[] = ['refused', 'silent', 'gateway'];
const DONE: readonly Fault[] = ['unclear', 'lost', 'hang'];
/** `npm test` makes each request fail in one way of either kind, and the next request in the next ways; the nightly run uses all ways. */
const isWhole = process.env.ASSAYER_FAULT_MATRIX === 'whole';
const WAYS = isWhole ? FAULTS.length : 2;

export interface Flow {
  readonly name: string;
  /** Makes what the flow needs before any request fails; returns the id of the invoice. */
  readonly prepare: () => Promise<string>;
  /** The action during which a request fails. */
  readonly act: (invoiceId: string) => Promise<void>;
  /** What other callers do while time passes. */
  readonly runMeanwhile?: (invoiceId: string) => void;
  /** What staff or the client do once nothing is in progress. */
  readonly finish?: (invoiceId: string) => Promise<void>;
  readonly end: 'paid' | 'void';
  /** True if the money of the invoice is charged and not refunded. */
  readonly isKept: boolean;
}

/** Describes what is still in progress; undefined when nothing is. */
async function findUnrest(
  { service, fake, findAtStripe }: StripeService,
  { end }: Flow,
  invoiceId: string,
): Promise<string | undefined> {
  const [open] = await service.service.database.read.query<{
    attempts: number;
    orders: number;
    refunds: number;
    kept: number;
  }>(
    `select (select count(*) from payment_attempts where state in ('prepared', 'settling')) as attempts,
       (select count(*) from processor_invoices where status in ('wanted', 'open')) as orders,
       (select count(*) from refunds where status <> 'refunded') as refunds,
       (select coalesce(sum(amount_paid_cents - amount_refunded_cents), 0)::bigint from invoices) as kept`,
  );
  const outside = fake.state.sumCollectedCents();
  const isQuiet = open?.attempts === 0 && open.orders === 0 && open.refunds === 0 && open.kept === outside;
  // Stripe may not know the invoice: a payment by token needs none there.
  const made = findAtStripe(invoiceId);
  const isThere = made === undefined || made.status === end;
  return isQuiet && isThere ? undefined : JSON.stringify({ ...open, outside, there: made?.status });
}

/** Counts the charges of this invoice, and sums the cents that were charged and not refunded. */
function sumCharges(
  { fake, findAtStripe }: StripeService,
  invoiceId: string,
): readonly [times: number, keptCents: number] {
  const { intents, refunds } = fake.state.books;
  const own = Object.values(intents).filter(
    ({ id, status, metadata }) =>
      status === 'succeeded' &&
      (metadata.invoice_id === invoiceId || findAtStripe(invoiceId)?.paymentIntent === id),
  );
  const ids = new Set(own.map(({ id }) => id));
  const back = Object.values(refunds).filter(({ paymentIntent }) => ids.has(paymentIntent));
  const sum = (amounts: readonly { readonly amount: number }[]) =>
    amounts.reduce((total, { amount }) => total + amount, 0);
  return [own.length, sum(own) - sum(back)];
}

interface Run {
  /** Whether the flow made the request that was to fail. */
  readonly isReached: boolean;
  readonly restedAfterS: number;
}

/** Runs a flow in which request number `failing` (from 0) ends in `fault`. */
async function run(bench: StripeService, flow: Flow, failing: number, fault: Fault): Promise<Run> {
  const { service, fake, pass, readStatus } = bench;
  const story = `${flow.name}: request ${failing + 1} ${fault}`;
  const invoiceId = await flow.prepare();
  const begin = fake.log.length;
  const reached = { isSo: false };
  fake.plan = (_request, index) => {
    if (index - begin !== failing) return undefined;
    reached.isSo = true;
    return fault;
  };
  await flow.act(invoiceId);
  let restedAfterS = 0;
  for (let restless: string | undefined = 'not yet'; restless !== undefined; restedAfterS += STEP_S) {
    assert.ok(restedAfterS <= REST_S, `${REST_S} s later: ${restless}, ${story}`);
    await pass(STEP_S);
    flow.runMeanwhile?.(invoiceId);
    restless = await findUnrest(bench, flow, invoiceId);
  }
  fake.plan = () => undefined;
  await flow.finish?.(invoiceId);
  assert.equal(await readStatus(invoiceId), flow.end, story);
  const { body } = expectStatus(await service.ask('GET', `/invoices/${invoiceId}`), 200);
  const [times, keptCents] = sumCharges(bench, invoiceId);
  assert.equal(times, flow.end === 'paid' ? 1 : 0, `charges, ${story}`);
  assert.equal(keptCents, flow.isKept ? body.total_cents : 0, `kept, ${story}`);
  assert.equal(await findUnrest(bench, flow, invoiceId), undefined, story);
  assert.deepEqual(await checkLedger(labScope, service.service.database.read), [], story);
  return { isReached: reached.isSo, restedAfterS };
}

/** Chooses the faults of a request; neighboring requests and flows get different ones, so that every fault occurs. */
function chooseFaults(flow: number, request: number): readonly Fault[] {
  if (isWhole) return FAULTS;
  return [NOT_DONE, DONE].map((kind) => kind[(flow + request) % kind.length] ?? kind[0]);
}

/** Declares one test for each flow: its first request fails, then its second, until the flow has no such request. */
export function testEachFlow(bench: StripeService, flows: readonly Flow[]): void {
  for (const [index, flow] of flows.entries()) {
    test(`matrix: ${flow.name}, each request in turn fails in ${WAYS} of ${FAULTS.length} ways → the books are right a minute later`, async () => {
      const rests: number[] = [];
      let requests = 0;
      for (; ; requests += 1) {
        const [first = FAULTS[0], ...others] = chooseFaults(index, requests);
        const { isReached, restedAfterS } = await run(bench, flow, requests, first);
        if (!isReached) break;
        rests.push(restedAfterS);
        for (const fault of others) rests.push((await run(bench, flow, requests, fault)).restedAfterS);
      }
      assert.ok(requests > 0);
      console.log(`${flow.name}: ${requests} requests, at rest after ${Math.max(...rests)} s at most`);
    });
  }
}

/** Refunds the whole payment, as staff do. */
export async function refundWhole({ service }: StripeService, invoiceId: string): Promise<void> {
  const path = `/lab/invoices/${invoiceId}/refunds`;
  expectStatus(await service.ask('POST', path, { body: { reason: 'failed' } }), 201);
  await service.service.worker.runDue();
}

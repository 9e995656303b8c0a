/**
 * Every question that one payment asks outside, failed in turn as an error, a silence and a lost answer. Whatever was
 * answered then, the same signature and the chore together bring invoice, chain and books to one state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildChainVariables, checkWithOutside, expectWholeLedger, sumHeldOutside } from '#testing/ledger.ts';
import { startLocalDoor, passOn } from '#testing/local-door.ts';
import { IMPATIENT, sign, createX402Bench } from '#testing/x402-bench.ts';
import { getText } from '#testing/service.ts';

type Fault =
  | 'error'
  | 'hang'
  | 'answer lost'
  /** Somebody else has the payment settled first. */
  | 'overtaken';

/** All that the service asks outside passes here, and is numbered from one. */
async function createFaultyDoor() {
  let count = 0;
  let failing: { readonly at: number; readonly fault: Fault } | undefined;
  const target = { url: '' };
  const url = await startLocalDoor(async (request, response, body) => {
    count += 1;
    const fault = failing?.at === count ? failing.fault : undefined;
    if (fault === 'hang') return;
    if (fault === 'error') {
      response.writeHead(500).end('broken');
      return;
    }
    if (fault === 'overtaken') await passOn(target.url, { url: '/settle' }, body);
    const answer = await passOn(target.url, request, body);
    if (fault === 'answer lost') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.content);
  });
  return {
    url,
    target,
    /** From now on; answers how many questions there were before. */
    arm(at: number, fault: Fault): number {
      const before = count;
      count = 0;
      failing = at === 0 ? undefined : { at, fault };
      return before;
    },
  };
}

const rpc = await createFaultyDoor();
const facilitator = await createFaultyDoor();
const bench = await createX402Bench({ rpcUrl: rpc.url, facilitatorUrl: facilitator.url });
const { chain, orders, readChallenge, pay, readStatus, reconcile, clock, service } = bench;
rpc.target.url = chain.rpcUrl;
facilitator.target.url = chain.facilitator.url;

/** Settled money on the chain is the money of the paid invoices, as the ledger check sees it. */
async function expectWhole(): Promise<void> {
  const { database } = service;
  const report = await checkWithOutside({ database, clock }, buildChainVariables(chain));
  expectWholeLedger(report);
  const [paid] = await database.read.query<{ cents: number }>(
    `select sum(total_cents)::bigint as cents from invoices where status = 'paid'`,
  );
  assert.equal(sumHeldOutside(report, 'x402-exact'), paid?.cents);
}

const disarm = () => [rpc.arm(0, 'error'), facilitator.arm(0, 'error')];

/** How many questions an undisturbed payment asks of each door. */
async function countUndisturbed(): Promise<readonly [rpc: number, facilitator: number]> {
  const id = await orders.createOrder();
  const signature = await sign(chain.payer, (await readChallenge(id)).terms);
  disarm();
  assert.equal((await pay(id, signature)).status, 200);
  const [asked = 0, carried = 0] = disarm();
  return [asked, carried];
}

const REST_S = 60;
const STEP_S = 10;

/** The chore alone finds the payment, within a minute. */
async function expectFound(id: string, what: string): Promise<void> {
  for (let waitedS = 0; (await readStatus(id)) !== 'paid'; waitedS += STEP_S) {
    assert.ok(waitedS < REST_S, `${what}: not known ${REST_S} s later`);
    clock.advance(STEP_S * 1_000);
    await reconcile();
  }
}

/** `isGone`: the client leaves after the failure, and what reached the chain is found by the chore within a minute. */
async function assertSurvives(door: typeof rpc, at: number, fault: Fault, isGone: boolean): Promise<void> {
  const id = await orders.createOrder();
  const signature = await sign(chain.payer, (await readChallenge(id)).terms);
  const before = (await chain.listReceived()).length;
  door.arm(at, fault);
  if (fault === 'hang') bench.rotate(IMPATIENT);
  const first = await pay(id, signature);
  bench.rotate({});
  const what = `${fault} at question ${at}, ${isGone ? 'the client leaves' : 'the client repeats'}`;
  // Never a final failure: the same challenge, and the same signature is welcome again.
  assert.ok(
    first.status === 200 || (first.status === 402 && getText(first.body.code) === 'payment_not_settled'),
    `${what}: ${first.text}`,
  );
  disarm();
  if (isGone) {
    const moved = (await chain.listReceived()).length > before;
    if (moved) await expectFound(id, what);
    assert.equal((await readStatus(id)) === 'paid', moved || first.status === 200, what);
  }
  const paid = await pay(id, signature);
  assert.equal(paid.status, 200, `${what}: ${paid.text}`);
  assert.equal((await chain.listReceived()).length, before + 1, what);
}

test('payment_refused: somebody submits the signature before the facilitator verifies it → paid, and never refused', async () => {
  const id = await orders.createOrder();
  const signature = await sign(chain.payer, (await readChallenge(id)).terms);
  facilitator.arm(1, 'overtaken');
  for (let tries = 0; tries < 20 && (await readStatus(id)) !== 'paid'; tries += 1) {
    const answer = await pay(id, signature);
    assert.notEqual(getText(answer.body.code ?? ''), 'payment_refused', answer.text);
  }
  disarm();
  assert.equal(await readStatus(id), 'paid');
  await expectWhole();
});

test(
  'crash matrix: each request to chain and facilitator fails in each way → invoice, chain and books agree',
  { timeout: 300_000 },
  async () => {
    await countUndisturbed();
    const [questions, carried] = await countUndisturbed();
    assert.ok(questions >= 5 && carried === 2, `${questions} questions, ${carried} of the facilitator`);
    for (const fault of ['error', 'hang', 'answer lost'] as const) {
      for (const isGone of [false, true]) {
        for (let at = 1; at <= questions; at++) await assertSurvives(rpc, at, fault, isGone);
        for (let at = 1; at <= carried; at++) await assertSurvives(facilitator, at, fault, isGone);
      }
    }
    await expectWhole();
  },
);

test('races: rival signatures and repetitions at once, 15 rounds → each invoice is paid once', async () => {
  for (let round = 0; round < 15; round++) {
    const id = await orders.createOrder();
    const { terms } = await readChallenge(id);
    const [one, two] = await Promise.all([sign(chain.payer, terms), sign(chain.payer, terms)]);
    const before = (await chain.listReceived()).length;
    const answers = await Promise.all([one, two, one, two, undefined].map((signature) => pay(id, signature)));
    assert.ok(answers.every(({ status }) => status === 200 || status === 402));
    assert.equal(await readStatus(id), 'paid');
    assert.equal((await chain.listReceived()).length, before + 1);
  }
  await expectWhole();
});

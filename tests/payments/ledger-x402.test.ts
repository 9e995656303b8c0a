/** The ledger check against a real chain: every transfer has its posting, and every posting its transfer. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { getAddress, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { LOCAL_TOKEN, tokenAbi } from '#adapters/x402/test-token.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import {
  buildChainVariables,
  checkWithOutside,
  expectWholeLedger,
  sumHeldOutside,
  listKinds,
} from '#testing/ledger.ts';
import { getText } from '#testing/service.ts';
import { sign, createX402Bench } from '#testing/x402-bench.ts';

const bench = await createX402Bench();
const { chain, orders, readChallenge, pay, proxy, service, ask, clock } = bench;
const { database, worker } = service;
const CENT = 10_000n;
/** Fixed, so that a transaction that is repeated has the same hash. */
const FEES = { gas: 100_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n } as const;

const check = (besides: Readonly<Record<string, string>> = {}, since?: Date) =>
  checkWithOutside({ database, clock }, buildChainVariables(chain, besides), since);

async function createPaid(): Promise<{
  readonly invoiceId: string;
  readonly txHash: Hex;
  readonly value: bigint;
}> {
  const invoiceId = await orders.createOrder();
  const { terms } = await readChallenge(invoiceId);
  const answer = expectStatus(await pay(invoiceId, await sign(chain.payer, terms)), 200);
  const hash = getText(answer.body.settlement_reference?.tx_hash);
  return { invoiceId, txHash: `0x${hash.slice(2)}`, value: BigInt(terms.accepts[0].amount) };
}

async function sendTransfer(from: PrivateKeyAccount, to: Address, value: bigint): Promise<Hex> {
  await chain.client.setBalance({ address: from.address, value: 10n ** 18n });
  const hash = await chain.client.writeContract({
    account: from,
    chain: null,
    address: getAddress(LOCAL_TOKEN.asset),
    abi: tokenAbi,
    functionName: 'transfer',
    args: [to, value],
    ...FEES,
  });
  await chain.client.waitForTransactionReceipt({ hash });
  return hash;
}

/** What happens to the chain meanwhile is undone. */
async function runUndone(story: () => Promise<void>): Promise<void> {
  const id = await chain.client.snapshot();
  try {
    await story();
  } finally {
    await chain.client.revert({ id });
  }
}

async function refundWaiting(invoiceId: string, cents: number): Promise<string> {
  const body = { amount_cents: cents, reason: 'late' };
  const made = expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201);
  await worker.runDue();
  return getText(made.body.id);
}

const first = await createPaid();
await createPaid();

test('ledger check: paid invoices over x402 → the wallet holds their sum, to the base unit', async () => {
  const report = await check();
  expectWholeLedger(report);
  assert.equal(BigInt(sumHeldOutside(report, 'x402-exact')) * CENT, await chain.readBalance(chain.payTo));
});

test('posted_and_not_collected: the transfer of a paid invoice is on no chain → a finding', async () => {
  const before = await chain.client.snapshot();
  const lost = await createPaid();
  const { address } = chain.facilitator;
  const gas = { address: getAddress(address) };
  const nonce = await chain.client.getTransactionCount(gas);
  await chain.client.revert({ id: before });
  // The facilitator goes on counting.
  await chain.client.setNonce({ ...gas, nonce });
  const report = await check();
  assert.deepEqual(listKinds(report), ['posted_and_not_collected']);
  assert.match(
    report.findings[0]?.found ?? '',
    new RegExp(`eip155:84532 shows no such payment under ${lost.txHash}`),
  );
  // Back to where the chain and the books agree: the payer pays it again, for good.
  const value = lost.value;
  const again = await sendTransfer(chain.payer, chain.payTo, value);
  assert.deepEqual(listKinds(await check()).sort(), ['collected_and_not_posted', 'posted_and_not_collected']);
  await database.read.query(
    `update payment_attempts set outcome = jsonb_set(outcome, '{reference,tx_hash}', to_jsonb($2::text)) where invoice_id = $1`,
    [lost.invoiceId, again],
  );
  expectWholeLedger(await check());
});

test('collected_and_not_posted: a stray transfer, also with a fraction of a cent → a finding', async () => {
  await runUndone(async () => {
    const stray = await sendTransfer(chain.payer, chain.payTo, 1_234_567n);
    const report = await check();
    assert.deepEqual(
      report.findings.map(({ kind, subject }) => `${kind} ${subject}`),
      [`collected_and_not_posted ${stray}`],
    );
    const { found } = report.findings[0] ?? { found: '' };
    assert.match(found, /\$1\.234567 arrived at eip155:84532/);
    assert.match(found, new RegExp(`from ${chain.payer.address.toLowerCase()}`));
  });
  expectWholeLedger(await check());
});

test('amount_differs_outside: the transfer has another amount than the books → a finding', async () => {
  await runUndone(async () => {
    const other = await sendTransfer(chain.payer, chain.payTo, first.value - 1n);
    const point = (hash: string) =>
      database.read.query(
        `update payment_attempts set outcome = jsonb_set(outcome, '{reference,tx_hash}', to_jsonb($2::text)) where invoice_id = $1`,
        [first.invoiceId, hash],
      );
    await point(other);
    const report = await check();
    await point(first.txHash);
    assert.deepEqual(listKinds(report), ['amount_differs_outside', 'collected_and_not_posted']);
    assert.equal(report.findings[1]?.subject, first.txHash);
  });
});

test('ledger check: transfers to former wallets → found; of other tokens or wallets → ignored', async () => {
  const former = privateKeyToAccount(generatePrivateKey()).address;
  bench.rotate({ payTo: former });
  await readChallenge(await orders.createOrder());
  bench.rotate({});
  await runUndone(async () => {
    await sendTransfer(chain.payer, former, 5_000_000n);
    assert.deepEqual(listKinds(await check()), ['collected_and_not_posted']);
  });
  const stranger = await chain.createWallet();
  await sendTransfer(chain.payer, stranger.address, 5_000_000n);
  expectWholeLedger(await check());
});

test('ledger check: refund sent and recorded → clean; only sent, or only recorded → a finding', async () => {
  const refundId = await refundWaiting(first.invoiceId, 500);
  await runUndone(async () => {
    await sendTransfer(chain.lab, chain.payer.address, 500n * CENT);
    const waiting = await check();
    assert.deepEqual([listKinds(waiting), waiting.in_flight.map(({ subject }) => subject)], [[], [refundId]]);
  });
  await runUndone(async () => {
    const hash = await sendTransfer(chain.lab, chain.payer.address, 300n * CENT);
    const report = await check();
    assert.deepEqual(
      report.findings.map(({ kind, subject }) => `${kind} ${subject}`),
      [`sent_back_and_not_posted ${hash}`],
    );
  });
  const before = await chain.client.snapshot();
  const sent = await sendTransfer(chain.lab, chain.payer.address, 500n * CENT);
  const path = `/lab/refunds/${refundId}/record`;
  expectStatus(await ask('POST', path, { body: { reference: sent } }), 200);
  expectWholeLedger(await check());
  await chain.client.revert({ id: before });
  assert.deepEqual(listKinds(await check()), ['posted_and_not_sent_back']);
  await repeatTransfer(sent);
  expectWholeLedger(await check());
});

/** The reverted transaction once more: the same nonce and content have the same hash. */
async function repeatTransfer(hash: Hex): Promise<void> {
  assert.equal(await sendTransfer(chain.lab, chain.payer.address, 500n * CENT), hash);
}

test('ledger check: the wallet sends money to its owner → no finding', async () => {
  const treasury = await chain.createWallet();
  const before = listKinds(await check());
  await runUndone(async () => {
    await sendTransfer(chain.lab, treasury.address, 1_000_000n);
    assert.deepEqual(listKinds(await check()), before);
  });
});

test('in flight: the outcome of an x402 attempt is unknown → no finding', async () => {
  const id = await orders.createOrder();
  const { terms } = await readChallenge(id);
  proxy.mode.settle = 'down';
  const signature = await sign(chain.payer, terms);
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  proxy.reset();
  const report = await check();
  assert.equal(report.in_flight.filter(({ rail }) => rail === 'x402-exact').length, 1);
  expectStatus(await pay(id, signature), 200);
  assert.deepEqual((await check()).in_flight, []);
});

test('in flight: a transfer has too few confirmations → no finding', async () => {
  await createPaid();
  const latest = await chain.client.getBlockNumber({ cacheTime: 0 });
  const report = await check({ X402_CONFIRMATIONS: String(Math.min(1_000, Number(latest) + 1)) });
  assert.ok(report.in_flight.length >= 3);
  assert.ok(!listKinds(report).includes('posted_and_not_collected'));
  assert.ok(!listKinds(report).includes('collected_and_not_posted'));
});

test('ledger check: another network or a dead RPC → not compared, never clean nor a finding', async () => {
  const known = listKinds(await check()).length;
  const elsewhere = await check({ X402_NETWORK: 'eip155:8453' });
  assert.match(elsewhere.not_compared[0]?.reason ?? '', /eip155:84532/);
  for (const url of ['http://127.0.0.1:9/secret-key', chain.facilitator.url]) {
    const report = await check({ X402_RPC_URL: url });
    assert.deepEqual(listKinds(report), []);
    assert.deepEqual(
      report.not_compared.map(({ rail }) => rail),
      ['x402-exact'],
    );
    assert.match(report.not_compared[0]?.reason ?? '', /^RPC did not answer/);
    assert.doesNotMatch(JSON.stringify(report), /secret-key|127\.0\.0\.1/);
  }
  assert.equal(listKinds(await check()).length, known);
});

test('ledger check: a node that serves few blocks at once → smaller requests', async () => {
  await chain.client.mine({ blocks: 700 });
  const ranges: number[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const { method, id, params } = JSON.parse(body);
      const answer = (content: string): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(content);
      if (method === 'eth_getLogs') {
        const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1;
        ranges.push(blocks);
        const error = { code: -32_005, message: 'query exceeds max block range 100' };
        if (blocks > 100) return answer(JSON.stringify({ jsonrpc: '2.0', id, error }));
      }
      const given = await fetch(chain.rpcUrl, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      answer(await given.text());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const before = listKinds(await check());
  const report = await check({ X402_RPC_URL: `http://127.0.0.1:${address.port}` });
  assert.deepEqual([report.not_compared, listKinds(report)], [[], before]);
  assert.ok(Math.max(...ranges) === 2_000 || Math.max(...ranges) > 100, String(ranges));
  assert.ok(ranges.length < 60, `${ranges.length} questions`);
});

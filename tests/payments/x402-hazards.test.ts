/** What goes wrong with x402 libraries, facilitators and chains, one test for each; the numbers are those of the rules. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCAL_TOKEN, tokenAbi } from '#adapters/x402/test-token.ts';
import { getAddress, type Hex } from 'viem';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { createNonce, IMPATIENT, sign, createX402Bench, type Signing } from '#testing/x402-bench.ts';
import { parseJson, getText, type TestAnswer } from '#testing/service.ts';

const bench = await createX402Bench();
const { chain, proxy, readChallenge, pay, readStatus, listAttempts, reconcile, clock, service } = bench;
const [{ payer, client }, { createOrder }] = [chain, bench.orders];

/** The automatic miner is off inside, and a settlement is not awaited for long. */
async function runStalled<T>(work: () => Promise<T>): Promise<T> {
  await client.setAutomine(false);
  bench.rotate({ settleTimeoutMs: IMPATIENT.settleTimeoutMs });
  try {
    return await work();
  } finally {
    bench.rotate({});
    await client.mine({ blocks: 1 });
    await client.setAutomine(true);
  }
}

async function countReceived(): Promise<number> {
  return (await chain.listReceived()).length;
}

function getReason(answer: TestAnswer): string {
  return getText(answer.body.error);
}

/** Refused for good, without anything having been asked outside. */
async function expectRefusedHere(id: string, signing: Signing, reason: RegExp): Promise<void> {
  const { terms, header } = await readChallenge(id);
  proxy.reset();
  const answer = expectFailure(await pay(id, await sign(payer, terms, signing)), 402, 'payment_refused');
  assert.match(getReason(answer), reason);
  assert.equal(answer.headers['payment-required'], header);
  assert.deepEqual(proxy.calls, { verify: 0, settle: 0 });
}

test('X1 authorization lifetime: longer than the challenge allows, expired or not yet valid → refused', async () => {
  const id = await createOrder();
  const nowS = Math.floor(Date.now() / 1_000);
  await expectRefusedHere(id, { validBefore: nowS + 9_999 }, /valid for more than 300 seconds/);
  await expectRefusedHere(id, { validBefore: nowS + 365 * 86_400 }, /valid for more than 300 seconds/);
  await expectRefusedHere(id, { validBefore: nowS - 1 }, /has expired/);
  await expectRefusedHere(id, { validAfter: nowS + 60 }, /not valid yet/);
});

test('X2 echoed terms: any field differs from the stored challenge → refused with its name', async () => {
  const id = await createOrder();
  const echoes: Readonly<Record<string, unknown>>[] = [
    { scheme: 'upto' },
    { network: 'eip155:1' },
    { amount: '1' },
    { payTo: payer.address },
    { asset: payer.address },
    { amount: '1', payTo: payer.address },
  ];
  for (const accepted of echoes) {
    const named = Object.keys(accepted).join(', ');
    await expectRefusedHere(id, { accepted }, new RegExp(`terms of this invoice in ${named}[.;]`));
  }
  await expectRefusedHere(id, { to: payer.address }, /it pays 0x/);
  await expectRefusedHere(id, { value: '1' }, /it pays 1 base units/);
  await expectRefusedHere(id, { value: '1000000000000' }, /instead of/);
});

test('X2 signature: another token, network or payer → refused', async () => {
  const id = await createOrder();
  for (const domain of [
    { name: 'Other' },
    { version: '1' },
    { chainId: 1 },
    { verifyingContract: payer.address },
  ])
    await expectRefusedHere(id, { domain }, /not of the payer/);
  await expectRefusedHere(id, { from: chain.payTo }, /not of the payer/);
});

test('X2 header: malformed → 402 with the same challenge', async () => {
  const id = await createOrder();
  const { header, terms } = await readChallenge(id);
  const whole = parseJson(Buffer.from(await sign(payer, terms), 'base64').toString());
  const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
  const hostile = [
    'x',
    '%%%',
    encodeJson(null),
    encodeJson([]),
    encodeJson({}),
    encodeJson({ ...whole, x402Version: 1 }),
    encodeJson({ ...whole, payload: null }),
    encodeJson({ ...whole, payload: {} }),
    encodeJson({ ...whole, payload: { ...whole.payload, signature: '0x' } }),
    encodeJson({ ...whole, payload: { ...whole.payload, signature: `0x${'00'.repeat(65)}` } }),
    encodeJson({ ...whole, payload: { signature: `0x${'11'.repeat(65)}`, authorization: { from: 1 } } }),
    encodeJson({ ...whole, accepted: 'x' }),
    'A'.repeat(10_000),
  ];
  for (const signature of hostile) {
    const answer = expectFailure(await pay(id, signature), 402, 'payment_refused');
    assert.equal(answer.headers['payment-required'], header);
  }
  const old = await pay(id, encodeJson({ ...whole, x402Version: '2' }));
  assert.match(getReason(old), /of x402Version "2"; it must be the number 2 or 1/);
  assert.match(getReason(await pay(id, encodeJson({ ...whole, accepted: undefined }))), /has no `accepted`/);
  assert.deepEqual(await listAttempts(id), []);
});

test('X3 rival signatures: five at once → one pays, the others never reach the facilitator', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const signatures = await Promise.all(Array.from({ length: 5 }, () => sign(payer, terms)));
  const before = await countReceived();
  proxy.reset();
  const answers = await Promise.all(signatures.map((signature) => pay(id, signature)));
  assert.ok(answers.some(({ status }) => status === 200));
  assert.ok(answers.every(({ status }) => status === 200 || status === 402));
  assert.deepEqual(proxy.calls, { verify: 1, settle: 1 });
  assert.equal(await countReceived(), before + 1);
  assert.equal(await readStatus(id), 'paid');
});

test('X4 late block: the payment is mined late → found on the chain, never verified again', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const signature = await sign(payer, terms);
  proxy.reset();
  await runStalled(async () => {
    expectFailure(await pay(id, signature), 402, 'payment_not_settled');
    expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  });
  assert.equal(proxy.calls.verify, 1);
  const paid = expectStatus(await pay(id, signature), 200);
  assert.equal(proxy.calls.verify, 1);
  assert.equal((await chain.listReceived()).at(-1)?.txHash, paid.body.settlement_reference?.tx_hash);
});

test('X5 reused signature: a second invoice, while the first is pending or paid → refused', async () => {
  const [one, two] = [await createOrder(), await createOrder()];
  const { terms } = await readChallenge(one);
  await readChallenge(two);
  const signature = await sign(payer, terms);
  const before = await countReceived();
  await runStalled(async () => {
    expectFailure(await pay(one, signature), 402, 'payment_not_settled');
    const answer = expectFailure(await pay(two, signature), 402, 'payment_refused');
    assert.match(getReason(answer), /another invoice/);
  });
  expectStatus(await pay(one, signature), 200);
  expectFailure(await pay(two, signature), 402, 'payment_refused');
  assert.equal(await readStatus(two), 'open');
  assert.equal(await countReceived(), before + 1);
});

test('X6 false success: the facilitator claims success without a transfer → not paid', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const signature = await sign(payer, terms);
  proxy.mode.verify = 'lie';
  proxy.mode.settle = 'lie';
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  assert.equal(await readStatus(id), 'open');
  // A small authorization under the same nonce is another authorization: it never passes our own checks.
  const small = await sign(payer, terms, { value: '1000000' });
  expectFailure(await pay(id, small), 402, 'payment_refused');
  proxy.reset();
  expectStatus(await pay(id, signature), 200);
});

test('X7 forgetful facilitator: it lost its memory → the chain is asked instead', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const signature = await sign(payer, terms);
  const before = await countReceived();
  proxy.reset();
  proxy.mode.settle = 'answer lost';
  expectFailure(await runStalled(() => pay(id, signature)), 402, 'payment_not_settled');
  // A new one, with an empty memory, would answer that the nonce is used.
  proxy.mode.settle = 'refuse';
  proxy.mode.verify = 'refuse';
  expectStatus(await pay(id, signature), 200);
  proxy.reset();
  assert.equal(await countReceived(), before + 1);
});

test('X8 identical requests: five at once → settled once, all answered as paid', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const signature = await sign(payer, terms);
  const before = await countReceived();
  proxy.reset();
  const answers = await Promise.all(Array.from({ length: 5 }, () => pay(id, signature)));
  for (const answer of answers) expectStatus(answer, 200);
  assert.equal(new Set(answers.map(({ body }) => getText(body.settlement_reference?.tx_hash))).size, 1);
  assert.deepEqual(proxy.calls, { verify: 1, settle: 1 });
  assert.equal(await countReceived(), before + 1);
});

test('X9 hot wallet: thirty invoices at once, after a reverted transaction → all are paid', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => createOrder()));
  const signatures = await Promise.all(ids.map(async (id) => sign(payer, (await readChallenge(id)).terms)));
  const before = await countReceived();
  const poor = await createOrder();
  const beggar = await chain.createWallet();
  const { terms } = await readChallenge(poor);
  const spent = await sign(beggar, terms);
  await moveAll(beggar);
  proxy.mode.verify = 'lie';
  expectFailure(await pay(poor, spent), 402, 'payment_not_settled');
  proxy.reset();
  const countPaid = async (index: number): Promise<number> => {
    // A slow machine may answer "not yet settled"; the same signature is then repeated.
    for (let tries = 0; tries < 10; tries++)
      if ((await pay(ids[index] ?? '', signatures[index])).status === 200) return 200;
    return 402;
  };
  const statuses = await Promise.all(ids.map((_id, index) => countPaid(index)));
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(await countReceived(), before + 30);
});

/** Empties a wallet, so that what it signed cannot be carried out. */
async function moveAll(account: typeof payer): Promise<void> {
  await client.setBalance({ address: account.address, value: 10n ** 18n });
  const hash = await client.writeContract({
    account,
    chain: null,
    address: getAddress(LOCAL_TOKEN.asset),
    abi: tokenAbi,
    functionName: 'transfer',
    args: [payer.address, await chain.readBalance(account.address)],
  });
  await client.waitForTransactionReceipt({ hash });
}

test('X10 facilitator fault: down, hanging, broken or answer lost → payment_not_settled, and a repeat pays once', async () => {
  for (const mode of ['down', 'hang', 'error', 'answer lost'] as const) {
    for (const kind of ['verify', 'settle'] as const) {
      const id = await createOrder();
      const { terms, header } = await readChallenge(id);
      const signature = await sign(payer, terms);
      const before = await countReceived();
      proxy.reset();
      proxy.mode[kind] = mode;
      bench.rotate(mode === 'hang' ? IMPATIENT : {});
      const first = await pay(id, signature);
      bench.rotate({});
      // A settlement whose answer was lost is on the chain, and so it is known.
      if (kind === 'settle' && mode === 'answer lost') expectStatus(first, 200);
      else {
        expectFailure(first, 402, 'payment_not_settled');
        assert.equal(first.headers['payment-required'], header);
        proxy.reset();
        expectStatus(await pay(id, signature), 200);
      }
      assert.equal(await countReceived(), before + 1, `${kind} ${mode}`);
    }
  }
  proxy.reset();
});

test('X11 facilitator reason: any text → no decision depends on it', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  proxy.mode.verify = 'refuse';
  const refused = expectFailure(await pay(id, await sign(payer, terms)), 402, 'payment_refused');
  assert.match(getReason(refused), /a_reason\?nobody_expects/);
  proxy.reset();
  proxy.mode.settle = 'refuse';
  const signature = await sign(payer, terms);
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  proxy.reset();
  expectStatus(await pay(id, signature), 200);
});

test('canceled authorization: the payer cancels it on the chain → refused for good, and another one pays', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const canceled = createNonce();
  const signature = await sign(payer, terms, { nonce: canceled });
  proxy.mode.settle = 'down';
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  proxy.reset();
  await cancel(canceled);
  const answer = expectFailure(await pay(id, signature), 402, 'payment_refused');
  assert.match(getReason(answer), /canceled/);
  expectFailure(await pay(id, signature), 402, 'payment_refused');
  expectStatus(await pay(id, await sign(payer, terms)), 200);
  assert.deepEqual(await listAttempts(id), [
    { n: 1, state: 'refused' },
    { n: 2, state: 'paid' },
  ]);
});

async function cancel(used: Hex): Promise<void> {
  const address = getAddress(LOCAL_TOKEN.asset);
  const signature = await payer.signTypedData({
    domain: {
      name: LOCAL_TOKEN.name,
      version: LOCAL_TOKEN.version,
      chainId: 84_532,
      verifyingContract: address,
    },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce: used },
  });
  const [account] = await client.getAddresses();
  const hash = await client.writeContract({
    account: account ?? null,
    chain: null,
    address,
    abi: tokenAbi,
    functionName: 'cancelAuthorization',
    args: [payer.address, used, signature],
  });
  await client.waitForTransactionReceipt({ hash });
}

test('second signature: the first may still be used → refused until the chain rules it out', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const nowS = Math.floor(Date.now() / 1_000);
  const first = await sign(payer, terms, { validBefore: nowS + 20 });
  proxy.mode.settle = 'down';
  expectFailure(await pay(id, first), 402, 'payment_not_settled');
  proxy.reset();
  const second = await sign(payer, terms);
  expectFailure(await pay(id, second), 402, 'payment_in_progress');
  // Our clock has passed the deadline, the chain has no block that did: it could still be used in the next one.
  clock.advance(60_000);
  await reconcile();
  assert.deepEqual(await listAttempts(id), [{ n: 1, state: 'settling' }]);
  const latest = await client.getBlock();
  const deadline = latest.timestamp > BigInt(nowS + 20) ? latest.timestamp + 1n : BigInt(nowS + 20);
  await client.setNextBlockTimestamp({ timestamp: deadline });
  await client.mine({ blocks: 1 });
  clock.advance(10_000);
  await reconcile();
  assert.deepEqual(await listAttempts(id), [{ n: 1, state: 'refused' }]);
});

test('reconciliation: the request of an x402 attempt died → the payment is found on the chain within 60 s', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const signature = await sign(payer, terms, {
    validBefore: Math.floor(clock.now().getTime() / 1_000) + 200,
  });
  await runStalled(async () => {
    proxy.reset();
    expectFailure(await bench.orders.payWith(id, signature), 402, 'payment_not_settled');
  });
  for (let waited = 0; waited < 60_000 && (await readStatus(id)) !== 'paid'; waited += 10_000) {
    clock.advance(10_000);
    await reconcile();
  }
  assert.equal(await readStatus(id), 'paid');
});

test('wallet rotation: a new wallet → challenges of open invoices stay the same and payable', async () => {
  const old = await createOrder();
  const { header, terms } = await readChallenge(old);
  bench.rotate({ payTo: payer.address });
  try {
    assert.equal((await readChallenge(old)).header, header);
    const fresh = await readChallenge(await createOrder());
    assert.equal(fresh.terms.accepts[0].payTo, payer.address);
    expectStatus(await pay(old, await sign(payer, terms)), 200);
  } finally {
    bench.rotate({});
  }
});

test('ledger: after all tests of this file → money on the chain equals the paid invoices', async () => {
  const { read } = service.database;
  const [paid] = await read.query<{ count: number; cents: number }>(
    `select count(*) as count, sum(total_cents)::bigint as cents from invoices
     where status = 'paid' and payment_method = 'x402-exact'`,
  );
  const transfers = await chain.listReceived();
  assert.equal(transfers.length, paid?.count);
  assert.equal(
    transfers.reduce((sum, { value }) => sum + value, 0n),
    BigInt(paid?.cents ?? 0) * 10_000n,
  );
  assert.deepEqual(await checkLedger(labScope, read), []);
});

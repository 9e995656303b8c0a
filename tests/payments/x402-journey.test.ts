/** Whole payments over x402 with clients that are nobody's test code, on a local chain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm';
import { Mppx } from 'mppx/client';
import { evm } from 'mppx/evm/client';
import { formatUnits, getAddress, parseEventLogs } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { LOCAL_TOKEN, mintTestToken, tokenAbi } from '#adapters/x402/test-token.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { createGenerousClient, createSignature } from '#testing/chain.ts';
import { callTool, getContentText } from '#testing/tool-call.ts';
import { sign, createX402Bench, type Signing } from '#testing/x402-bench.ts';
import { getItems, getNumber, parseJson, getText } from '#testing/service.ts';

const bench = await createX402Bench();
const { ask, chain, clock, service, token, orders, pay, readChallenge } = bench;
const { createOrder } = orders;
service.setBaseUrl(await service.app.listen({ host: '127.0.0.1', port: 0 }));

const payUrl = (id: string) => `${service.work.site.baseUrl}/api/v1/invoices/${id}/pay`;
const headers = { authorization: `Bearer ${token}`, 'x-service-payment-method': 'x402-exact' };
const tellTime = () => clock.advance(Math.max(0, Date.now() - clock.now().getTime()));

const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** The transfer that a transaction made, read from its receipt. */
async function readTransfer(hash: string) {
  const receipt = await chain.client.getTransactionReceipt({ hash: `0x${hash.slice(2)}` });
  assert.equal(receipt.status, 'success');
  const [transfer, ...others] = parseEventLogs({ abi: tokenAbi, eventName: 'Transfer', logs: receipt.logs });
  assert.equal(others.length, 0);
  assert.ok(transfer !== undefined);
  assert.equal(transfer.address.toLowerCase(), LOCAL_TOKEN.asset.toLowerCase());
  return transfer.args;
}

async function assertPaidOnChain(id: string, answer: Response): Promise<void> {
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const body = parseJson(text);
  assert.equal(body.status, 'paid');
  assert.equal(body.settlement_reference?.type, 'x402_transaction');
  const hash = getText(body.settlement_reference?.tx_hash);
  const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
  assert.equal(receipt.success, true);
  assert.equal(receipt.payer, chain.payer.address);
  assert.equal(receipt.network, LOCAL_TOKEN.network);
  assert.equal(receipt.transaction, hash);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const invoice = expectStatus(await ask('GET', `/invoices/${id}`), 200).body;
  const { from, to, value } = await readTransfer(hash);
  assert.equal(from, chain.payer.address);
  assert.equal(to, chain.payTo);
  assert.equal(value, BigInt(getNumber(invoice.amount_paid_cents)) * 10_000n);
  assert.equal(invoice.status, 'paid');
}

test('@x402/fetch: it pays an invoice → receipt, Transfer event, invoice and ledger agree', async () => {
  tellTime();
  const id = await createOrder();
  const fetchAndPay = wrapFetchWithPayment(fetch, createGenerousClient(chain.payer));
  await assertPaidOnChain(id, await fetchAndPay(payUrl(id), { method: 'POST', headers }));
  const again = await fetchAndPay(payUrl(id), { method: 'POST', headers });
  assert.equal(parseJson(await again.text()).already_paid, true);
});

test('@x402/fetch: no spend limit of the caller → it refuses, and nothing is signed', async () => {
  tellTime();
  const id = await createOrder();
  const cautious = x402Client.fromConfig({
    schemes: [{ network: LOCAL_TOKEN.network, client: new ExactEvmScheme(chain.payer) }],
  });
  const before = (await chain.listReceived()).length;
  await assert.rejects(wrapFetchWithPayment(fetch, cautious)(payUrl(id), { method: 'POST', headers }));
  assert.equal((await chain.listReceived()).length, before);
  assert.deepEqual(await bench.listAttempts(id), []);
});

test('mppx: it pays an invoice over x402 → receipt, Transfer event, invoice and ledger agree', async () => {
  tellTime();
  const id = await createOrder();
  const client = Mppx.create({
    methods: [evm({ account: chain.payer, maxAmount: '5000', decimals: LOCAL_TOKEN.decimals })],
    polyfill: false,
  });
  await assertPaidOnChain(id, await client.fetch(payUrl(id), { method: 'POST', headers }));
});

test('@x402/fetch: the low-level client repeats one signature → pays once', async () => {
  const id = await createOrder();
  const signature = await createSignature(chain.payer, (await readChallenge(id)).header);
  const before = (await chain.listReceived()).length;
  bench.proxy.mode.settle = 'down';
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  bench.proxy.reset();
  const paid = expectStatus(await pay(id, signature), 200);
  assert.equal(paid.body.already_paid, false);
  assert.equal(expectStatus(await pay(id, signature), 200).body.already_paid, true);
  assert.equal((await chain.listReceived()).length, before + 1);
});

const callPay = (id: string, args: Readonly<Record<string, unknown>> = {}, meta = {}) => {
  tellTime();
  return callTool(bench, 'pay_invoice', { invoice_id: id, ...args }, meta);
};

test('pay_invoice: called as a tool → shows the terms in its result and takes the signature as an argument', async () => {
  const id = await createOrder();
  const { result: challenge } = await callPay(id, { payment_method: 'x402-exact' });
  assert.equal(challenge?.isError, true, JSON.stringify(challenge));
  assert.equal(challenge?.structuredContent?.code, 'payment_required');
  assert.equal(challenge?.structuredContent?.x402Version, 2);
  assert.deepEqual(parseJson(getContentText(challenge)), challenge?.structuredContent);
  assert.doesNotMatch(getText(challenge?.structuredContent?.error), /header/);
  const header = getText(challenge?.structuredContent?.headers?.['payment-required']);
  const signature = await createSignature(chain.payer, header);
  const { result: paid } = await callPay(id, { payment_signature: signature });
  assert.equal(paid?.structuredContent?.status, 'paid', JSON.stringify(paid));
});

test('x402/payment: the terms of the structured content are signed by the published client → paid, with its receipt in _meta', async () => {
  const id = await createOrder();
  const { result: challenge } = await callPay(id);
  const required = new x402HTTPClient(createGenerousClient(chain.payer)).getPaymentRequiredResponse(() =>
    encodeJson(challenge?.structuredContent),
  );
  const payload = await createGenerousClient(chain.payer).createPaymentPayload(required);
  const { result: paid } = await callPay(id, {}, { 'x402/payment': payload });
  assert.equal(paid?.structuredContent?.already_paid, false, JSON.stringify(paid));
  const receipt = paid?._meta?.['x402/payment-response'];
  assert.equal(receipt?.success, true);
  assert.equal(receipt?.payer, chain.payer.address);
  assert.equal(receipt?.network, LOCAL_TOKEN.network);
  assert.equal(receipt?.transaction, paid?.structuredContent?.settlement_reference?.tx_hash);
});

test('x402/payment: what is no payment payload → the terms again with the reason, and nothing is recorded', async () => {
  const id = await createOrder();
  for (const hostile of [null, 7, 'x', [], {}, { x402Version: 2 }, { x402Version: 1, scheme: 'exact' }]) {
    const { result } = await callPay(id, {}, { 'x402/payment': hostile });
    assert.equal(result?.structuredContent?.code, 'payment_refused', JSON.stringify(result));
    assert.equal(result?.structuredContent?.x402Version, 2);
  }
  assert.deepEqual(await bench.listAttempts(id), []);
});

test('one signature: a tool, both headers of HTTP and its version 1 form → one transfer, and the others find it', async () => {
  const id = await createOrder();
  const signature = await createSignature(chain.payer, (await readChallenge(id)).header);
  const payload = parseJson(Buffer.from(signature, 'base64').toString());
  const older = encodeJson({
    x402Version: 1,
    scheme: 'exact',
    network: 'base-sepolia',
    payload: payload.payload,
  });
  const before = (await chain.listReceived()).length;
  bench.proxy.mode.settle = 'down';
  const { result: cut } = await callPay(id, {}, { 'x402/payment': payload });
  assert.equal(cut?.structuredContent?.code, 'payment_not_settled', JSON.stringify(cut));
  bench.proxy.reset();
  const answers = await Promise.all([
    ask('POST', `/invoices/${id}/pay`, { headers: { 'x-payment': older } }),
    callPay(id, {}, { 'x402/payment': payload }),
    pay(id, signature),
  ]);
  assert.equal(answers[0].status, 200, answers[0].text);
  expectStatus(await pay(id, signature), 200);
  assert.equal((await chain.listReceived()).length, before + 1);
  assert.equal((await bench.listAttempts(id)).length, 1);
});

test('x402 version 1: a 402 → its body has x402Version 1 and accepts, and the header of version 2 stays', async () => {
  const id = await createOrder();
  const challenge = expectFailure(await orders.payWith(id), 402, 'payment_required');
  const { terms } = await readChallenge(id);
  const [accepted] = terms.accepts;
  assert.equal(challenge.body.x402Version, 1);
  assert.deepEqual(challenge.body.accepts, [
    {
      scheme: 'exact',
      network: 'base-sepolia',
      maxAmountRequired: accepted.amount,
      resource: terms.resource.url,
      description: terms.resource.description,
      mimeType: 'application/json',
      payTo: accepted.payTo,
      maxTimeoutSeconds: 300,
      asset: accepted.asset,
      extra: { name: accepted.extra.name, version: accepted.extra.version },
    },
  ]);
  assert.equal(terms.x402Version, 2);
});

test('x402 version 1: X-PAYMENT of another network, amount or recipient → 402 with the terms; a right one → X-PAYMENT-RESPONSE', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const send = async (signing: Signing, network = 'base-sepolia') => {
    const { payload } = parseJson(Buffer.from(await sign(chain.payer, terms, signing), 'base64').toString());
    const header = encodeJson({ x402Version: 1, scheme: 'exact', network, payload });
    return ask('POST', `/invoices/${id}/pay`, { headers: { 'x-payment': header } });
  };
  tellTime();
  for (const [signing, network, reason] of [
    [{}, 'base', /is not paid on the network base/],
    [{}, '__proto__', /is not paid on the network __proto__/],
    [{ value: '1' }, 'base-sepolia', /pays 1 base units instead of/],
    [{ to: chain.payer.address }, 'base-sepolia', /instead of 0x/],
    [{ domain: { version: '1' } }, 'base-sepolia', /not of the payer/],
  ] as const) {
    const refused = expectFailure(await send(signing, network), 402, 'payment_refused');
    assert.match(getText(refused.body.error), reason);
    assert.equal(refused.body.x402Version, 1);
  }
  const paid = expectStatus(await send({}), 200);
  const receipt = parseJson(Buffer.from(paid.headers['x-payment-response'] ?? '', 'base64').toString());
  assert.equal(receipt.network, 'base-sepolia');
  assert.equal(receipt.transaction, paid.body.settlement_reference?.tx_hash);
  assert.equal(receipt.success, true);
});

test('X402_CONFIRMATIONS: 3 → a payment counts when three blocks hold it', async () => {
  bench.rotate({ confirmations: 3 });
  const id = await createOrder();
  const signature = await createSignature(chain.payer, (await readChallenge(id)).header);
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  await chain.client.mine({ blocks: 1 });
  expectFailure(await pay(id, signature), 402, 'payment_not_settled');
  await chain.client.mine({ blocks: 1 });
  expectStatus(await pay(id, signature), 200);
  bench.rotate({});
});

test('record_refund: staff send it from the wallet of the lab → accepted once the chain shows it', async () => {
  const id = await createOrder();
  const signature = await createSignature(chain.payer, (await readChallenge(id)).header);
  const paid = expectStatus(await pay(id, signature), 200);
  const body = { reason: 'fewer designs', amount_cents: 500 };
  const refundId = getText((await ask('POST', `/lab/invoices/${id}/refunds`, { body })).body.id);
  await service.worker.runDue();
  const listed = getItems((await ask('GET', `/lab/refunds?filter=eq(id,${refundId})`)).body.items);
  const [note] = getItems((await ask('GET', `/lab/invoices/${id}`)).body.credit_notes);
  for (const shown of [listed[0], note])
    assert.deepEqual(shown?.send_to, {
      network: 'eip155:84532',
      address: chain.payer.address,
      asset: LOCAL_TOKEN.asset,
      token: LOCAL_TOKEN.name,
      base_units: '5000000',
    });
  const record = (reference: string) =>
    ask('POST', `/lab/refunds/${refundId}/record`, { body: { reference } });
  const send = async (value: bigint, account = chain.lab) => {
    const hash = await chain.client.writeContract({
      account,
      chain: null,
      address: getAddress(LOCAL_TOKEN.asset),
      abi: tokenAbi,
      functionName: 'transfer',
      args: [chain.payer.address, value],
    });
    await chain.client.waitForTransactionReceipt({ hash });
    return hash;
  };
  const tooLittle = await send(4_999_999n);
  await chain.client.setBalance({ address: chain.payer.address, value: 10n ** 18n });
  const toItself = await send(5_000_000n, chain.payer);
  for (const wrong of [
    'SEPA 1',
    `0x${'1'.repeat(64)}`,
    getText(paid.body.settlement_reference?.tx_hash),
    tooLittle,
    toItself,
  ])
    expectFailure(await record(wrong), 422, 'refund_not_confirmed');
  const sent = await send(5_000_000n);
  assert.equal(expectStatus(await record(sent), 200).body.status, 'refunded');
});

test('facilitator: /supported and unreadable requests → says what it supports, and answers 400', async () => {
  const { url } = chain.facilitator;
  assert.match(await (await fetch(`${url}/supported`)).text(), /"scheme":"exact","network":"eip155:84532"/);
  for (const body of ['', '{}', '{"paymentPayload":{},"paymentRequirements":{}}'])
    assert.equal((await fetch(`${url}/verify`, { method: 'POST', body })).status, 400);
  assert.equal((await fetch(`${url}/elsewhere`)).status, 404);
});

test('ledger: after all journeys over x402 → no finding', async () => {
  assert.deepEqual(await checkLedger(labScope, service.database.read), []);
});

test('payment_refused: a wallet that is empty or holds too little → told what it holds and what is needed', async () => {
  const id = await createOrder();
  const { terms } = await readChallenge(id);
  const needed = formatUnits(BigInt(terms.accepts[0].amount), LOCAL_TOKEN.decimals);
  const poor = privateKeyToAccount(generatePrivateKey());
  const getRefusal = async (): Promise<string> =>
    getText(expectFailure(await pay(id, await sign(poor, terms)), 402, 'payment_refused').body.error);
  const ending = `and ${needed} ${LOCAL_TOKEN.name} are needed; fund it and sign again.`;
  assert.equal(await getRefusal(), `The payment was refused: the wallet ${poor.address} is empty, ${ending}`);
  await mintTestToken(chain.rpcUrl, poor.address, 1_500_000n);
  assert.equal(
    await getRefusal(),
    `The payment was refused: the wallet ${poor.address} holds 1.5, ${ending}`,
  );
  assert.equal(await bench.readStatus(id), 'open');
  expectStatus(await pay(id, await sign(chain.payer, terms)), 200);
});

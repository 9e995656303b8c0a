/** Whole payments over x402 with clients that are nobody's test code, on a local chain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapFetchWithPayment } from '@x402/fetch';
import { createX402Rail } from '#adapters/x402/rail.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#domain/ledger/check-store.ts';
import { expectFailure } from '#testing/builders.ts';
import { generousClient, signatureFor, testChain } from '#testing/chain.ts';
import { machineOrders } from '#testing/machine-orders.ts';
import { numberOf, testService, textOf } from '#testing/service.ts';

const chain = await testChain();
const service = await testService({}, { rails: [createX402Rail(chain.options)], start: new Date() });
const { ask, clock, token } = service;
const { order, payWith } = await machineOrders(service);
service.service.setBaseUrl(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));

const payUrl = (id: string) => `${service.service.work.site.baseUrl}/api/v1/invoices/${id}/pay`;
const auth = { authorization: `Bearer ${token}`, 'x-service-payment-method': 'x402-exact' };

test('@x402/fetch pays an invoice; the receipt and the Transfer event say the same', async () => {
  const id = await order();
  const invoice = (await ask('GET', `/invoices/${id}`)).body;
  const pay = wrapFetchWithPayment(fetch, generousClient(chain.payer));
  const answer = await pay(payUrl(id), { method: 'POST', headers: auth });
  const body = (await answer.json()) as Record<string, unknown>;
  assert.equal(answer.status, 200, JSON.stringify(body));
  console.log(body, answer.headers.get('payment-response'));
});

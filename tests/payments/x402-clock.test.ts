/** The published clients of x402 on a machine whose clock is ahead of the service's. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { wrapFetchWithPayment } from '@x402/fetch';
import axios, { type AxiosError } from 'axios';
import { withPaymentInterceptor } from 'x402-axios';
import { createGenerousClient } from '#testing/chain.ts';
import { parseJson } from '#testing/service.ts';
import { createX402Bench } from '#testing/x402-bench.ts';

const { chain, clock, orders, service, token } = await createX402Bench();
service.setBaseUrl(await service.app.listen({ host: '127.0.0.1', port: 0 }));
const headers = { authorization: `Bearer ${token}`, 'x-service-payment-method': 'x402-exact' };
const payUrl = (id: string): string => `${service.work.site.baseUrl}/api/v1/invoices/${id}/pay`;

/** Stops the clock of the client this far ahead of the service's. */
function stopClientAhead(context: TestContext, seconds: number): void {
  context.mock.timers.enable({ apis: ['Date'], now: clock.now().getTime() + seconds * 1_000 });
}

const AHEAD_S = [6, 59] as const;

for (const seconds of AHEAD_S)
  test(`validBefore: @x402/fetch signs with a clock ${seconds} s ahead → the invoice is paid`, async (context) => {
    const id = await orders.createOrder();
    stopClientAhead(context, seconds);
    const send = wrapFetchWithPayment(fetch, createGenerousClient(chain.payer));
    const answer = await send(payUrl(id), { method: 'POST', headers });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.equal(parseJson(text).status, 'paid');
  });

for (const seconds of AHEAD_S)
  test(`validBefore: x402-axios signs with a clock ${seconds} s ahead → the invoice is paid`, async (context) => {
    const id = await orders.createOrder();
    stopClientAhead(context, seconds);
    const client = withPaymentInterceptor(axios.create({ headers }), chain.payer);
    const { data } = await client.post<{ readonly status: string }>(payUrl(id), {});
    assert.equal(data.status, 'paid');
  });

test('payment_refused: a client signs with a clock 61 s ahead → 402 that names the limit', async (context) => {
  const id = await orders.createOrder();
  stopClientAhead(context, 61);
  const client = withPaymentInterceptor(axios.create({ headers }), chain.payer);
  const refused = await client.post(payUrl(id), {}).then(
    () => undefined,
    (error: AxiosError) => error.response,
  );
  assert.equal(refused?.status, 402);
  assert.match(JSON.stringify(refused?.data), /valid for more than 300 seconds from now/);
});

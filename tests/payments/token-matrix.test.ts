/** The crash matrix of mpp-spt: charges that are paid, declined or wait for a person, and refunds. */
import assert from 'node:assert/strict';
import { expectStatus } from '#testing/builders.ts';
import { serializeCredential, createTokenPayer } from '#testing/payment-client.ts';
import { refundWhole, testEachFlow, type Flow } from '#testing/stripe/matrix.ts';
import { createStripeService } from '#testing/stripe/service.ts';

const bench = await createStripeService();
const { service, fake } = bench;
const payer = await createTokenPayer(service);

async function createPaidByToken(): Promise<string> {
  const invoiceId = await payer.orderByToken();
  const token = fake.mint({ maxAmount: 99_999 });
  expectStatus(await payer.payByToken(invoiceId, token), 200);
  return invoiceId;
}

const credentials = new Map<string, string>();

/** With a token that can be charged, so whatever fails on the way the payer is never told a final failure. */
async function payOnce(invoiceId: string): Promise<number> {
  const credential =
    credentials.get(invoiceId) ??
    serializeCredential(await payer.readChallenge(invoiceId), fake.mint({ maxAmount: 99_999 }), invoiceId);
  credentials.set(invoiceId, credential);
  const { status, headers, text } = await payer.answer(invoiceId, credential);
  assert.ok(status === 200 || (status === 503 && headers['retry-after'] !== undefined), text);
  return status;
}

/** A busy machine may be taken for a silent processor now and then. */
async function payAgain(invoiceId: string): Promise<void> {
  let status = 0;
  for (let tries = 0; status !== 200 && tries < 5; tries += 1) status = await payOnce(invoiceId);
  assert.equal(status, 200);
}

const FLOWS: readonly Flow[] = [
  {
    name: 'mpp-spt: payment by a payer who comes back at once',
    prepare: () => payer.orderByToken(),
    async act(invoiceId) {
      if ((await payOnce(invoiceId)) !== 200) await payOnce(invoiceId);
    },
    finish: payAgain,
    end: 'paid',
    isKept: true,
  },
  {
    name: 'mpp-spt: payment by a payer who comes back much later',
    prepare: () => payer.orderByToken(),
    act: async (invoiceId) => void (await payOnce(invoiceId)),
    finish: payAgain,
    end: 'paid',
    isKept: true,
  },
  createUnpaidFlow('mpp-spt: a charge that waits for a person, then another token', 'requires_action'),
  createUnpaidFlow('mpp-spt: a charge that is declined, then another token', 'declines'),
  {
    name: 'mpp-spt: refund',
    prepare: createPaidByToken,
    act: (invoiceId) => refundWhole(bench, invoiceId),
    end: 'paid',
    isKept: false,
  },
];

function createUnpaidFlow(name: string, behavior: 'requires_action' | 'declines'): Flow {
  return {
    name,
    prepare: () => payer.orderByToken(),
    async act(invoiceId) {
      const token = fake.mint({ maxAmount: 99_999, behavior });
      const { status, text } = await payer.payByToken(invoiceId, token);
      assert.ok(status === 422 || status === 503, text);
    },
    finish: payAgain,
    end: 'paid',
    isKept: true,
  };
}

testEachFlow(bench, FLOWS);

/** The crash matrix of the hosted rail at the card processor: making the invoice, notification, withdrawal, refund. */
import assert from 'node:assert/strict';
import { expectStatus } from '#testing/builders.ts';
import { refundWhole, testEachFlow, type Flow } from '#testing/stripe/matrix.ts';
import { getLastEvent, createStripeService } from '#testing/stripe/service.ts';

const bench = await createStripeService();
const { service, fake, deliver, findAtStripe, readStatus, build, open } = bench;
const { ask } = service;
const { database, worker } = service.service;

function payOnPageIfOpen(invoiceId: string): void {
  const made = findAtStripe(invoiceId);
  if (made?.status === 'open') fake.pay(made.id);
}

async function createPaidOnPage(): Promise<string> {
  const { invoiceId, stripeId } = await open();
  fake.pay(stripeId);
  await deliver(getLastEvent(fake, 'invoice.paid'));
  assert.equal(await readStatus(invoiceId), 'paid');
  return invoiceId;
}

const hosted = {
  name: 'hosted: customer, invoice, lines, opening, look',
  async prepare() {
    // Made once for an organization, so that it would be asked for once in this file.
    await database.read.query('delete from processor_customers');
    return (await build.createInvoiced()).invoiceId;
  },
  act: async () => void (await worker.runDue()),
  runMeanwhile: payOnPageIfOpen,
  end: 'paid',
  isKept: true,
} satisfies Flow;

const FLOWS: readonly Flow[] = [
  hosted,
  {
    ...hosted,
    name: 'hosted: look at what a notification tells',
    async prepare() {
      const { invoiceId, stripeId } = await open();
      fake.pay(stripeId);
      return invoiceId;
    },
    act: async () => void (await deliver(getLastEvent(fake, 'invoice.paid'))),
  },
  {
    name: 'hosted: withdrawal',
    prepare: async () => (await open()).invoiceId,
    async act(invoiceId) {
      const path = `/lab/invoices/${invoiceId}/void`;
      expectStatus(await ask('POST', path, { body: { reason: 'wrong' } }), 200);
      await worker.runDue();
    },
    end: 'void',
    isKept: false,
  },
  {
    name: 'hosted: refund',
    prepare: createPaidOnPage,
    act: (invoiceId) => refundWhole(bench, invoiceId),
    end: 'paid',
    isKept: false,
  },
];

testEachFlow(bench, FLOWS);

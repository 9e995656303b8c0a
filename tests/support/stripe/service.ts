/** A service whose processor is the fake Stripe, both on one clock that the test moves. */
import { STRIPE_TIMEOUT_MS_MAX } from '#settings/stripe-settings.ts';
import { createBuilders, expectStatus, type Builders, type Invoiced } from '#testing/builders.ts';
import { testService, getText, type TestAnswer, type TestService } from '#testing/service.ts';
import { fakeStripe, SECRET_KEY, WEBHOOK_SECRET, type FakeStripe } from './server.ts';
import type { FakeEvent, FakeInvoice } from './state.ts';

export interface StripeService {
  readonly service: TestService;
  readonly fake: FakeStripe;
  readonly build: Builders;
  /** Delivers one event as Stripe would. */
  readonly deliver: (event: FakeEvent) => Promise<TestAnswer>;
  /** Moves the clock and lets the worker do everything that time brings. */
  readonly pass: (seconds: number) => Promise<void>;
  /** Our invoice at the fake; undefined while it has none. */
  readonly findAtStripe: (invoiceId: string) => FakeInvoice | undefined;
  readonly readStatus: (invoiceId: string) => Promise<string>;
  /** Confirmed here, and open at the fake. */
  readonly open: () => Promise<Invoiced & { readonly stripeId: string }>;
}

/** How long the SDK waits for the fake, which a busy machine may need; a fault that hangs does not wait for it. */
const TIMEOUT_MS = STRIPE_TIMEOUT_MS_MAX;

export function buildStripeVariables(url: string): Readonly<Record<string, string>> {
  return {
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_BASE: url,
    STRIPE_NETWORK_ID: 'profile_of_the_lab',
    STRIPE_TIMEOUT_MS: String(TIMEOUT_MS),
  };
}

export async function createStripeService(
  variables: Readonly<Record<string, string>> = {},
): Promise<StripeService> {
  const fake = await fakeStripe();
  const service = await testService({ ...buildStripeVariables(fake.url), ...variables });
  const { ask, clock } = service;
  const { worker } = service.service;
  fake.readNowS = () => Math.floor(clock.now().getTime() / 1000);
  const build = await createBuilders(service);

  const atStripe = (invoiceId: string): FakeInvoice | undefined =>
    Object.values(fake.state.books.invoices).find(({ metadata }) => metadata.invoice_id === invoiceId);

  async function open(): Promise<Invoiced & { readonly stripeId: string }> {
    const invoiced = await build.createInvoiced();
    await worker.runDue();
    const made = atStripe(invoiced.invoiceId);
    if (made?.status !== 'open') throw new Error(`the invoice at the fake is ${made?.status ?? 'not there'}`);
    return { ...invoiced, stripeId: made.id };
  }

  return {
    service,
    fake,
    build,
    deliver(event) {
      const { payload, signature } = fake.signEvent(event);
      return ask('POST', '//processor/notifications', {
        token: null,
        payload,
        headers: { 'stripe-signature': signature },
      });
    },
    async pass(seconds) {
      clock.advance(seconds * 1_000);
      await worker.runDue();
      await worker.runChores();
    },
    findAtStripe: atStripe,
    readStatus: async (invoiceId) =>
      getText(expectStatus(await ask('GET', `/invoices/${invoiceId}`), 200).body.status),
    open,
  };
}

/** Events of a kind, oldest first. */
export function listEvents(fake: FakeStripe, type: string): FakeEvent[] {
  return fake.state.books.events.filter((event) => event.type === type);
}

export function getLastEvent(fake: FakeStripe, type: string): FakeEvent {
  const event = listEvents(fake, type).at(-1);
  if (event === undefined) throw new Error(`the fake has no event ${type}`);
  return event;
}

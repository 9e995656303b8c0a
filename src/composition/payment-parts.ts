/** The payment processors of the settings, with their refund ports. `payment-rails.ts` makes the rails for machines. */
import type { Logger } from 'pino';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import { createBuiltinProcessor, type BuiltinProcessor } from '#adapters/processors/builtin/index.ts';
import type { Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Processors, TokenProcessor, RefundPorts } from '#features/payments/processor.ts';
import { BUILTIN_RAIL } from '#features/payments/rules.ts';
import { SHARED_TOKEN_RAIL } from '#features/payments/shared-token-rail.ts';
import { countStrandedInvoices } from '#features/payments/processor-store.ts';
import type { SigningKey } from '#features/tokens/capability.ts';
import type { JobHandler } from '#transports/worker.ts';
import { attendDueInvoices, attendInvoice } from '#workflows/pay/hosted-invoices.ts';
import type { HostedParts } from '#features/payments/hosted-parts.ts';
import { attendDueQuotes, attendQuote } from '#features/quotes/hosted-quotes.ts';
import { ATTEND_INVOICE, ATTEND_QUOTE } from '#features/payments/order-at-processor.ts';
import { createTestTokenProcessor, createTestTokenRefunds } from '#features/payments/test-tokens.ts';
import { deriveKey } from '#features/tokens/signing-keys.ts';
import type { Settings } from '#settings/settings.ts';

/** Parts of the processors that the worker and the server need. */
export interface PaymentProcessors {
  readonly hosted: HostedParts;
  readonly builtin: BuiltinProcessor;
  /** The processor that charges shared payment tokens; null: none, so the rail is not served. */
  readonly tokens: TokenProcessor | null;
  readonly refunds: RefundPorts;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly chores: readonly (() => Promise<void>)[];
}

/** The built-in processor is always present, because invoices that it opened stay with it. */
export async function createPaymentProcessors(
  settings: Settings,
  work: Work,
  database: PostgresDatabase,
  keys: readonly SigningKey[],
): Promise<PaymentProcessors> {
  const isSandbox = settings.environment === 'sandbox';
  const builtin = createBuiltinProcessor(
    work,
    database,
    deriveKey(keys, 'processor notifications').toString('hex'),
  );
  const stripe =
    settings.stripe === null ? null : (await loadStripe()).createStripeProcessor(settings.stripe, work.clock);
  const outside = stripe === null ? [] : [stripe.hosted];
  const processors: Processors = {
    current: stripe?.hosted ?? builtin.hosted,
    byName: new Map([builtin.hosted, ...outside].map((processor) => [processor.name, processor])),
  };
  const hosted = { work, database, processors };
  const testRefunds: RefundPorts = isSandbox
    ? { [SHARED_TOKEN_RAIL]: createTestTokenRefunds(work, database) }
    : {};
  return {
    hosted,
    builtin,
    tokens: stripe?.tokens ?? (isSandbox ? createTestTokenProcessor(work, database) : null),
    refunds: {
      ...testRefunds,
      [BUILTIN_RAIL]: builtin.refunds,
      ...(stripe === null ? {} : { [stripe.hosted.rail]: stripe.refunds }),
      ...(stripe === null || stripe.tokens === null ? {} : { [SHARED_TOKEN_RAIL]: stripe.refunds }),
    },
    handlers: {
      [ATTEND_INVOICE]: (payload) => attendInvoice(hosted, String(payload.invoice_id)),
      [ATTEND_QUOTE]: (payload) => attendQuote(hosted, String(payload.quote_id)),
    },
    chores: [() => attendDueQuotes(hosted), () => attendDueInvoices(hosted)],
  };
}

/** Loaded only when configured: Stripe's library takes a tenth of the start-up time. */
export function loadStripe() {
  return import('#adapters/processors/stripe/index.ts');
}

/**
 * Invoices stay with their processor; while its keys are not set, the service does not learn whether they are paid.
 */
export async function warnOfStranded(
  { hosted }: PaymentProcessors,
  database: PostgresDatabase,
  log: Logger,
): Promise<void> {
  const known = [...hosted.processors.byName.keys()];
  for (const { processor, count } of await countStrandedInvoices(labScope, database.read, known))
    log.warn({ processor, count }, 'open invoices belong to a processor whose keys are not set');
}

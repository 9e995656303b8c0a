/** The payment rails and the processor that the settings name, put together for `main.ts`. */
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import { stripeProcessor } from '#adapters/processors/stripe/index.ts';
import { STRIPE } from '#adapters/processors/stripe/invoices.ts';
import type { Work } from '#core/context.ts';
import { createSealer } from '#core/sealer.ts';
import type { MachineRail } from '#domain/payments/machine-rail.ts';
import type { RefundPorts } from '#domain/payments/refund-port.ts';
import { SHARED_TOKEN_RAIL, sharedTokenRail } from '#domain/payments/shared-token-rail.ts';
import type { TokenProcessor } from '#domain/payments/token-processor.ts';
import type { SigningKey } from '#domain/tokens/capability.ts';
import type { JobHandler } from '#transports/worker.ts';
import { attendDueInvoices, attendInvoice, type HostedParts } from '#workflows/hosted-invoices.ts';
import { ATTEND_INVOICE } from '#workflows/order-at-processor.ts';
import { testTokenProcessor, testTokenRefunds } from '#workflows/test-tokens.ts';
import { derivedKey } from './derived-key.ts';
import type { Settings } from './settings.ts';

/** What the worker and the doors need of the processor that the settings name; nothing when it is the built-in one. */
export interface OutsideProcessor {
  readonly hosted: HostedParts | null;
  /** Who charges shared payment tokens; null: nobody, and the rail is not served. */
  readonly tokens: TokenProcessor | null;
  readonly refunds: RefundPorts;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly chores: readonly (() => Promise<void>)[];
}

export function outsideProcessor(
  settings: Settings,
  work: Work,
  database: PostgresDatabase,
): OutsideProcessor {
  const isSandbox = settings.environment === 'sandbox';
  const testTokens = isSandbox ? testTokenProcessor(work, database) : null;
  const testRefunds: RefundPorts = isSandbox ? { [SHARED_TOKEN_RAIL]: testTokenRefunds(work, database) } : {};
  if (settings.stripe === null)
    return { hosted: null, tokens: testTokens, refunds: testRefunds, handlers: {}, chores: [] };
  const stripe = stripeProcessor(settings.stripe);
  const hosted = { work, database, processor: stripe.hosted };
  return {
    hosted,
    tokens: stripe.tokens ?? testTokens,
    refunds: {
      ...(stripe.tokens === null ? testRefunds : { [SHARED_TOKEN_RAIL]: stripe.refunds }),
      [STRIPE]: stripe.refunds,
    },
    handlers: { [ATTEND_INVOICE]: (payload) => attendInvoice(hosted, String(payload.invoice_id)) },
    chores: [() => attendDueInvoices(hosted)],
  };
}

export function sharedTokenRails(
  work: Work,
  { tokens }: OutsideProcessor,
  keys: readonly SigningKey[],
): readonly MachineRail[] {
  if (tokens === null) return [];
  const sealer = createSealer(derivedKey(keys, 'payment tokens'));
  return [sharedTokenRail({ ...work, processor: tokens, sealer, baseUrl: () => work.site.baseUrl })];
}

/** Loaded only where they are served: the libraries of a chain take a quarter of a second and 70 MB. */
export async function chainRails({ x402 }: Settings): Promise<MachineRail[]> {
  if (x402 === null) return [];
  const { createX402Rail } = await import('#adapters/x402/rail.ts');
  return [createX402Rail(x402)];
}

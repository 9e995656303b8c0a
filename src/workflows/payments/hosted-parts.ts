/** What working with the processors of hosted quotes and invoices takes. */
import type { Work } from '#core/context.ts';
import { organizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { organizationName } from '#domain/organizations/store.ts';
import { keepProcessorCustomer, processorCustomer } from '#domain/payments/processor-store.ts';
import type { HostedProcessor, Processors } from '#domain/payments/processor.ts';
import type { LineItem } from '#domain/pricing/contract.ts';

export interface HostedParts {
  readonly work: Work;
  readonly database: Database;
  readonly processors: Processors;
}

/** One quote or invoice with the processor that holds it. */
export interface Asking extends HostedParts {
  readonly processor: HostedProcessor;
}

/** At once, so that a processor that hangs takes the time of one and not of all. */
export const DUE_BATCH = 20;

export async function customerOf(
  { database, processor, work }: Asking,
  organizationId: string,
): Promise<string> {
  const scope = organizationScope(organizationId);
  const known = await processorCustomer(scope, database.read, processor.name);
  if (known !== undefined) return known;
  const name = await organizationName(scope, database.read);
  const customerId = await processor.customerOf({ id: organizationId, name });
  const at = work.clock.now();
  await keepProcessorCustomer(scope, database.read, { processor: processor.name, customerId, at });
  return (await processorCustomer(scope, database.read, processor.name)) ?? customerId;
}

/** The sums of our lines, not their factors, so that there is nothing to round; tax is a line of its own. */
export function linesOf(sums: { readonly line_items: readonly LineItem[]; readonly tax_cents: number }) {
  const lines = sums.line_items.map((line) => ({
    description: line.quantity === 1 ? line.description : `${line.quantity} × ${line.description}`,
    amountCents: line.total_cents,
  }));
  return sums.tax_cents === 0 ? lines : [...lines, { description: 'Tax', amountCents: sums.tax_cents }];
}

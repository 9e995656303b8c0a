/** Parts for working with the processors of hosted quotes and invoices. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { selectOrganizationName } from '../organizations/store.ts';
import { keepProcessorCustomer, selectProcessorCustomer } from './processor-store.ts';
import type { HostedProcessor, Processors } from './processor.ts';
import type { LineItem } from '../pricing/contract.ts';

export interface HostedParts {
  readonly work: Work;
  readonly database: Database;
  readonly processors: Processors;
}

/** One quote or invoice with its processor. */
export interface Asking extends HostedParts {
  readonly processor: HostedProcessor;
}

/** Handled concurrently, so that a processor that hangs delays one batch once. */
export const DUE_BATCH = 20;

export async function ensureCustomer(
  { database, processor, work }: Asking,
  organizationId: string,
): Promise<string> {
  const scope = createOrganizationScope(organizationId);
  const customer = await selectProcessorCustomer(scope, database.read, processor.name);
  if (customer !== undefined) return customer;
  const name = await selectOrganizationName(scope, database.read);
  const id = await processor.ensureCustomer({ id: organizationId, name });
  const at = work.clock.now();
  await keepProcessorCustomer(scope, database.read, {
    processor: processor.name,
    customer_id: id,
    at,
  });
  return (await selectProcessorCustomer(scope, database.read, processor.name)) ?? id;
}

/** Uses the amount of each line, not quantity and unit price, so that nothing is rounded; tax is a separate line. */
export function buildLines(sums: { readonly line_items: readonly LineItem[]; readonly tax_cents: number }) {
  const lines = sums.line_items.map((line) => ({
    description: line.quantity === 1 ? line.description : `${line.quantity} × ${line.description}`,
    amountCents: line.total_cents,
  }));
  return sums.tax_cents === 0 ? lines : [...lines, { description: 'Tax', amountCents: sums.tax_cents }];
}

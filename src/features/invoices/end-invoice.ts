/** Ends an unpaid invoice, for every caller. The caller holds the locks of its experiment and of the invoice. */
import type { Work } from '#core/context.ts';
import { toCents } from '#core/money.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { closeInvoice } from './store.ts';
import { buildReversedEntries, buildWrittenOffEntries } from '../ledger/rules.ts';
import { selectInvoiceBalances, insertPosting } from '../ledger/store.ts';
import { describeInvoice } from '../updates/details.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import type { HeldInvoice } from './hold-invoice.ts';

export interface End {
  /**
   * `void`: nothing is owed or earned any more. `uncollectible`: the amount is still owed but not expected; a late
   * payment settles it.
   */
  readonly to: 'void' | 'uncollectible';
  readonly reason: string;
}

const ENDS = {
  void: { kind: 'invoice_voided', reference: 'void', name: 'Invoice voided', event: 'invoice.voided' },
  uncollectible: {
    kind: 'invoice_written_off',
    reference: 'write-off',
    name: 'Invoice closed as uncollectible',
    event: 'invoice.written_off',
  },
} as const;

export async function closeInBooks(
  work: Work,
  tx: Transaction,
  { experiment, invoice }: HeldInvoice,
  { to, reason }: End,
): Promise<void> {
  const scope = createOrganizationScope(invoice.organization_id);
  const { kind, reference, name, event } = ENDS[to];
  const at = work.clock.now();
  await closeInvoice(scope, tx, invoice.id, { to, reason, at });
  const entries =
    to === 'void'
      ? buildReversedEntries(await selectInvoiceBalances(scope, tx, invoice.id))
      : buildWrittenOffEntries(toCents(invoice.total_cents));
  await insertPosting(scope, tx, {
    id: work.ids.createUuid(),
    invoice_id: invoice.id,
    kind,
    rail: 'invoice',
    external_reference: `${reference}:${invoice.external_id}`,
    currency: invoice.currency,
    entries,
    posted_at: at,
  });
  const description = invoice.invoice_number ?? invoice.external_id;
  await addUpdate(work, tx, experiment, {
    event,
    name,
    description,
    details: describeInvoice(invoice, { previous: invoice.status, current: to }),
  });
}

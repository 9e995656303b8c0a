import type { Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import { assertBalanced, type Entry } from './rules.ts';

export interface Posting {
  readonly id: string;
  readonly invoiceId: string;
  readonly kind: 'invoice_finalized' | 'payment_settled';
  readonly rail: string;
  readonly externalReference: string;
  readonly currency: string;
  readonly entries: readonly Entry[];
  readonly postedAt: Date;
}

/** Posts once per (rail, external reference); false when that had been posted before. */
export async function post(scope: OrganizationScope, sql: Sql, posting: Posting): Promise<boolean> {
  assertBalanced(posting.entries);
  const inserted = await sql.query<{ id: string }>(
    `insert into ledger_transactions (id, organization_id, invoice_id, kind, rail, external_reference, currency,
       posted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (rail, external_reference) do nothing returning id`,
    [
      posting.id,
      organizationOf(scope),
      posting.invoiceId,
      posting.kind,
      posting.rail,
      posting.externalReference,
      posting.currency,
      posting.postedAt,
    ],
  );
  if (inserted.length === 0) return false;
  await sql.query(
    `insert into ledger_entries (transaction_id, ordinal, organization_id, account, debit_cents, credit_cents)
     select $1, n, $2, account, debit, credit
     from unnest($3::text[], $4::bigint[], $5::bigint[]) with ordinality as entry (account, debit, credit, n)`,
    [
      posting.id,
      organizationOf(scope),
      posting.entries.map((entry) => entry.account),
      posting.entries.map((entry) => entry.debitCents),
      posting.entries.map((entry) => entry.creditCents),
    ],
  );
  return true;
}

export interface LedgerFinding {
  readonly kind: string;
  readonly subject: string;
}

/** Everything that should never be: unbalanced postings, and invoices the ledger disagrees with. Empty is healthy. */
export async function checkLedger(_lab: Scope, sql: Sql): Promise<LedgerFinding[]> {
  return sql.query<LedgerFinding>(
    `select 'unbalanced_posting' as kind, transaction_id::text as subject from ledger_entries
       group by transaction_id having sum(debit_cents) <> sum(credit_cents)
     union all
     select 'posting_without_entries', t.id::text from ledger_transactions t
       where not exists (select 1 from ledger_entries e where e.transaction_id = t.id)
     union all
     select 'paid_invoice_not_settled', i.id::text from invoices i
       where i.status = 'paid' and i.total_cents > 0
         and i.total_cents <> (select coalesce(sum(e.debit_cents), 0) from ledger_entries e
           join ledger_transactions t on t.id = e.transaction_id
           where t.invoice_id = i.id and t.kind = 'payment_settled' and e.account = 'cash')
     union all
     select 'settled_invoice_not_paid', t.invoice_id::text from ledger_transactions t
       join invoices i on i.id = t.invoice_id
       where t.kind = 'payment_settled' and i.status <> 'paid'
     union all
     select 'finalized_invoice_not_posted', i.id::text from invoices i
       where i.status in ('open', 'paid') and i.total_cents > 0
         and not exists (select 1 from ledger_transactions t where t.invoice_id = i.id and t.kind = 'invoice_finalized')
     union all
     select 'collected_twice', invoice_id::text from processor_payments group by invoice_id having count(*) > 1`,
  );
}

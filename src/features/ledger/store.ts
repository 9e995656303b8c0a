import { getFirst, type Sql } from '#core/sql.ts';
import { expression, insertManyOwned, insertOwnedWhere, createColumnMaker } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { assertBalanced, type Account, type Balances, type Entry, type PostingKind } from './rules.ts';
import { getMeaning, type LedgerFinding } from './finding.ts';

interface Posting {
  readonly id: string;
  readonly invoice_id: string;
  readonly kind: PostingKind;
  readonly rail: string;
  readonly external_reference: string;
  readonly currency: string;
  readonly entries: readonly Entry[];
  readonly posted_at: Date;
}

/**
 * Posts once per (rail, external reference). Returns false when that pair was posted before, or when there is nothing
 * to post. The lock makes a second poster wait for the first and then see its posting, because a table with rules
 * accepts no `on conflict`.
 */
export async function insertPosting(
  scope: OrganizationScope,
  sql: Sql,
  { entries, ...posting }: Posting,
): Promise<boolean> {
  assertBalanced(entries);
  if (entries.length === 0) return false;
  const { rail, external_reference: reference } = posting;
  await sql.query(`select pg_advisory_xact_lock(hashtextextended('ledger ' || $1 || ' ' || $2, 0))`, [
    rail,
    reference,
  ]);
  const inserted = await sql.query<{ id: string }>(
    ...insertOwnedWhere(
      scope,
      'ledger_transactions',
      {
        ...posting,
      },
      expression`not exists (select 1 from ledger_transactions where rail = ${rail} and external_reference = ${reference})`,
      'returning id',
    ),
  );
  if (inserted.length === 0) return false;
  const listValues = createColumnMaker(entries);
  await sql.query(
    ...insertManyOwned(scope, 'ledger_entries', {
      transaction_id: posting.id,
      ordinal: listValues('int', (_, index) => index + 1),
      account: listValues('text', (entry) => entry.account),
      debit_cents: listValues('bigint', (entry) => entry.debitCents),
      credit_cents: listValues('bigint', (entry) => entry.creditCents),
    }),
  );
  return true;
}

export async function selectInvoiceBalances(scope: Scope, sql: Sql, invoiceId: string): Promise<Balances> {
  const rows = await sql.query<{ account: Account; balance: number }>(
    `select e.account, sum(e.debit_cents - e.credit_cents)::bigint as balance
     from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
     where ($1::uuid is null or t.organization_id = $1) and t.invoice_id = $2 group by e.account`,
    [getOrganizationId(scope), invoiceId],
  );
  return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]));
}

/** Finds what a (rail, external reference) was posted for. */
export async function findPosting(
  _lab: LabScope,
  sql: Sql,
  rail: string,
  externalReference: string,
): Promise<{ readonly invoice_id: string; readonly kind: PostingKind } | undefined> {
  const rows = await sql.query<{ invoice_id: string; kind: PostingKind }>(
    `select invoice_id, kind from ledger_transactions where rail = $1 and external_reference = $2`,
    [rail, externalReference],
  );
  return getFirst(rows);
}

/** Selects the rail over which an invoice was paid; undefined while it is unpaid or when nothing was due. */
export async function selectRailOfPayment(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ rail: string }>(
    `select rail from ledger_transactions
     where ($1::uuid is null or organization_id = $1) and invoice_id = $2 and kind = 'payment_settled'`,
    [getOrganizationId(scope), invoiceId],
  );
  return rows[0]?.rail;
}

/** Consistency checks of the ledger against the other tables: each statement finds the exceptions. */
const BALANCES = `balances as (
  select t.invoice_id, e.account, sum(e.debit_cents - e.credit_cents) as balance
  from ledger_entries e join ledger_transactions t on t.id = e.transaction_id group by t.invoice_id, e.account),
standings as (
  select invoice_id,
    sum(balance) filter (where account = 'receivable') as receivable,
    sum(balance) filter (where account = 'refunds') as refunds,
    sum(balance) filter (where account = 'deferred_revenue') as deferred,
    sum(abs(balance)) filter (where account in ('deferred_revenue', 'revenue', 'tax', 'bad_debt')) as standing
  from balances group by invoice_id),
books as (
  select i.id, i.status, i.total_cents, i.amount_paid_cents, i.amount_refunded_cents, i.experiment_id,
    coalesce(s.receivable, 0) as receivable, coalesce(s.refunds, 0) as refunds, coalesce(s.deferred, 0) as deferred,
    coalesce(s.standing, 0) as standing
  from invoices i left join standings s on s.invoice_id = i.id)`;

const CHECKS = `
select 'unbalanced_posting' as kind, transaction_id::text as subject from ledger_entries
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
  join invoices i on i.id = t.invoice_id where t.kind = 'payment_settled' and i.status <> 'paid'
union all
select 'finalized_invoice_not_posted', i.id::text from invoices i
  where i.status in ('open', 'paid') and i.total_cents > 0
    and not exists (select 1 from ledger_transactions t where t.invoice_id = i.id and t.kind = 'invoice_finalized')
union all
select 'receivable_differs_from_what_is_owed', id::text from books
  where receivable <> case status when 'open' then total_cents else 0 end
union all
select 'void_invoice_left_in_the_books', id::text from books where status in ('void', 'draft') and standing <> 0
union all
select 'refunds_owed_differ_from_refunds', id::text from books
  where -refunds <> (select coalesce(sum(r.amount_cents), 0) from refunds r
    where r.invoice_id = books.id and r.status <> 'refunded')
union all
select 'refunded_amount_differs_from_refunds', id::text from books
  where amount_refunded_cents <> (select coalesce(sum(r.amount_cents), 0) from refunds r
    where r.invoice_id = books.id and r.status = 'refunded' and r.is_credit)
union all
select 'refund_not_posted', r.id::text from refunds r
  where r.status = 'refunded' and not exists (select 1 from ledger_transactions t
    where t.kind = 'refund_sent' and t.rail = r.rail and t.external_reference = r.reference)
union all
select 'work_ended_with_revenue_deferred', b.id::text from books b join experiments e on e.id = b.experiment_id
  where e.status in ('done', 'canceled') and b.status <> 'draft' and b.deferred <> 0
union all
select 'collected_twice', invoice_id::text from processor_payments group by invoice_id having count(*) > 1
union all
select 'collected_and_not_posted', p.id from processor_payments p
  where p.notified_at is not null and p.amount_cents > 0 and not exists (select 1 from ledger_transactions t
    where t.rail = 'hosted' and t.external_reference = p.id)
union all
select 'sent_back_and_not_posted', p.id from processor_refunds p
  where not exists (select 1 from ledger_transactions t
      where t.kind = 'refund_sent' and t.rail = 'hosted' and t.external_reference = p.id)
    and not exists (select 1 from refunds r where p.idempotency_key like 'refund:' || r.id || ':%' and r.status = 'pending')
union all
select 'sent_back_more_than_collected', p.id from processor_payments p
  where p.amount_cents < (select coalesce(sum(s.amount_cents), 0) from processor_refunds s where s.payment_id = p.id)
union all
select distinct 'accepted_quote_without_its_invoice', q.id from quotes q
  left join invoices i on i.quote_id = q.id
  where (q.status = 'accepted' and (i.id is null or i.subtotal_cents <> q.subtotal_cents
      or (i.replaces_id is null and i.tax_cents <> q.tax_cents)))
    or (q.status <> 'accepted' and i.id is not null and i.status <> 'draft')
union all
select 'replacement_of_another_invoice', n.id::text from invoices n join invoices o on o.id = n.replaces_id
  where o.status <> 'void' or o.quote_id <> n.quote_id or n.status = 'draft'
union all
select 'document_numbers_with_a_gap', c.kind || ' ' || c.year from invoice_counters c
  where c.last_number <> case c.kind
    when 'invoice' then (select count(*) from invoices i where i.invoice_number like 'INV-' || c.year || '-%')
    else (select count(*) from refunds r where r.credit_note_number like 'CN-' || c.year || '-%') end`;

/** Finds every inconsistency. An empty list is healthy. */
export async function checkLedger(_lab: LabScope, sql: Sql): Promise<LedgerFinding[]> {
  const rows = await sql.query<Omit<LedgerFinding, 'found'>>(`with ${BALANCES} ${CHECKS} order by 1, 2`);
  return rows.map((row) => ({ ...row, found: getMeaning(row.kind) }));
}

export interface TrialBalanceRow {
  readonly account: string;
  readonly rail: string | null;
  readonly currency: string;
  readonly debit_cents: number;
  readonly credit_cents: number;
}

/** Selects the sum of every account, cash by rail. */
export async function selectTrialBalance(_lab: LabScope, sql: Sql): Promise<TrialBalanceRow[]> {
  return sql.query<TrialBalanceRow>(
    `select e.account, case e.account when 'cash' then t.rail end as rail, t.currency,
       sum(e.debit_cents)::bigint as debit_cents, sum(e.credit_cents)::bigint as credit_cents
     from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
     group by 1, 2, 3 order by 1, 2 nulls first, 3`,
  );
}

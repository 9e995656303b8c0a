import { getFirst, type Sql } from '#core/sql.ts';
import { expression, insertMany, insertWhere, createManyValues } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { assertBalanced, type Account, type Balances, type Entry, type PostingKind } from './rules.ts';

export interface Posting {
  readonly id: string;
  readonly invoiceId: string;
  readonly kind: PostingKind;
  readonly rail: string;
  readonly externalReference: string;
  readonly currency: string;
  readonly entries: readonly Entry[];
  readonly postedAt: Date;
}

/**
 * Posts once per (rail, external reference). Returns false when that pair was posted before, or when there is nothing
 * to post. The lock makes a second poster wait for the first and then see its posting, because a table with rules
 * accepts no `on conflict`.
 */
export async function insertPosting(scope: OrganizationScope, sql: Sql, posting: Posting): Promise<boolean> {
  assertBalanced(posting.entries);
  if (posting.entries.length === 0) return false;
  const { rail, externalReference } = posting;
  await sql.query(`select pg_advisory_xact_lock(hashtextextended('ledger ' || $1 || ' ' || $2, 0))`, [
    rail,
    externalReference,
  ]);
  const inserted = await sql.query<{ id: string }>(
    ...insertWhere(
      'ledger_transactions',
      {
        id: posting.id,
        organization_id: scope.organizationId,
        invoice_id: posting.invoiceId,
        kind: posting.kind,
        rail,
        external_reference: externalReference,
        currency: posting.currency,
        posted_at: posting.postedAt,
      },
      expression`not exists (select 1 from ledger_transactions where rail = ${rail} and external_reference = ${externalReference})`,
      'returning id',
    ),
  );
  if (inserted.length === 0) return false;
  const { entries } = posting;
  await sql.query(
    ...insertMany('ledger_entries', {
      transaction_id: posting.id,
      ordinal: createManyValues(
        'int',
        entries.map((_, index) => index + 1),
      ),
      organization_id: scope.organizationId,
      account: createManyValues(
        'text',
        entries.map((entry) => entry.account),
      ),
      debit_cents: createManyValues(
        'bigint',
        entries.map((entry) => entry.debitCents),
      ),
      credit_cents: createManyValues(
        'bigint',
        entries.map((entry) => entry.creditCents),
      ),
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

/** The ledger's side of the comparison with outside books, and the money that is on its way between the two. */
import { getFirst, type Sql } from '#core/sql.ts';
import type { LabScope } from '#core/scope.ts';
import type { BookEntry, Direction } from './outside-book.ts';

interface EntryRow {
  readonly id: string;
  readonly rail: string;
  readonly direction: Direction;
  readonly invoice_id: string;
  readonly document: string;
  readonly reference: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly posted_at: string;
  readonly is_by_hand: boolean;
  readonly network: string | null;
  readonly asset: string | null;
  readonly pay_to: string | null;
  readonly payer: string | null;
}

const MONEY = `t.kind in ('payment_settled', 'payment_surplus', 'refund_sent')`;

/**
 * The ledger posts a payment on a chain under its authorization; the chain knows it by the hash of its transaction.
 */
const ENTRIES = `
select t.id, t.rail, case t.kind when 'refund_sent' then 'sent_back' else 'received' end as direction, t.invoice_id,
  coalesce(i.invoice_number, i.external_id) as document,
  coalesce(a.outcome->'reference'->>'tx_hash', t.external_reference) as reference,
  coalesce((select abs(sum(e.debit_cents - e.credit_cents)) from ledger_entries e
    where e.transaction_id = t.id and e.account = 'cash'), 0)::bigint as amount_cents,
  t.currency, t.posted_at,
  r.id is not null and not exists (
    select 1 from refund_attempts ra where ra.refund_id = r.id and ra.outcome = 'refunded') as is_by_hand,
  p.request->'requirements'->>'network' as network, lower(p.request->'requirements'->>'asset') as asset,
  lower(p.request->'requirements'->>'payTo') as pay_to, lower(p.request->'authorization'->>'from') as payer
from ledger_transactions t
  join invoices i on i.id = t.invoice_id
  left join payment_attempts a
    on t.kind <> 'refund_sent' and a.rail = t.rail and a.external_key = t.external_reference
  left join refunds r
    on t.kind = 'refund_sent' and r.invoice_id = t.invoice_id and r.rail = t.rail and r.reference = t.external_reference
  left join payment_attempts o on o.invoice_id = r.invoice_id and o.rail = r.rail
    and o.state in ('paid', 'returned') and o.outcome->'reference' = r.payment_reference
  left join payment_attempts p on p.id = coalesce(a.id, o.id)
where ${MONEY}`;

/** Lists entries from the oldest, after the given place; undefined starts at the beginning. */
export async function selectEntriesSince(
  _lab: LabScope,
  sql: Sql,
  page: { readonly since: Date; readonly after: BookEntry | undefined; readonly limit: number },
): Promise<BookEntry[]> {
  const rows = await sql.query<EntryRow>(
    `${ENTRIES} and t.posted_at >= $1 and ($2::timestamptz is null or (t.posted_at, t.id) > ($2, $3::uuid))
     order by t.posted_at, t.id limit $4`,
    [page.since, page.after?.posted_at ?? null, page.after?.id ?? null, page.limit],
  );
  return rows.map(buildEntry);
}

export async function selectEntriesByReference(
  _lab: LabScope,
  sql: Sql,
  rails: readonly string[],
  references: readonly string[],
): Promise<BookEntry[]> {
  const rows = await sql.query<EntryRow>(
    `${ENTRIES} and t.id in (
       select id from ledger_transactions where rail = any($1) and external_reference = any($2)
       union select l.id from payment_attempts x
         join ledger_transactions l on l.rail = x.rail and l.external_reference = x.external_key
         where x.rail = any($1) and x.outcome->'reference'->>'tx_hash' = any($2))
     order by t.id`,
    [rails, references],
  );
  return rows.map(buildEntry);
}

function buildEntry(row: EntryRow): BookEntry {
  const { network, asset, pay_to: payTo, payer } = row;
  const isOnChain = network !== null && asset !== null && payTo !== null && payer !== null;
  return {
    id: row.id,
    rail: row.rail,
    direction: row.direction,
    invoice_id: row.invoice_id,
    document: row.document,
    reference: row.reference,
    amount_cents: row.amount_cents,
    currency: row.currency,
    posted_at: new Date(row.posted_at),
    is_by_hand: row.is_by_hand,
    transfer: isOnChain ? { network, asset, payTo, payer } : null,
  };
}

export async function hasPostings(_lab: LabScope, sql: Sql): Promise<boolean> {
  const rows = await sql.query<{ found: boolean }>(
    `select exists (select 1 from ledger_transactions) as found`,
  );
  return getFirst(rows)?.found ?? false;
}

/** Money on its way between the ledger and the outside: it was requested, and the outcome is not known yet. */
export interface Flight {
  /** Id of the attempt, the refund or the invoice. */
  readonly id: string;
  readonly rail: string;
  readonly direction: Direction;
  readonly document: string;
  readonly amount_cents: number;
  readonly since: string;
}

/** Lists it from the oldest. */
export async function selectMoneyInFlight(_lab: LabScope, sql: Sql, limit: number): Promise<Flight[]> {
  return sql.query<Flight>(
    `select a.id, a.rail, 'received' as direction, coalesce(i.invoice_number, i.external_id) as document,
       i.total_cents as amount_cents, a.handed_over_at as since
     from payment_attempts a join invoices i on i.id = a.invoice_id where a.state = 'settling'
     union all
     select r.id, r.rail, 'sent_back', r.credit_note_number, r.amount_cents, r.created_at
     from refunds r where r.status = 'pending'
     order by since limit $1`,
    [limit],
  );
}

export interface FlightQuestion {
  readonly rails: readonly string[];
  readonly reference: string;
  readonly party: string | null;
  readonly invoiceId: string | null;
  /** Null when the amount is not a whole number of cents. */
  readonly amountCents: number | null;
}

/**
 * Finds the request that explains money that arrived: an attempt whose outcome is unknown, or an invoice that will be
 * looked up.
 */
export async function selectFlightOfPayment(
  _lab: LabScope,
  sql: Sql,
  { rails, reference, party, invoiceId, amountCents }: FlightQuestion,
): Promise<string | undefined> {
  const rows = await sql.query<{ id: string }>(
    `select a.id::text as id from payment_attempts a join invoices i on i.id = a.invoice_id
     where a.state in ('prepared', 'settling') and a.rail = any($1) and (a.invoice_id::text = $4
       or (lower(a.request->'authorization'->>'from') = $3 and i.total_cents = $5))
     union all
     select p.invoice_id::text from processor_invoices p
     where (p.provider_id = $2 or p.invoice_id::text = $4) and p.next_at is not null
     limit 1`,
    [rails, reference, party, invoiceId, amountCents],
  );
  return getFirst(rows)?.id;
}

/** Finds the refund that explains money that went back, by its id or, on a chain, by its recipient. */
export async function selectRefundBehind(
  _lab: LabScope,
  sql: Sql,
  page: {
    readonly rails: readonly string[];
    readonly refundId: string | null;
    readonly party: string | null;
    /** Null when the amount is not a whole number of cents. */
    readonly amountCents: number | null;
  },
): Promise<{ id: string; rail: string; status: string } | undefined> {
  return getFirst(
    await sql.query<{ id: string; rail: string; status: string }>(
      `select r.id::text as id, r.rail, r.status from refunds r
       where r.rail = any($1) and r.id::text = $2
       union all
       select r.id::text, r.rail, r.status from refunds r
         join payment_attempts a on a.invoice_id = r.invoice_id and a.rail = r.rail and a.state in ('paid', 'returned')
           and a.outcome->'reference' = r.payment_reference
       where r.rail = any($1) and r.status <> 'refunded' and r.amount_cents = $4
         and lower(a.request->'authorization'->>'from') = $3
       limit 1`,
      [page.rails, page.refundId, page.party, page.amountCents],
    ),
  );
}

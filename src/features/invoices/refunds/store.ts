import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage } from '#core/list-page.ts';
import { refundsList, SEND_TO } from '../lists.ts';
import type { RawJson } from '#core/reply.ts';

/** The destination of a refund of an x402 payment. */
interface SendTo {
  /** CAIP-2. */
  readonly network: string;
  readonly address: string;
  readonly asset: string;
  readonly token: string;
  /** Decimal digits. */
  readonly base_units: string;
}

/** Joins as `a` the attempt whose money a refund `r` of the invoice `i` returns. */
const PAYING_ATTEMPT = `left join payment_attempts a on r.rail = 'x402-exact' and a.invoice_id = r.invoice_id
  and a.state in ('paid', 'returned') and a.outcome->'reference' = r.payment_reference`;

export interface RefundRow {
  readonly id: string;
  readonly organization_id: string;
  readonly invoice_id: string;
  readonly invoice_number: string | null;
  readonly experiment_id: string;
  readonly credit_note_number: string;
  readonly status: 'pending' | 'refunded' | 'action_required';
  readonly rail: string;
  readonly payment_reference: Readonly<Record<string, unknown>>;
  readonly amount_cents: number;
  readonly tax_cents: number;
  readonly currency: string;
  readonly is_credit: boolean;
  readonly reason: string;
  readonly reference: string | null;
  readonly problem: string | null;
  readonly send_to: SendTo | null;
  readonly created_at: string;
  readonly refunded_at: string | null;
}

const SELECT = `select r.id, r.organization_id, r.invoice_id, i.invoice_number, i.experiment_id, r.credit_note_number,
  r.status, r.rail, r.payment_reference, r.amount_cents, r.tax_cents, r.currency, r.is_credit, r.reason, r.reference,
  r.problem, r.created_at, r.refunded_at, ${SEND_TO} as send_to
  from refunds r join invoices i on i.id = r.invoice_id ${PAYING_ATTEMPT} where ($1::uuid is null or r.organization_id = $1)`;

export async function findRefund(scope: Scope, sql: Sql, id: string): Promise<RefundRow | undefined> {
  return getFirst(await sql.query<RefundRow>(`${SELECT} and r.id = $2`, [getOrganizationId(scope), id]));
}

export async function lockRefund(scope: Scope, sql: Sql, id: string): Promise<RefundRow | undefined> {
  const rows = await sql.query<RefundRow>(`${SELECT} and r.id = $2 for update of r`, [
    getOrganizationId(scope),
    id,
  ]);
  return getFirst(rows);
}

export async function findCreditNote(scope: Scope, sql: Sql, number: string): Promise<RefundRow | undefined> {
  const rows = await sql.query<RefundRow>(`${SELECT} and r.credit_note_number = $2`, [
    getOrganizationId(scope),
    number,
  ]);
  return getFirst(rows);
}

/** Oldest first. */
export async function selectRefundsOfInvoice(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
): Promise<RefundRow[]> {
  return sql.query<RefundRow>(`${SELECT} and r.invoice_id = $2 order by r.created_at, r.id`, [
    getOrganizationId(scope),
    invoiceId,
  ]);
}

/** The sum of all credit notes of an invoice, whether sent or not. */
export async function selectCreditedCents(scope: Scope, sql: Sql, invoiceId: string): Promise<number> {
  const rows = await sql.query<{ credited: number }>(
    `select coalesce(sum(amount_cents), 0)::bigint as credited from refunds
     where ($1::uuid is null or organization_id = $1) and invoice_id = $2 and is_credit`,
    [getOrganizationId(scope), invoiceId],
  );
  return getExactlyOne(rows).credited;
}

interface NewRefund {
  readonly id: string;
  readonly invoice_id: string;
  readonly credit_note_number: string;
  readonly rail: string;
  readonly payment_reference: Readonly<Record<string, unknown>>;
  readonly amount_cents: number;
  readonly tax_cents: number;
  readonly currency: string;
  readonly is_credit: boolean;
  readonly reason: string;
  readonly requested_by: string;
  readonly created_at: Date;
}

export async function insertRefund(scope: OrganizationScope, sql: Sql, refund: NewRefund): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'refunds', {
      ...refund,
      status: 'pending',
      payment_reference: JSON.stringify(refund.payment_reference),
    }),
  );
}

/** Compare-and-set of the status. The caller holds the row lock. */
export async function setRefundStatus(
  scope: Scope,
  sql: Sql,
  id: string,
  change: {
    readonly from: RefundRow['status'];
    readonly to: RefundRow['status'];
    readonly reference?: string;
    readonly problem?: string;
    readonly at: Date;
  },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update refunds set status = $4, reference = coalesce($5, reference), problem = $6,
       refunded_at = case when $4 = 'refunded' then $7::timestamptz end
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = $3 returning id`,
    [
      getOrganizationId(scope),
      id,
      change.from,
      change.to,
      change.reference ?? null,
      change.problem ?? null,
      change.at,
    ],
  );
  getExactlyOne(rows);
}

interface AttemptRow {
  readonly ordinal: number;
  readonly outcome: 'refunded' | 'refused' | 'unknown' | null;
}

export async function selectLatestAttempt(
  scope: Scope,
  sql: Sql,
  refundId: string,
): Promise<AttemptRow | undefined> {
  const rows = await sql.query<AttemptRow>(
    `select ordinal, outcome from refund_attempts
     where ($1::uuid is null or organization_id = $1) and refund_id = $2 order by ordinal desc limit 1`,
    [getOrganizationId(scope), refundId],
  );
  return getFirst(rows);
}

export async function insertAttempt(
  scope: OrganizationScope,
  sql: Sql,
  { at, ...attempt }: { readonly refund_id: string; readonly ordinal: number; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'refund_attempts', {
      ...attempt,
      started_at: at,
    }),
  );
}

export async function finishAttempt(
  scope: Scope,
  sql: Sql,
  attempt: {
    readonly refundId: string;
    readonly ordinal: number;
    readonly outcome: 'refunded' | 'refused' | 'unknown';
    readonly detail: string;
    readonly at: Date;
  },
): Promise<void> {
  await sql.query(
    `update refund_attempts set outcome = $4, detail = $5, finished_at = $6
     where ($1::uuid is null or organization_id = $1) and refund_id = $2 and ordinal = $3`,
    [
      getOrganizationId(scope),
      attempt.refundId,
      attempt.ordinal,
      attempt.outcome,
      attempt.detail,
      attempt.at,
    ],
  );
}

/** Pending refunds without a job: the job was given up or lost. */
export async function selectStalledRefunds(
  _lab: LabScope,
  sql: Sql,
  limit: number,
): Promise<{ id: string; organization_id: string }[]> {
  return sql.query(
    `select r.id, r.organization_id from refunds r
     where r.status = 'pending' and not exists (
       select 1 from jobs j where j.unique_key = 'send_refund:' || r.id and j.done_at is null and j.failed_at is null)
     order by r.created_at limit $1`,
    [limit],
  );
}

export function listRefundPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: refundsList.columns,
      from: 'refunds r',
      alias: 'r',
      joins: [
        { alias: 'i', sql: 'join invoices i on i.id = r.invoice_id' },
        { alias: 'a', sql: PAYING_ATTEMPT },
        { alias: 'o', sql: 'join organizations o on o.id = r.organization_id' },
      ],
      where: 'true',
      values: [],
    },
    query,
  );
}

/** Reads which orders wait for staff, and for what. */
import { writeWireTime } from '#core/list-page.ts';
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { INVOICE, ORGANIZATION } from './list-fields.ts';
import type { LabNeed } from './needs-contract.ts';
import { getNeedCondition, needKinds } from './needs.ts';
import type { NeedCondition, NeedKind, OrderFact } from './needs.ts';

/** Whether the event `a` is an analysis that nobody has released or discarded since. */
const IS_UNRELEASED = `a.action = 'analyzed' and not exists (select 1 from review_events later
    where later.experiment_id = a.experiment_id and later.ordinal > a.ordinal
      and later.action in ('released', 'amended', 'discarded'))`;

/** `$1` is the present; the names are those of the tables below. */
const FACTS: Readonly<Record<OrderFact, string>> = {
  overdue: 'coalesce(inv.due_date < $1, false)',
  stopped: 'stopped.problem is not null',
  refund_by_hand: 'refund.count > 0',
  target_in_review: `exists (select 1 from target_requests t
    where t.experiment_id = e.id and t.status = 'pending_review')`,
  amendment_waits: `exists (select 1 from review_events a where a.experiment_id = e.id and ${IS_UNRELEASED})`,
};

function writeCondition({ status, invoice, is, isNot }: NeedCondition): string {
  const parts = [
    status === undefined ? null : writeMembership('e.status', status),
    invoice === undefined ? null : writeMembership('inv.status', invoice),
    is === undefined ? null : FACTS[is],
    isNot === undefined ? null : `not (${FACTS[isNot]})`,
  ];
  return parts.filter((part) => part !== null).join(' and ');
}

function writeMembership(column: string, values: readonly (string | null)[]): string {
  return `coalesce(${column}, '') in (${values.map((value) => `'${value ?? ''}'`).join(', ')})`;
}

/** Since when an order has waited for the first of its needs. */
const SINCE = `case kinds[1] when 'overdue_invoice' then due_date when 'unpaid_invoice' then due_date
  when 'draft_invoice' then invoice_created_at when 'refund_by_hand' then refund_created_at else status_since end`;

const STOPPED = `left join lateral (
    select r.problem from runs r where r.experiment_id = e.id order by r.ordinal desc limit 1) stopped on true`;
const REFUND = `left join lateral (
    select count(*)::int as count, sum(r.amount_cents)::bigint as amount_cents, min(r.created_at) as created_at,
      (array_agg(r.credit_note_number order by r.created_at, r.id))[1] as credit_note_number,
      (array_agg(r.problem order by r.created_at, r.id))[1] as problem
    from refunds r join invoices of_order on of_order.id = r.invoice_id
    where of_order.experiment_id = e.id and r.status = 'action_required') refund on true`;

/** Orders about which there may be something to do; of an order that is over, only its money, its target or an amendment. */
const CANDIDATES = `select id from experiments where status not in ('draft', 'quote_sent', 'done', 'canceled')
  union select experiment_id from invoices where status in ('draft', 'open')
  union select i.experiment_id from refunds r join invoices i on i.id = r.invoice_id where r.status = 'action_required'
  union select experiment_id from target_requests where status = 'pending_review'
  union select a.experiment_id from review_events a where ${IS_UNRELEASED}`;

/** `$2` lists the kinds that are asked for, `$3` is how many orders of each, `$4` whether their money is shown. */
const NEEDS = `with judged as (
    select e.id, e.code, e.name, o.name as organization_name, e.status, e.status_since,
      inv.id as invoice_id, inv.status as invoice_status, inv.invoice_number, inv.total_cents, inv.due_date,
      inv.created_at as invoice_created_at, refund.count as refunds, refund.amount_cents as refund_cents,
      refund.created_at as refund_created_at, refund.credit_note_number, refund.problem as refund_problem,
      array(select asked.kind from unnest($2::text[]) with ordinality asked (kind, place)
        where case asked.kind ${needKinds
          .map((kind) => `when '${kind}' then ${writeCondition(getNeedCondition(kind))}`)
          .join(' ')} end order by asked.place) as kinds
    from experiments e ${ORGANIZATION} ${INVOICE} ${STOPPED} ${REFUND}
    where e.id in (${CANDIDATES})),
  ranked as (
    select *, kinds[1] as kind, count(*) over (partition by kinds[1])::int as total,
      row_number() over (partition by kinds[1] order by ${SINCE}, id) as place
    from judged where cardinality(kinds) > 0)
  select kind, max(total) as total, json_agg(json_build_object('experiment_id', id, 'experiment_code', code,
    'experiment_name', name, 'organization_name', organization_name, 'status', status,
    'status_since', ${writeWireTime('status_since')}, 'also', kinds[2:],
    'invoice', case when $4 and invoice_id is not null then json_build_object('id', invoice_id, 'status', invoice_status,
      'invoice_number', invoice_number, 'amount_cents', total_cents,
      'created_at', ${writeWireTime('invoice_created_at')}, 'due_date', ${writeWireTime('due_date')},
      'days_late', case when invoice_status = 'open' and due_date < $1
        then ceil(extract(epoch from $1 - due_date) / 86400)::int else 0 end) end,
    'refund', case when $4 and refunds > 0 then json_build_object('credit_note_number', credit_note_number,
      'count', refunds, 'amount_cents', refund_cents, 'created_at', ${writeWireTime('refund_created_at')},
      'problem', refund_problem) end) order by place) as orders
  from ranked where place <= $3 group by kind order by array_position($2::text[], kind)`;

export interface AskedNeeds {
  /** The most urgent first. */
  readonly kinds: readonly NeedKind[];
  /** Orders of each kind that are read; the others are counted. */
  readonly ordersOfEach: number;
  readonly showsMoney: boolean;
  readonly at: Date;
}

/** Selects each order once, under the first of the kinds that it waits for. */
export function selectNeeds(
  _lab: LabScope,
  sql: Sql,
  { kinds, ordersOfEach, showsMoney, at }: AskedNeeds,
): Promise<LabNeed[]> {
  return sql.query<LabNeed>(NEEDS, [at, kinds, ordersOfEach, showsMoney]);
}

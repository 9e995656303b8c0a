/**
 * Reads experiments of every organization as the lab sees them and what they wait for, and keeps the notes of staff.
 */
import type { ListQuery } from '#core/filter/index.ts';
import { isUuid } from '#core/ids.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import type { LabExperiment } from './contract.ts';
import { AWAITING, INVOICE, ORGANIZATION, TARGET, WAITING_ACTOR } from './list-fields.ts';
import type { LabNeed } from './needs-contract.ts';
import { getNeedCondition, needKinds, type NeedCondition, type NeedKind, type OrderFact } from './needs.ts';

/** Every column of a list item. `$1` is the public address of the service. */
const ITEM = `e.id, e.code, e.name, e.organization_id, o.name as organization_name, e.status,
  ${writeWireTime('e.status_since')} as status_since, ${WAITING_ACTOR} as waiting_actor, ${AWAITING} as awaiting,
  e.results_status, e.experiment_type, e.method, e.target_id,
  coalesce(t.name, e.requested_target ->> 'name') as target_name, e.n_replicates, e.sequence_count,
  inv.status as invoice_status,
  (select r.problem from runs r where r.experiment_id = e.id order by r.ordinal desc limit 1) as problem,
  ${writeWireTime('e.submitted_at')} as submitted_at, ${writeWireTime('e.eta')} as eta,
  ${writeWireTime('e.promised_at')} as promised_at, ${writeWireTime('e.created_at')} as created_at,
  ${writeWireTime('e.updated_at')} as updated_at, $1::text || '/experiments/' || e.id as experiment_url`;

export function listQueuePage(_lab: LabScope, sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'experiments e',
      alias: 'e',
      joins: [
        { alias: 'o', sql: ORGANIZATION },
        { alias: 't', sql: TARGET },
        { alias: 'inv', sql: INVOICE },
      ],
      where: '$1::text is not null',
      values: [baseUrl],
    },
    query,
  );
}

const HISTORY_MAX = 200;

const DETAIL = `select ${ITEM}, e.description, u.email as ordered_by, e.antigen_concentrations_nm, e.parameters,
  e.requested_target, e.payment_method,
  (select tr.id from target_requests tr where tr.experiment_id = e.id
   order by tr.created_at desc, tr.id desc limit 1) as target_request_id,
  (select json_build_object('id', q.id, 'status', q.status, 'total_cents', q.total_cents,
     'valid_until', ${writeWireTime('q.valid_until')})
   from quotes q where q.experiment_id = e.id
   order by (q.status in ('draft', 'open', 'accepted')) desc, q.created_at desc limit 1) as quote,
  case when inv.id is null then null else
    json_build_object('id', inv.id, 'status', inv.status, 'total_cents', inv.total_cents) end as invoice,
  (select json_build_object('reason', p.reason, 'released_by', p.released_by,
     'created_at', ${writeWireTime('p.created_at')}) from unpaid_releases p where p.experiment_id = e.id) as unpaid_release,
  (select coalesce(json_agg(json_build_object('id', r.id, 'ordinal', r.ordinal, 'instrument', r.instrument,
     'operator', r.operator, 'lab_run_id', r.lab_run_id,
     'status', r.status, 'override_reason', r.override_reason, 'problem', r.problem,
     'file_count', (select count(*) from raw_files f where f.run_id = r.id),
     'started_at', ${writeWireTime('r.started_at')}, 'completed_at', ${writeWireTime('r.completed_at')})
     order by r.ordinal), '[]')
   from runs r where r.experiment_id = e.id) as runs,
  (select coalesce(json_agg(json_build_object('outcome', found.outcome, 'finding', found.finding,
     'released', found.released, 'count', found.count)
     order by found.outcome, found.finding nulls first, found.released), '[]')
   from (select newest.outcome, case when newest.outcome = 'measured' and newest.summary -> 0 ->> 'tm' is null
       and newest.summary -> 0 ->> 'no_transition_reason' is not null then 'no_transition' end as finding,
       newest.released_at is not null as released, count(*) as count
     from (select distinct on (r.sequence_id) r.outcome, r.released_at, r.summary from results r
       where r.experiment_id = e.id order by r.sequence_id, r.version desc) newest
     group by 1, 2, 3) found) as outcomes,
  (select coalesce(json_agg(json_build_object('created_at', ${writeWireTime('h.created_at')}, 'type', h.type,
     'name', h.name, 'description', h.description, 'quote_id', h.details -> 'quote_id',
     'quote_number', h.details -> 'quote_number', 'invoice_id', h.details -> 'invoice_id',
     'invoice_number', h.details -> 'invoice_number') order by h.created_at, h.id), '[]')
   from (select * from updates u2 where u2.experiment_id = e.id
     order by u2.created_at desc, u2.id desc limit ${HISTORY_MAX}) h) as history,
  (select coalesce(json_agg(json_build_object('id', n.id, 'author', n.author, 'note', n.note,
     'created_at', ${writeWireTime('n.created_at')}) order by n.created_at, n.id), '[]')
   from experiment_notes n where n.experiment_id = e.id) as notes
  from experiments e ${ORGANIZATION} ${TARGET} ${INVOICE} left join users u on u.id = e.created_by_user_id`;

export async function findLabExperiment(
  _lab: LabScope,
  sql: Sql,
  idOrCode: string,
  baseUrl: string,
): Promise<LabExperiment | undefined> {
  const text = `${DETAIL} where e.${isUuid(idOrCode) ? 'id' : 'code'} = $2`;
  return getFirst(await sql.query<LabExperiment>(text, [baseUrl, idOrCode]));
}

interface LabSequenceRow {
  readonly id: string;
  readonly name: string;
  readonly aa_string: string;
  readonly length: number;
  readonly is_control: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export async function selectLabSequences(
  scope: OrganizationScope,
  sql: Sql,
  experimentId: string,
): Promise<LabSequenceRow[]> {
  return sql.query<LabSequenceRow>(
    `select id, name, aa_string, length, is_control, metadata from sequences
     where organization_id = $1 and experiment_id = $2 order by ordinal`,
    [scope.organizationId, experimentId],
  );
}

interface NewNote {
  readonly id: string;
  readonly experiment_id: string;
  readonly author: string;
  readonly note: string;
  readonly created_at: Date;
}

export async function insertNote(scope: OrganizationScope, sql: Sql, note: NewNote): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'experiment_notes', {
      ...note,
    }),
  );
}

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

/** An order that the lab works on comes by the date that its client was told first, so that what is late is on top. */
const PROMISED = `case when kinds[1] in ('analysis_stopped', 'review', 'run', 'materials', 'running', 'analysis')
  then promised_at end`;

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
      inv.created_at as invoice_created_at, e.eta, e.promised_at, refund.count as refunds, refund.amount_cents as refund_cents,
      refund.created_at as refund_created_at, refund.credit_note_number, refund.problem as refund_problem,
      array(select asked.kind from unnest($2::text[]) with ordinality asked (kind, place)
        where case asked.kind ${needKinds
          .map((kind) => `when '${kind}' then ${writeCondition(getNeedCondition(kind))}`)
          .join(' ')} end order by asked.place) as kinds
    from experiments e ${ORGANIZATION} ${INVOICE} ${STOPPED} ${REFUND}
    where e.id in (${CANDIDATES})),
  ranked as (
    select *, kinds[1] as kind, count(*) over (partition by kinds[1])::int as total,
      row_number() over (partition by kinds[1] order by ${PROMISED} nulls last, ${SINCE}, id) as place
    from judged where cardinality(kinds) > 0)
  select kind, max(total) as total, json_agg(json_build_object('experiment_id', id, 'experiment_code', code,
    'experiment_name', name, 'organization_name', organization_name, 'status', status,
    'status_since', ${writeWireTime('status_since')}, 'eta', ${writeWireTime('eta')},
    'promised_at', ${writeWireTime('promised_at')}, 'also', kinds[2:],
    'invoice', case when $4 and invoice_id is not null then json_build_object('id', invoice_id, 'status', invoice_status,
      'invoice_number', invoice_number, 'amount_cents', total_cents,
      'created_at', ${writeWireTime('invoice_created_at')}, 'due_date', ${writeWireTime('due_date')},
      'days_late', case when invoice_status = 'open' and due_date < $1
        then ceil(extract(epoch from $1 - due_date) / 86400)::int else 0 end) end,
    'refund', case when $4 and refunds > 0 then json_build_object('credit_note_number', credit_note_number,
      'count', refunds, 'amount_cents', refund_cents, 'created_at', ${writeWireTime('refund_created_at')},
      'problem', refund_problem) end) order by place) as orders
  from ranked where place <= $3 group by kind order by array_position($2::text[], kind)`;

interface AskedNeeds {
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

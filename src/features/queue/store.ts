/** Reads experiments of every organization as the lab sees them, and keeps the notes of staff. */
import type { ListQuery } from '#core/filter/index.ts';
import { isUuid } from '#core/ids.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { LabExperiment } from './contract.ts';
import { AWAITING, INVOICE, ORGANIZATION, TARGET, WAITING_ACTOR } from './list-fields.ts';

/** Every column of a list item. `$1` is the public address of the service. */
const ITEM = `e.id, e.code, e.name, e.organization_id, o.name as organization_name, e.status,
  ${writeWireTime('e.status_since')} as status_since, ${WAITING_ACTOR} as waiting_actor, ${AWAITING} as awaiting,
  e.results_status, e.experiment_type, e.method, e.target_id,
  coalesce(t.name, e.requested_target ->> 'name') as target_name, e.n_replicates, e.sequence_count,
  inv.status as invoice_status,
  (select r.problem from runs r where r.experiment_id = e.id order by r.ordinal desc limit 1) as problem,
  ${writeWireTime('e.submitted_at')} as submitted_at, ${writeWireTime('e.created_at')} as created_at,
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

export interface LabSequenceRow {
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

export interface NewNote {
  readonly id: string;
  readonly experimentId: string;
  readonly author: string;
  readonly note: string;
  readonly createdAt: Date;
}

export async function insertNote(scope: OrganizationScope, sql: Sql, note: NewNote): Promise<void> {
  await sql.query(
    ...insertInto('experiment_notes', {
      id: note.id,
      organization_id: scope.organizationId,
      experiment_id: note.experimentId,
      author: note.author,
      note: note.note,
      created_at: note.createdAt,
    }),
  );
}

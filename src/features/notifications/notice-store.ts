/** Facts that people may be told of, the notices that tell them, and the mails that carry these. */
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertOwned, insertMany, createColumnMaker } from '#core/write-rows.ts';
import type { FactKind, NoticeEvent } from './events.ts';
import type { Notice, NoticeDetails } from './words.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { Waiting } from '#core/lateness.ts';
import { INVOICE, WAITING_ACTOR } from '../queue/list-fields.ts';

/** Holds the head until the transaction ends; undefined while another process does. Returns the last update looked at. */
export async function lockNoticeHead(tx: Transaction): Promise<string | undefined> {
  const rows = await tx.query<{ last_id: string }>('select last_id from notice_head for update skip locked');
  return getFirst(rows)?.last_id;
}

export async function moveNoticeHead(tx: Transaction, lastId: string): Promise<void> {
  await tx.query('update notice_head set last_id = $1 where last_id <> $1', [lastId]);
}

/** A fact, from the feed or beside it. */
export interface Fact {
  readonly id: string;
  readonly organization_id: string;
  readonly experiment_code: string | null;
  readonly experiment_name: string | null;
  readonly created_at: string;
}

export interface FeedRow extends Fact {
  readonly event_type: string;
  readonly description: string | null;
  readonly previous_status: string | null;
  readonly status: string | null;
  readonly quote_id: string | null;
  readonly quote_number: string | null;
  readonly invoice_number: string | null;
  readonly amount_cents: number | null;
  readonly currency: string | null;
  readonly result_count: number | null;
  readonly eta: string | null;
}

const getText = (name: string): string => `u.details ->> '${name}' as ${name}`;
const getNumber = (name: string): string => `(u.details ->> '${name}')::float8 as ${name}`;

/** Selects updates of these types after one id up to another, in their order. */
export async function selectFeedRows(
  _lab: LabScope,
  sql: Sql,
  range: {
    readonly after: string;
    readonly upTo: string;
    readonly types: readonly string[];
    readonly limit: number;
  },
): Promise<FeedRow[]> {
  return sql.query<FeedRow>(
    `select u.id, u.organization_id, u.experiment_code, e.name as experiment_name, u.created_at, u.event_type,
       u.description, u.previous_status, u.status, u.eta,
       ${['quote_id', 'quote_number', 'invoice_number', 'currency'].map(getText).join(', ')},
       ${['amount_cents', 'result_count'].map(getNumber).join(', ')}
     from updates u left join experiments e on e.id = u.experiment_id
     where u.sequence is not null and u.id > $1 and u.id <= $2 and u.event_type = any($3)
     order by u.id limit $4`,
    [range.after, range.upTo, range.types, range.limit],
  );
}

interface NewFact {
  /** The same for the same fact: a second one is dropped. */
  readonly id: string;
  readonly kind: FactKind;
  readonly experiment_code: string | null;
  readonly details: NoticeDetails;
  readonly at: Date;
}

/** Writes down a fact that is not in the feed, in the transaction in which it happens. */
export async function insertFact(
  scope: OrganizationScope,
  sql: Sql,
  { at, ...fact }: NewFact,
): Promise<void> {
  await sql.query(
    ...insertOwned(
      scope,
      'notice_facts',
      {
        ...fact,
        details: JSON.stringify(fact.details),
        created_at: at,
      },
      'on conflict (id) do nothing',
    ),
  );
}

interface FactRow extends Fact {
  readonly kind: string;
  readonly details: NoticeDetails;
}

export async function selectWaitingFacts(_lab: LabScope, tx: Transaction, limit: number): Promise<FactRow[]> {
  return tx.query<FactRow>(
    `select f.id, f.organization_id, f.kind, f.experiment_code, e.name as experiment_name, f.details, f.created_at
     from notice_facts f left join experiments e on e.code = f.experiment_code
     where f.told_at is null order by f.created_at, f.id limit $1`,
    [limit],
  );
}

export async function markFactsTold(
  _lab: LabScope,
  tx: Transaction,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  if (ids.length > 0)
    await tx.query(`update notice_facts set told_at = $2 where id = any($1::uuid[])`, [ids, at]);
}

export interface NewNotice {
  readonly id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly event: NoticeEvent;
  readonly details: NoticeDetails;
  readonly created_at: string;
  readonly due_at: Date;
  readonly is_daily: boolean;
}

/** Writes notices; those that are there already stay as they are. */
export async function insertNotices(
  _lab: LabScope,
  tx: Transaction,
  notices: readonly NewNotice[],
): Promise<void> {
  if (notices.length === 0) return;
  const listValues = createColumnMaker(notices);
  await tx.query(
    ...insertMany(
      'notices',
      {
        id: listValues('uuid', ({ id }) => id),
        organization_id: listValues('uuid', ({ organization_id: organizationId }) => organizationId),
        user_id: listValues('uuid', ({ user_id: userId }) => userId),
        event: listValues('text', ({ event }) => event),
        details: listValues('jsonb', ({ details }) => JSON.stringify(details)),
        created_at: listValues('timestamptz', ({ created_at: createdAt }) => createdAt),
        due_at: listValues('timestamptz', ({ due_at: dueAt }) => dueAt),
        is_daily: listValues('boolean', ({ is_daily: isDaily }) => isDaily),
      },
      'on conflict (id) do nothing',
    ),
  );
}

/** A mail that is to be written: one notice, or all of a day for one person and place. */
export interface DueMail {
  readonly user_id: string;
  readonly is_daily: boolean;
  readonly notice_ids: readonly string[];
}

/** Selects what is due, the mails of one fact before daily ones. The daily mail of staff joins every organization. */
export async function selectDueMails(
  _lab: LabScope,
  tx: Transaction,
  due: { readonly now: Date; readonly limit: number; readonly staffEvents: readonly string[] },
): Promise<DueMail[]> {
  return tx.query<DueMail>(
    `select user_id, is_daily, array_agg(id order by created_at, id) as notice_ids
     from notices where mail_id is null and due_at <= $1
     group by user_id, is_daily, case when is_daily then null else id end,
       case when event = any($3) then null else organization_id end, event = any($3)
     order by is_daily, min(created_at), min(id::text) limit $2`,
    [due.now, due.limit, due.staffEvents],
  );
}

export async function joinMail(
  _lab: LabScope,
  tx: Transaction,
  mailId: string,
  noticeIds: readonly string[],
): Promise<void> {
  await tx.query(`update notices set mail_id = $1 where id = any($2::uuid[])`, [mailId, noticeIds]);
}

export interface NoticeRow extends Notice {
  readonly user_id: string;
  readonly is_daily: boolean;
}

const NOTICE = `n.id, n.event, n.organization_id, o.name as organization_name, n.details, n.user_id, n.is_daily`;

export async function selectNotices(_lab: LabScope, sql: Sql, ids: readonly string[]): Promise<NoticeRow[]> {
  return sql.query<NoticeRow>(
    `select ${NOTICE} from notices n join organizations o on o.id = n.organization_id
     where n.id = any($1::uuid[]) order by n.created_at, n.id`,
    [ids],
  );
}

export async function selectNoticesOfMail(_lab: LabScope, sql: Sql, mailId: string): Promise<NoticeRow[]> {
  return sql.query<NoticeRow>(
    `select ${NOTICE} from notices n join organizations o on o.id = n.organization_id
     where n.mail_id = $1 order by n.created_at, n.id`,
    [mailId],
  );
}

export async function deleteOldNotices(
  _lab: LabScope,
  sql: Sql,
  before: { readonly notices: Date; readonly facts: Date },
): Promise<void> {
  await sql.query(`delete from notices where created_at < $1 and due_at < $1`, [before.notices]);
  await sql.query(`delete from notice_facts where told_at < $1`, [before.facts]);
}

/** Orders whose turn of the lab may take too long. */
interface WaitingOrder extends Waiting {
  readonly id: string;
  readonly organization_id: string;
  readonly code: string;
}

/** A status, and before when an order must have come into it so that the lab may be late. */
interface LateLimit {
  readonly status: ExperimentStatus;
  readonly before: Date;
}

/** Selects orders that wait for the lab and are beyond these limits, and of whose turn nobody was told. */
export async function selectWaitingOrders(
  _lab: LabScope,
  sql: Sql,
  { limits, count }: { readonly limits: readonly LateLimit[]; readonly count: number },
): Promise<WaitingOrder[]> {
  return sql.query<WaitingOrder>(
    `select e.id, e.organization_id, e.code, e.status, e.status_since, ${WAITING_ACTOR} as waiting_actor
     from unnest($1::text[], $2::timestamptz[]) as late (status, before)
     join experiments e on e.status = late.status and e.status_since < late.before ${INVOICE}
     where ${WAITING_ACTOR} = 'lab' and not exists (
       select 1 from notice_facts f where f.kind = 'run.late' and f.experiment_code = e.code
         and f.created_at >= e.status_since)
     order by e.status_since limit $3`,
    [limits.map(({ status }) => status), limits.map(({ before }) => before), count],
  );
}

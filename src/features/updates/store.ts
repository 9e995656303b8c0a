import { type ListQuery, compileList } from '#core/filter/index.ts';
import { listPage, writeWireTime, type ListStatement } from '#core/list-page.ts';
import { RawJson } from '#core/reply.ts';
import type { LabScope, OrganizationScope, Scope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { expression, insertOwned } from '#core/write-rows.ts';
import { FIRST_ID, type Place, type WaitingUpdate } from './places.ts';
import type { Round } from './rounds.ts';
import {
  eventKinds,
  UPDATE_SCHEMA_VERSION,
  type ActorKind,
  type EventType,
  type UpdateDetails,
} from './types.ts';
import type { LiveEvent } from '#core/live-stream.ts';

interface NewUpdate {
  readonly id: string;
  readonly experiment_id: string;
  readonly experiment_code: string;
  readonly event: EventType;
  readonly name: string;
  readonly description?: string | null;
  readonly previous_status?: string | null;
  readonly status?: string | null;
  readonly details?: UpdateDetails;
  readonly actor_kind: ActorKind;
  /** The address of the person; null for the service itself. */
  readonly actor: string | null;
  readonly created_at: Date;
}

/**
 * Adds an update to the feed of the organization that owns the experiment. It waits for its place there, and gets
 * another id with it. Returns whether the organization or the experiment has an address that updates may be delivered
 * to, so that most writers need no second statement while they hold the organization's next number.
 */
export async function insertUpdate(
  scope: OrganizationScope,
  sql: Sql,
  update: NewUpdate,
): Promise<{ readonly hasReceiver: boolean; readonly eta: string | null }> {
  const rows = await sql.query<{ has_receiver: boolean; eta: string | null }>(
    ...insertOwned(
      scope,
      'updates',
      {
        id: update.id,
        experiment_id: update.experiment_id,
        experiment_code: update.experiment_code,
        type: eventKinds[update.event].type,
        event_type: update.event,
        name: update.name,
        description: update.description ?? null,
        previous_status: update.previous_status ?? null,
        status: update.status ?? null,
        details: update.details === undefined ? null : JSON.stringify(update.details),
        actor_kind: update.actor_kind,
        actor: update.actor,
        created_at: update.created_at,
        eta: expression`(select eta from experiments where organization_id = ${scope.organizationId} and id = ${update.experiment_id})`,
      },
      HAS_RECEIVER,
    ),
  );
  const { has_receiver: hasReceiver, eta } = getExactlyOne(rows);
  return { hasReceiver, eta };
}

const HAS_RECEIVER = `returning exists (select 1 from webhooks w where w.organization_id = updates.organization_id and w.is_enabled)
  or exists (select 1 from experiments e where e.organization_id = updates.organization_id
    and e.id = updates.experiment_id and e.webhook_url is not null) as has_receiver,
  ${writeWireTime('updates.eta')} as eta`;

const writeDetail = (name: string): string => `u.details -> '${name}' as ${name}`;

/** Clients read the names of their own people only. */
const writeItem = (actor: string): string => `u.id, u.sequence, u.experiment_id, u.experiment_code, u.name,
  u.description, u.type, u.event_type, ${UPDATE_SCHEMA_VERSION} as schema_version, u.previous_status, u.status,
  ${['quote_id', 'quote_number', 'invoice_id', 'invoice_number', 'credit_note_number'].map(writeDetail).join(', ')},
  ${['result_ids', 'result_count', 'results_version', 'amount_cents', 'currency'].map(writeDetail).join(', ')},
  case when u.type = 'status_change' then jsonb_build_object('status', u.previous_status)
    else u.details -> 'previous' end as previous_values,
  case when u.type = 'status_change' then jsonb_build_object('status', u.status)
    else u.details -> 'current' end as new_values,
  case when u.actor_kind is not null then json_build_object('kind', u.actor_kind, 'name', ${actor}) end as actor,
  ${writeWireTime('u.eta')} as eta, ${writeWireTime('u.created_at')} as timestamp`;

/** An update as its own organization reads it; `u` is its row. */
const UPDATE_ITEM = writeItem(`case when u.actor_kind = 'client' then u.actor end`);
const SHARED_ITEM = (actor: string): string =>
  `${writeItem(actor)}, u.organization_id, o.name as organization_name`;
/** An update as the staff read it; `o` is its organization. */
const STAFF_UPDATE_ITEM = SHARED_ITEM('u.actor');
const ORGANIZATION = { alias: 'o', sql: 'join organizations o on o.id = u.organization_id' };

/** Returns when the feed of an experiment first had an update of this name, ISO 8601; undefined if it had none. */
export async function findUpdateTime(
  scope: OrganizationScope,
  sql: Sql,
  update: { readonly experimentId: string; readonly name: string },
): Promise<string | undefined> {
  const rows = await sql.query<{ created_at: string }>(
    `select created_at from updates where organization_id = $1 and experiment_id = $2 and name = $3
     order by created_at limit 1`,
    [scope.organizationId, update.experimentId, update.name],
  );
  return getFirst(rows)?.created_at;
}

/**
 * Returns the id of the last visible update; later ones get greater ids. Places are given in turn, so that nothing
 * before it is still to come.
 */
export async function getLastUpdateId(scope: Scope, sql: Sql): Promise<string> {
  const isAll = scope.kind === 'lab';
  const rows = await sql.query<{ id: string }>(
    isAll
      ? `select last_id as id from update_head`
      : `select id from updates where organization_id = $1 and sequence is not null order by id desc limit 1`,
    isAll ? [] : [scope.organizationId],
  );
  return getFirst(rows)?.id ?? FIRST_ID;
}

const CLIENTS = `(select distinct t.organization_id from tokens t where t.partner_organization_id = $1)`;

/** Returns the id of the last visible update of the organizations of a partner's clients. */
export async function getLastPartnerUpdateId(partner: OrganizationScope, sql: Sql): Promise<string> {
  const rows = await sql.query<{ id: string }>(
    `select last.id from ${CLIENTS} c cross join lateral (select u.id from updates u
       where u.organization_id = c.organization_id and u.sequence is not null order by u.id desc limit 1) last
     order by last.id desc limit 1`,
    [partner.organizationId],
  );
  return getFirst(rows)?.id ?? FIRST_ID;
}

/** One page of a round, and the cursor after the last page of it. */
export interface RoundPage {
  readonly query: ListQuery;
  readonly round: Round;
  readonly end: string;
}

/** Lists the updates of one experiment, or of the whole organization when `experimentId` is null. */
export function listUpdatePage(
  scope: OrganizationScope,
  sql: Sql,
  page: RoundPage,
  experimentId: string | null,
): Promise<RawJson> {
  const limited = experimentId !== null;
  return listRound(sql, page, {
    item: UPDATE_ITEM,
    from: 'updates u',
    alias: 'u',
    where: `u.organization_id = $1${limited ? ' and u.experiment_id = $2' : ''}`,
    values: limited ? [scope.organizationId, experimentId] : [scope.organizationId],
  });
}

/** Lists the updates of every organization, for the staff. */
export function listAllUpdatePage(_lab: LabScope, sql: Sql, page: RoundPage): Promise<RawJson> {
  return listRound(sql, page, {
    item: STAFF_UPDATE_ITEM,
    from: 'updates u',
    alias: 'u',
    joins: [ORGANIZATION],
    where: 'true',
    values: [],
  });
}

/** Lists the updates of the organizations for which the partner minted a token. */
export function listPartnerUpdatePage(
  partner: OrganizationScope,
  sql: Sql,
  page: RoundPage,
): Promise<RawJson> {
  return listRound(sql, page, {
    item: SHARED_ITEM(`case when u.actor_kind = 'client' then u.actor end`),
    from: 'updates u',
    alias: 'u',
    joins: [ORGANIZATION],
    where: `u.organization_id in ${CLIENTS}`,
    values: [partner.organizationId],
  });
}

function listRound(sql: Sql, { query, round, end }: RoundPage, statement: ListStatement): Promise<RawJson> {
  const { where, values } = statement;
  const [after, upTo] = [`$${values.length + 1}::uuid`, `$${values.length + 2}::uuid`];
  return listPage(
    sql,
    {
      ...statement,
      where: `${where} and u.sequence is not null and u.id > ${after} and u.id <= ${upTo}`,
      values: [...values, round.after, round.upTo],
    },
    query,
    end,
  );
}

/** Finds one update of the organization as JSON. */
export async function findUpdateJson(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<RawJson | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${UPDATE_ITEM}) item) as item from updates u
     where u.organization_id = $1 and u.id = $2 and u.sequence is not null`,
    [scope.organizationId, id],
  );
  const row = getFirst(rows);
  return row === undefined ? undefined : new RawJson(row.item);
}

export async function findExperimentOfUpdate(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ experiment_id: string }>(
    `select experiment_id from updates where organization_id = $1 and id = $2`,
    [scope.organizationId, id],
  );
  return getFirst(rows)?.experiment_id;
}

/** Selects the organizations that got updates after one id up to another. */
export async function selectChangedOrganizations(
  _lab: LabScope,
  sql: Sql,
  { after, upTo }: Round,
): Promise<string[]> {
  const rows = await sql.query<{ organization_id: string }>(
    `select distinct organization_id from updates where id > $1 and id <= $2 and sequence is not null`,
    [after, upTo],
  );
  return rows.map((row) => row.organization_id);
}

/** Selects the first updates of a round that match the query, oldest first, as JSON. */
export async function selectStreamedUpdates(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  {
    after,
    upTo,
    limit,
    experimentId,
  }: Round & { readonly limit: number; readonly experimentId: string | null },
): Promise<LiveEvent[]> {
  const values = [scope.organizationId, after, upTo, experimentId, limit];
  const list = compileList(query, { firstParameter: values.length + 1 });
  return sql.query<LiveEvent>(
    `select u.id, (select row_to_json(item)::text from (select ${UPDATE_ITEM}) item) as text from updates u
     where u.organization_id = $1 and u.id > $2 and u.id <= $3 and u.sequence is not null
       and ($4::uuid is null or u.experiment_id = $4) and ${list.where}
     order by u.id limit $5`,
    [...values, ...list.whereValues],
  );
}

/** Selects the first updates of a round over every organization, oldest first, as JSON, for staff. */
export async function selectAllStreamedUpdates(
  _lab: LabScope,
  sql: Sql,
  query: ListQuery,
  { after, upTo, limit }: Round & { readonly limit: number },
): Promise<LiveEvent[]> {
  const values = [after, upTo, limit];
  const list = compileList(query, { firstParameter: values.length + 1 });
  return sql.query<LiveEvent>(
    `select u.id, (select row_to_json(item)::text from (select ${STAFF_UPDATE_ITEM}) item) as text from updates u
     join organizations o on o.id = u.organization_id
     where u.id > $1 and u.id <= $2 and u.sequence is not null and ${list.where} order by u.id limit $3`,
    [...values, ...list.whereValues],
  );
}

/** Whether an update waits for its place. */
export async function hasWaitingUpdates(_lab: LabScope, sql: Sql): Promise<boolean> {
  const rows = await sql.query<{ waits: boolean }>(
    `select exists (select 1 from updates where sequence is null) as waits`,
  );
  return getExactlyOne(rows).waits;
}

/** Only one process at a time gives places; those who write updates do not wait for it. Returns the last id given. */
export async function lockHead(tx: Transaction): Promise<string> {
  const rows = await tx.query<{ last_id: string }>(`select last_id from update_head for update`);
  return getExactlyOne(rows).last_id;
}

/** Selects waiting updates in the order of their arrival, under the lock of `lockHead`. */
export async function selectWaitingUpdates(
  _lab: LabScope,
  tx: Transaction,
  limit: number,
): Promise<WaitingUpdate[]> {
  return tx.query<WaitingUpdate>(
    `with waiting as materialized (
       select arrival, id, organization_id from updates where sequence is null order by arrival limit $1),
     ends as materialized (
       select o.organization_id, coalesce((select u.sequence from updates u
         where u.organization_id = o.organization_id and u.sequence is not null
         order by u.sequence desc limit 1), 0) as last_sequence
       from (select distinct organization_id from waiting) o)
     select w.arrival, w.id, w.organization_id, e.last_sequence
     from waiting w join ends e on e.organization_id = w.organization_id order by w.arrival`,
    [limit],
  );
}

/** Writes the places and moves the head to the last of them. */
export async function placeUpdates(_lab: LabScope, tx: Transaction, places: readonly Place[]): Promise<void> {
  const last = places.at(-1);
  if (last === undefined) return;
  await tx.query(
    `with moved as (update update_head set last_id = $4)
     update updates u set id = p.id, sequence = p.sequence
     from unnest($1::bigint[], $2::uuid[], $3::bigint[]) as p (arrival, id, sequence)
     where u.arrival = p.arrival and u.sequence is null`,
    [
      places.map(({ arrival }) => arrival),
      places.map(({ id }) => id),
      places.map(({ sequence }) => sequence),
      last.id,
    ],
  );
}

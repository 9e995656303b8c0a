/** Decisions of staff on replicates, and the events of a review. */
import { writeWireTime } from '#core/list-page.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { expression, insertOwned } from '#core/write-rows.ts';
import type { Decision, ReplicateKey, ReviewAction, ReviewEvent } from './rules.ts';

export interface NewDecision extends ReplicateKey {
  readonly id: string;
  readonly experiment_id: string;
  readonly decision: Decision['decision'];
  readonly reason: string | null;
  readonly decided_by: string;
  readonly after_version: number;
  readonly created_at: Date;
}

/** The experiment has to be locked, because its decisions are numbered. */
export async function insertDecision(
  scope: OrganizationScope,
  sql: Sql,
  decision: NewDecision,
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'replicate_decisions', {
      id: decision.id,
      experiment_id: decision.experiment_id,
      ordinal: expression`(select coalesce(max(ordinal), 0) + 1 from replicate_decisions where experiment_id = ${decision.experiment_id})`,
      sequence_name: decision.sequence,
      plate: decision.plate,
      replicate: decision.replicate,
      well: decision.well,
      concentration_m: decision.concentration_m ?? null,
      decision: decision.decision,
      reason: decision.reason,
      decided_by: decision.decided_by,
      after_version: decision.after_version,
      created_at: decision.created_at,
    }),
  );
}

/** Selects the decision that holds for each replicate, in the order of sequence, plate and replicate. */
export function selectDecisions(scope: Scope, sql: Sql, experimentId: string): Promise<Decision[]> {
  return sql.query<Decision>(
    `select distinct on (sequence_name, plate, replicate, coalesce(well, ''), coalesce(concentration_m, 0))
       sequence_name as sequence, plate, replicate, well, concentration_m, decision, reason, decided_by, ${writeWireTime('created_at')} as created_at
     from replicate_decisions
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and not is_taken_back
     order by sequence_name, plate, replicate, coalesce(well, ''), coalesce(concentration_m, 0), ordinal desc`,
    [getOrganizationId(scope), experimentId],
  );
}

/** Takes back the decisions that were made when this version, or a later one, was the newest; returns their number. */
export async function takeBackDecisions(
  scope: Scope,
  sql: Sql,
  experimentId: string,
  fromVersion: number,
): Promise<number> {
  const rows = await sql.query<{ id: string }>(
    `update replicate_decisions set is_taken_back = true
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and after_version >= $3
       and not is_taken_back returning id`,
    [getOrganizationId(scope), experimentId, fromVersion],
  );
  return rows.length;
}

export interface NewReviewEvent {
  readonly id: string;
  readonly experiment_id: string;
  readonly action: ReviewAction;
  readonly version: number | null;
  readonly analysis_id?: string | null;
  readonly reason?: string | null;
  readonly details?: NonNullable<ReviewEvent['details']>;
  readonly actor: string;
  /** Null for the worker. */
  readonly user_id: string | null;
  readonly created_at: Date;
}

/** The experiment has to be locked, because its events are numbered. */
export async function insertReviewEvent(
  scope: OrganizationScope,
  sql: Sql,
  event: NewReviewEvent,
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'review_events', {
      ...event,
      ordinal: expression`(select coalesce(max(ordinal), 0) + 1 from review_events where experiment_id = ${event.experiment_id})`,
      analysis_id: event.analysis_id ?? null,
      reason: event.reason ?? null,
      details: event.details === undefined ? null : JSON.stringify(event.details),
    }),
  );
}

/** Selects the events of a review, the oldest first. */
export function selectReviewEvents(scope: Scope, sql: Sql, experimentId: string): Promise<ReviewEvent[]> {
  return sql.query<ReviewEvent>(
    `select action, version, analysis_id, reason, details, actor, user_id, ${writeWireTime('created_at')} as created_at
     from review_events where ($1::uuid is null or organization_id = $1) and experiment_id = $2 order by ordinal`,
    [getOrganizationId(scope), experimentId],
  );
}

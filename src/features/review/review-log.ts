/** What all steps of a review share: its events, and what the newest analysis left out. */
import type { Work, Site } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope, type Scope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import {
  findAnalysis,
  isAnalysisOpen,
  isExclusion,
  isSameExclusion,
  type Exclusion,
  type ReviewEvent,
  findLastJudgment,
} from './rules.ts';
import { insertReviewEvent, selectDecisions, selectReviewEvents, type NewReviewEvent } from './store.ts';

type LoggedEvent = Omit<NewReviewEvent, 'id' | 'experiment_id' | 'actor' | 'user_id' | 'created_at'>;

/** Records what a person did; without a principal, what the worker or the simulated lab did. */
export async function logReview(
  { clock, ids }: Pick<Work, 'clock' | 'ids'>,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id'>,
  by: Pick<Principal, 'userId' | 'userEmail'> | null,
  event: LoggedEvent,
): Promise<void> {
  await insertReviewEvent(createOrganizationScope(experiment.organization_id), tx, {
    ...event,
    id: ids.createUuid(),
    experiment_id: experiment.id,
    actor: by?.userEmail ?? 'worker',
    user_id: by?.userId ?? null,
    created_at: clock.now(),
  });
}

/** Selects the replicates that an analysis has to leave out now. */
export async function selectExclusions(scope: Scope, sql: Sql, experimentId: string): Promise<Exclusion[]> {
  const decisions = await selectDecisions(scope, sql, experimentId);
  return decisions.filter(isExclusion);
}

/** Throws `analysis_pending` while the version does not yet reflect what staff decided or asked for. */
export async function requireAnalyzed(
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id'>,
  version: number,
  events: readonly ReviewEvent[],
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const exclusions = await selectExclusions(scope, tx, experiment.id);
  const analyzed = findAnalysis(events, version)?.details?.exclusions ?? [];
  if (isAnalysisOpen(events) || !isSameExclusion(exclusions, analyzed)) throw fail('analysis_pending');
}

export function selectReview(
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id'>,
): Promise<ReviewEvent[]> {
  return selectReviewEvents(createOrganizationScope(experiment.organization_id), tx, experiment.id);
}

/**
 * Throws `second_person_needed` where the lab demands two people (`RELEASE_NEEDS_SECOND_PERSON`) and the caller is the
 * person who decided or analyzed last.
 */
export function requireSecondPerson(
  site: Pick<Site, 'needsSecondPerson'>,
  principal: Pick<Principal, 'userId'>,
  events: readonly ReviewEvent[],
): void {
  if (!site.needsSecondPerson) return;
  const last = findLastJudgment(events);
  if (last?.user_id === principal.userId) throw fail('second_person_needed', { person: last.actor });
}

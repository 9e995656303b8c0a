/** The only code that changes the status of an experiment: the status and its update are written together. */
import { fail } from '#core/failures.ts';
import { findMove, type Actor, type Move, type Trigger } from '#core/lifecycle.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope, type Scope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { setStatus, type ExperimentRow } from './store.ts';
import { insertUpdate } from '../updates/store.ts';
import { eventKinds, type ActorKind, type EventType, type UpdateDetails } from '../updates/types.ts';
import { addDeliveries } from '../webhooks/add-deliveries.ts';
import { refreshExpectedDate, type Delay } from './expected-dates.ts';
import { formatLongDay } from '#core/words.ts';

export interface Step {
  readonly trigger: Trigger;
  readonly actor: Actor;
  /** What the experiment cannot do where the table has no such move, as the failure says it: `be submitted`. */
  readonly action: string;
  readonly description?: string;
  /** What else the update of the move says. */
  readonly details?: UpdateDetails;
}

/** Moves an experiment whose row is locked; throws `move_not_allowed` when the table has no such move. */
export async function transitionExperiment(
  work: Work,
  tx: Transaction,
  scope: Scope,
  experiment: ExperimentRow,
  step: Step,
): Promise<ExperimentRow> {
  const move = findMove(experiment.status, step.trigger, step.actor);
  if (move === undefined) {
    throw fail('move_not_allowed', { status: experiment.status, action: step.action });
  }
  const at = work.clock.now();
  await setStatus(scope, tx, experiment.id, { from: move.from, to: move.to, at });
  const delay = await refreshExpectedDate(work, tx, scope, experiment.id);
  await addMoveUpdate(work, tx, experiment, move, step);
  if (delay !== undefined) await addDelay(work, tx, experiment, delay);
  return { ...experiment, status: move.to };
}

/** Tells that the results are expected later than the client was told. */
export async function addDelay(
  work: Work,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'code' | 'organization_id'>,
  { previous, eta }: Delay,
): Promise<void> {
  const instead = previous === null ? '' : ` instead of ${formatLongDay(previous)}`;
  await addUpdate(work, tx, experiment, {
    event: 'results.delayed',
    name: 'Results expected later',
    description: `The lab now expects the results by ${formatLongDay(eta)}${instead}.`,
    details: {
      previous: { eta: previous?.toISOString() ?? null },
      current: { eta: eta.toISOString() },
    },
    actor: 'service',
  });
}

async function addMoveUpdate(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  move: Move,
  { actor, description, details }: Step,
): Promise<void> {
  await addUpdate(work, tx, experiment, {
    event: 'experiment.status_changed',
    name: move.title,
    description: description ?? null,
    previous_status: move.from,
    status: move.to,
    actor,
    ...(details === undefined ? {} : { details }),
  });
}

export interface Announcement {
  readonly event: EventType;
  readonly name: string;
  readonly description?: string | null;
  readonly previous_status?: string | null;
  readonly status?: string | null;
  readonly details?: UpdateDetails;
  /** Who made it happen; by default the caller's side, and the service where there is no caller. */
  readonly actor?: ActorKind;
}

/** Adds one update to the feed of an experiment. */
export async function addUpdate(
  work: Work,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'code' | 'organization_id'>,
  announcement: Announcement,
): Promise<void> {
  const id = work.ids.createUuid();
  const at = work.clock.now();
  const { hasReceiver, eta } = await insertUpdate(createOrganizationScope(experiment.organization_id), tx, {
    id,
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    created_at: at,
    ...announcement,
    actor_kind: announcement.actor ?? findSide(work, experiment.organization_id),
    actor: announcement.actor === 'service' ? null : (work.principal?.userEmail ?? null),
  });
  if (!hasReceiver) return;
  await addDeliveries(work, tx, {
    event_type: announcement.event,
    organization_id: experiment.organization_id,
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    update_id: id,
    update_type: eventKinds[announcement.event].type,
    name: announcement.name,
    description: announcement.description ?? null,
    previous_status: announcement.previous_status ?? null,
    status: announcement.status ?? null,
    eta,
    at,
  });
}

function findSide({ principal }: Work, organizationId: string): ActorKind {
  if (principal === undefined) return 'service';
  return principal.organizationId === organizationId ? 'client' : 'lab';
}

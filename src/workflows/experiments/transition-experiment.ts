/**
 * The only code that changes the status of an experiment: the status and its update are written together.
 * This folder: transactions about an experiment, and the one that moves it. Not here: which moves there are
 * (`core/lifecycle.ts`).
 */
import { fail } from '#core/failures.ts';
import { findMove, type Actor, type Move, type Trigger } from '#core/lifecycle.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope, type Scope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { setStatus, type ExperimentRow } from '#domain/experiments/store.ts';
import { insertUpdate } from '#domain/updates/store.ts';
import { STATUS_CHANGED } from '#domain/webhooks/rules.ts';
import { addDeliveries } from '../webhooks/add-deliveries.ts';

export interface Step {
  readonly trigger: Trigger;
  readonly actor: Actor;
  /** The verb phrase in the failure's sentence: `be submitted`. */
  readonly attempt: string;
  readonly description?: string;
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
    throw fail('move_not_allowed', { status: experiment.status, action: step.attempt });
  }
  const at = work.clock.now();
  await setStatus(scope, tx, experiment.id, { from: move.from, to: move.to, at });
  await addMoveUpdate(work, tx, experiment, move, step.description);
  return { ...experiment, status: move.to };
}

async function addMoveUpdate(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  move: Move,
  description: string | undefined,
): Promise<void> {
  await addUpdate(work, tx, experiment, {
    type: 'status_change',
    name: move.title,
    description: description ?? null,
    previousStatus: move.from,
    status: move.to,
  });
}

export interface Announcement {
  readonly type: 'status_change' | 'progress' | 'error' | 'quote' | 'invoice' | 'results';
  readonly name: string;
  readonly description?: string | null;
  readonly previousStatus?: string | null;
  readonly status?: string | null;
}

/** Adds one update to the feed of an experiment. */
export async function addUpdate(
  work: Work,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'code' | 'organization_id'>,
  announcement: Announcement,
): Promise<void> {
  const id = work.ids.createUuid();
  const createdAt = work.clock.now();
  await insertUpdate(createOrganizationScope(experiment.organization_id), tx, {
    id,
    experimentId: experiment.id,
    experimentCode: experiment.code,
    createdAt,
    ...announcement,
  });
  await addDeliveries(work, tx, {
    eventType: announcement.type === 'status_change' ? STATUS_CHANGED : 'experiment.noted',
    organizationId: experiment.organization_id,
    experimentId: experiment.id,
    experimentCode: experiment.code,
    updateId: id,
    updateType: announcement.type,
    name: announcement.name,
    description: announcement.description ?? null,
    previousStatus: announcement.previousStatus ?? null,
    status: announcement.status ?? null,
    at: createdAt,
  });
}

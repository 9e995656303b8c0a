/** Events that an order of the sandbox asks for with `parameters.sandbox.faults`: each takes the place of one step. */
import { addMs, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { readSandboxOptions, type SandboxFault } from '#features/experiments/sandbox-options.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import { insertRun, type RunRow } from '#features/runs/raw-files/store.ts';
import { selectPresentVersion, selectReleaseState } from '#features/results/release-store.ts';
import { findUpdateTime } from '#features/updates/store.ts';
import { cancelOrder } from '#workflows/order/cancel-order.ts';
import { addUpdate, transitionExperiment } from '#features/experiments/transition-experiment.ts';
import { releaseExperiment, releasePart } from '#workflows/release/release-results.ts';
import { scheduleLab } from '#features/runs/raw-files/schedule-lab.ts';
import { amend, isAmendmentDue, isRepeatDue, repeatWell } from './review-faults.ts';

/** One step in one transaction; returns the experiment after its move, or undefined when it stays. */
export type Turn = (
  tx: Transaction,
  scope: OrganizationScope,
  current: ExperimentRow,
) => Promise<ExperimentRow | undefined>;

const DELAYED = 'Materials delayed';
const MATERIAL_DELAY_MS = 7 * DAY_MS;

/** Returns the turn of the fault that is due in this status; undefined when the usual step is. */
export async function chooseFaultyTurn(
  work: Work,
  sql: Sql,
  experiment: ExperimentRow,
  run: RunRow | undefined,
): Promise<Turn | undefined> {
  const { faults } = readSandboxOptions(experiment.parameters);
  const isAsked = (fault: SandboxFault): boolean => faults.includes(fault);
  if (experiment.status === 'waiting_for_materials') {
    if (isAsked('late_material') && !hasDelayEnded(work, await findDelay(sql, experiment)))
      return (tx, _, current) => delayMaterials(work, tx, current);
    if (isAsked('cancellation')) return (tx, _, current) => cancelByLab(work, tx, current);
  }
  if (experiment.status === 'in_review' && isAsked('failed_qc') && run?.ordinal === 1)
    return (tx, scope, current) => repeatRun(work, tx, scope, current, run);
  if (run !== undefined && experiment.status === 'in_review' && isAsked('repeated_well'))
    if (await isRepeatDue(sql, experiment))
      return (tx, scope, current) => repeatWell(work, tx, scope, { experiment: current, run });
  if (experiment.status === 'done' && isAsked('amendment') && (await isAmendmentDue(sql, experiment)))
    return (tx, scope, current) => amend(work, tx, scope, current);
  if (experiment.status === 'in_review' && isAsked('partial_release') && experiment.results_status === 'none')
    return (tx, scope, current) => releaseHalf(work, tx, scope, current);
  return undefined;
}

/** Whether an event is still to come after the release. */
export function hasLaterFault({ parameters }: Pick<ExperimentRow, 'parameters'>): boolean {
  return readSandboxOptions(parameters).faults.includes('amendment');
}

/** Releases the first half of the sequences; the next step releases the rest. */
async function releaseHalf(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
): Promise<ExperimentRow | undefined> {
  const version = await selectPresentVersion(scope, tx, experiment.id);
  const state = await selectReleaseState(scope, tx, { experimentId: experiment.id, version });
  const half = Math.floor(state.length / 2);
  if (half === 0) return releaseExperiment(work, tx, experiment, { by: null, version });
  const chosen = state.slice(0, half).map(({ name }) => name);
  await releasePart(work, tx, experiment, { version, chosen, waiting: state.length - half }, null);
  await scheduleLab(work, tx, experiment);
  return undefined;
}

/** Returns when the delay of the materials was announced; undefined before. */
async function findDelay(sql: Sql, experiment: ExperimentRow): Promise<Date | undefined> {
  const scope = createOrganizationScope(experiment.organization_id);
  const announced = await findUpdateTime(scope, sql, { experimentId: experiment.id, name: DELAYED });
  return announced === undefined ? undefined : new Date(announced);
}

function hasDelayEnded({ clock, site }: Work, delayedAt: Date | undefined): boolean {
  if (delayedAt === undefined) return false;
  return clock.now() >= addMs(delayedAt, MATERIAL_DELAY_MS / site.sandboxSpeed);
}

/** Several jobs may take this step; the first announces the delay and schedules the next one. */
async function delayMaterials(work: Work, tx: Transaction, experiment: ExperimentRow): Promise<undefined> {
  if ((await findDelay(tx, experiment)) !== undefined) return;
  const delayMs = MATERIAL_DELAY_MS / work.site.sandboxSpeed;
  const expected = addMs(work.clock.now(), delayMs).toISOString().slice(0, 10);
  await addUpdate(work, tx, experiment, {
    event: 'materials.delayed',
    actor: 'lab',
    name: DELAYED,
    description: `The supplier delivers later; the lab expects the materials on ${expected}.`,
  });
  await scheduleLab(work, tx, experiment, { delayMs: MATERIAL_DELAY_MS });
}

async function cancelByLab(work: Work, tx: Transaction, experiment: ExperimentRow): Promise<ExperimentRow> {
  const { canceled } = await cancelOrder({ ...work, tx }, experiment, {
    reason: 'The lab cannot obtain the materials.',
    requestedBy: 'simulated lab',
    refundCents: undefined,
  });
  return canceled;
}

async function repeatRun(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  failed: RunRow,
): Promise<ExperimentRow> {
  await insertRun(scope, tx, {
    id: work.ids.createUuid(),
    experiment_id: experiment.id,
    ordinal: failed.ordinal + 1,
    instrument: failed.instrument,
    started_at: work.clock.now(),
    by_hand: false,
    override_reason: null,
  });
  return transitionExperiment(work, tx, scope, experiment, {
    trigger: 'repeat_run',
    actor: 'lab',
    action: 'be repeated',
    description: 'The positive control missed its known value.',
  });
}

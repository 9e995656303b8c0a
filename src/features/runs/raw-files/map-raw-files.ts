import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { MappingEntry } from '#core/raw-mapping.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { ExperimentRow } from '../../experiments/store.ts';
import type { mapRawFiles as operation } from './mapping-contract.ts';
import { findMappingProblems, toMapping, type NameOwner } from './mapping-rules.ts';
import { findMapping, insertMapping, selectLatestRun, type RunRow } from './store.ts';
import { selectSequencesOfExperiment } from '../../sequences/store.ts';
import { holdExperiment } from './lab-step.ts';

/** Statuses in which the next analysis of the run can still use another mapping. */
const STATES: ReadonlySet<string> = new Set(['in_production', 'in_review', 'done']);

/** `POST /lab/experiments/{experiment_id}/mapping`. */
export async function mapRawFiles(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const scope = createOrganizationScope(experiment.organization_id);
  const run = requireMappableRun(experiment, await selectLatestRun(scope, tx, experiment.id));
  const entries = toMapping(input.body.entries);
  const sequences = await selectSequencesOfExperiment(scope, tx, experiment.id);
  refuseWrongEntries(entries, new Set(sequences.map(({ name }) => name)));
  const before = await findMapping(scope, tx, run.id);
  const mapping = await insertMapping(scope, tx, {
    run_id: run.id,
    version: (before?.version ?? 0) + 1,
    entries,
    reason: input.body.reason ?? null,
    created_by: principal.userEmail,
    at: clock.now(),
  });
  context.addAuditDetails({ run: run.ordinal, version: mapping.version, entries: entries.length });
  const { id, code } = experiment;
  return { experiment_id: id, experiment_code: code, mapping: { ...mapping, entries } };
}

/** Throws `invalid_request` with every problem. */
export function refuseWrongEntries(
  entries: readonly MappingEntry[],
  sequenceNames: ReadonlySet<string>,
  owner: NameOwner = 'experiment',
): void {
  const problems = findMappingProblems(entries, sequenceNames, owner);
  const [first] = problems;
  if (first === undefined) return;
  throw fail('invalid_request', { reason: `${first.path} ${first.message}.` }, { problems });
}

function requireMappableRun({ status }: ExperimentRow, run: RunRow | undefined): RunRow {
  const isStopped = status === 'data_analysis' && run !== undefined && run.problem !== null;
  if (run === undefined || !(STATES.has(status) || isStopped))
    throw fail('move_not_allowed', { status, action: 'have its raw files mapped' });
  if (!run.by_hand) throw fail('run_not_by_hand');
  return run;
}

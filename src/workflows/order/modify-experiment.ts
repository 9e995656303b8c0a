import { isDeepStrictEqual } from 'node:util';
import type { WriteContext } from '#core/context.ts';
import { fail, type Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { runInSlices } from '#core/slices.ts';
import type { Transaction } from '#core/sql.ts';
import { findOfferProblems, REPLICATES_MAX } from '#features/pricing/assay-types/rules.ts';
import { findOffer } from '#features/pricing/assay-types/store.ts';
import { hasTarget } from '#assays/registry.ts';
import type { modifyExperiment as operation } from '#features/experiments/contract.ts';
import {
  checkName,
  checkWebhookUrl,
  findNumberProblems,
  createProblemsFailure,
  refuseIfNotEditable,
  refuseIfTooMany,
} from '#features/experiments/rules.ts';
import { findSandboxProblems, refuseSandboxOptions } from '#features/experiments/sandbox-options.ts';
import {
  lockExperiment,
  updateExperiment,
  type ExperimentChanges,
  type ExperimentRow,
  selectWebhookSecret,
  setWebhookSecret,
} from '#features/experiments/store.ts';
import { checkSequences, listGiven } from '#features/sequences/check-sequences.ts';
import type { NewSequence } from '#features/sequences/rules.ts';
import { deleteSequences, selectSequencesOfExperiment } from '#features/sequences/store.ts';
import { refreshDraft } from '#features/quotes/prepare-quote.ts';
import { appendSequences } from '#features/sequences/append-sequences.ts';
import { requireTarget } from '#features/experiments/price-experiment.ts';

type Body = Input<typeof operation>['body'];

/**
 * `PATCH /experiments/{experiment_id}`. Clients generated from the published document send every field, with null for
 * those they leave alone: so null keeps the value, except that a null target clears the target.
 */
export async function modifyExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const { body } = input;
  refuseSandboxOptions(body.parameters, context.site.environment);
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const fields = listAskedFields(experiment, body);
  if (fields.length === 0) return answerUnchanged(experiment);
  refuseIfNotEditable(experiment.status, fields);
  const { changes, sequences } = await checkChanges(experiment, body, context);
  if (typeof body.target_id === 'string') await requireTarget(scope, tx, body.target_id, 'target_id');
  const isSecretNew = await changeWebhookSecret(context, experiment, body.webhook_secret);
  const areSequencesNew = sequences !== null && !(await hasSequences(scope, tx, experiment.id, sequences));
  const isRowNew = !isDeepStrictEqual(pickChangeable(experiment), changes);
  if (!isRowNew && !areSequencesNew && !isSecretNew) return answerUnchanged(experiment);
  const changed = await updateExperiment(scope, tx, experiment.id, changes, context.clock.now());
  if (areSequencesNew) {
    await deleteSequences(scope, tx, experiment.id);
    await appendSequences(context, experiment.id, 1, sequences);
  }
  if (changed.status === 'draft') await refreshDraft(context, tx, scope, changed);
  return { id: experiment.id, updated: true };
}

function answerUnchanged({ id }: ExperimentRow) {
  return {
    id,
    updated: false,
    message: 'Nothing changed: every field was omitted, null or equal to its current value.',
  };
}

/** Lists the fields that request a change: null counts only for a target that is set, because it clears it. */
function listAskedFields(experiment: ExperimentRow, body: Body): string[] {
  return Object.entries(body)
    .filter(([field, value]) => {
      if (field === 'target_id' && value === null) return experiment.target_id !== null;
      return value !== undefined && value !== null;
    })
    .map(([field]) => field);
}

/** Checks the body against the experiment that it changes, and says what the experiment then is. */
export async function checkChanges(
  experiment: ExperimentRow,
  body: Body,
  context: WriteContext,
): Promise<{ changes: ExperimentChanges; sequences: readonly NewSequence[] | null }> {
  const { limits } = context.site;
  const problems: Problem[] = [
    ...(typeof body.name === 'string' ? checkName(body.name) : []),
    ...(body.webhook_url === '' ? [] : checkWebhookUrl(body.webhook_url, context.site.findReceiverProblem)),
    ...findNumberProblems(experiment.experiment_type, body, ''),
    ...(await findUnofferedReplicates(context.tx, experiment, body)),
    ...findSandboxProblems(body.parameters, 'parameters'),
  ];
  if (typeof body.target_id === 'string' && !hasTarget(experiment.experiment_type)) {
    problems.push({ path: 'target_id', message: `${experiment.experiment_type} takes no target` });
  }
  let sequences: readonly NewSequence[] | null = null;
  if (body.sequences !== undefined && body.sequences !== null) {
    const given = listGiven(body.sequences);
    refuseIfTooMany(given.length, limits);
    const checked = await runInSlices(checkSequences(given, 'sequences', limits));
    problems.push(...checked.problems);
    sequences = checked.sequences;
  }
  if (problems.length > 0) throw createProblemsFailure(problems);
  const changes: ExperimentChanges = {
    name: body.name ?? experiment.name,
    description: changeText(body.description, experiment.description),
    target_id: body.target_id === undefined ? experiment.target_id : body.target_id,
    // A target of the catalog replaces a requested one.
    requested_target: typeof body.target_id === 'string' ? null : experiment.requested_target,
    n_replicates: body.n_replicates ?? experiment.n_replicates,
    antigen_concentrations_nm: body.antigen_concentrations ?? experiment.antigen_concentrations_nm,
    parameters: body.parameters ?? experiment.parameters,
    sequence_count: sequences?.length ?? experiment.sequence_count,
    webhook_url: changeText(body.webhook_url, experiment.webhook_url),
  };
  return { changes, sequences };
}

/** An assay that is not offered at all is refused when the draft is submitted. */
async function findUnofferedReplicates(
  tx: Transaction,
  { experiment_type: type }: ExperimentRow,
  { n_replicates: nReplicates }: Body,
): Promise<Problem[]> {
  if (typeof nReplicates !== 'number' || nReplicates < 1 || nReplicates > REPLICATES_MAX) return [];
  const offer = await findOffer(tx, type);
  const problems =
    offer === undefined ? [] : findOfferProblems(offer, { method: null, n_replicates: nReplicates }, '');
  return problems.map((problem) => ({ ...problem, kind: 'content' }));
}

/** Null keeps a text and an empty text clears it. */
function changeText(text: string | null | undefined, present: string | null): string | null {
  if (text === undefined || text === null) return present;
  return text === '' ? null : text;
}

/** Returns whether the secret changed. */
async function changeWebhookSecret(
  { tx, principal, sealer }: WriteContext,
  experiment: ExperimentRow,
  text: string | null | undefined,
): Promise<boolean> {
  if (text === undefined || text === null) return false;
  const scope = getScope(principal);
  const storedSecret = await selectWebhookSecret(scope, tx, experiment.id);
  const { webhook_secret: plain, sealed_webhook_secret: sealed } = storedSecret;
  const textOrNull = text === '' ? null : text;
  if (textOrNull === (sealed === null ? plain : sealer.open(sealed))) return false;
  await setWebhookSecret(scope, tx, experiment.id, textOrNull === null ? null : sealer.seal(textOrNull));
  return true;
}

function pickChangeable(experiment: ExperimentRow): ExperimentChanges {
  const { name, description, target_id, requested_target, n_replicates } = experiment;
  const { antigen_concentrations_nm, parameters, sequence_count, webhook_url } = experiment;
  const specification = { target_id, requested_target, n_replicates, antigen_concentrations_nm, parameters };
  return { name, description, ...specification, sequence_count, webhook_url };
}

/** Whether the experiment has exactly these sequences; if so, they keep their ids. */
async function hasSequences(
  scope: OrganizationScope,
  tx: Transaction,
  experimentId: string,
  sequences: readonly NewSequence[],
): Promise<boolean> {
  const present = await selectSequencesOfExperiment(scope, tx, experimentId);
  return (
    present.length === sequences.length &&
    present.every((row, index) => {
      const { name, aaString, isControl, metadata } = sequences[index] ?? {};
      const { name: presentName, aa_string: presentText, is_control: wasControl } = row;
      return (
        presentName === name &&
        presentText === aaString &&
        wasControl === isControl &&
        isDeepStrictEqual(row.metadata, metadata)
      );
    })
  );
}

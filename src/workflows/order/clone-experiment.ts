import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { cloneExperiment as operation } from '#features/experiments/draft-contract.ts';
import { findDetail, type DetailRow } from '#features/experiments/shown-store.ts';
import { findRailProblems, requireRail } from '#features/experiments/payment-choice.ts';
import {
  createProblemsFailure,
  formatCopyName,
  refuseIfTooMany,
  type NewExperimentSpec,
} from '#features/experiments/rules.ts';
import { refuseSandboxOptions } from '#features/experiments/sandbox-options.ts';
import { countResidues } from '#features/sequences/rules.ts';
import { findTarget, type TargetRow } from '#features/targets/store.ts';
import { refuseOutsideOffer, requireOffer } from '#features/pricing/assay-types/require-offer.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { draftQuote } from '#features/quotes/prepare-quote.ts';
import { checkChanges } from './modify-experiment.ts';
import { describeEstimate } from '#features/pricing/rules.ts';
import { priceExperiment, requireTarget } from '#features/experiments/price-experiment.ts';
import { describeWarnings } from '#features/sequences/warnings.ts';
import { findSwitchedOff } from '#features/webhooks/find-switched-off.ts';
import { storeExperiment } from './create-experiment.ts';

/** `POST /experiments/{experiment_id}/clone`. */
export async function cloneExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { body } = input;
  const { principal, tx } = context;
  refuseIfLimited(context);
  refuseSandboxOptions(body.parameters, context.site.environment);
  const { payment, ...change } = body;
  const named = { header: input.headers['payment-method'], payment };
  const contradictions = findRailProblems(named);
  if (contradictions.length > 0) throw createProblemsFailure(contradictions);
  const rail = requireRail(named, context);
  const scope = getScope(principal);
  const source = await findDetail(scope, tx, input.params.experiment_id);
  if (source === undefined) throw fail('experiment_not_found');

  // The webhook belongs to the experiment, and its secret is never shown.
  const { changes, sequences } = await checkChanges({ ...source, webhook_url: null }, change, context);
  const target = await findTargetOfCopy(context, scope, source, body.target_id);
  const spec: NewExperimentSpec = {
    experiment_type: source.experiment_type,
    method: source.method,
    target_id: target?.id ?? null,
    requested_target: changes.requested_target,
    n_replicates: changes.n_replicates,
    antigen_concentrations_nm: changes.antigen_concentrations_nm,
    parameters: changes.parameters,
    sequences: sequences ?? copySequences(source),
  };
  refuseIfTooMany(spec.sequences.length, context.site.limits);
  const at = context.clock.now();
  refuseOutsideOffer(await requireOffer(tx, spec.experiment_type, at), spec);
  const requestId = context.ids.createUuid();
  const { tax } = await readCurrentTerms(context.site, scope, tx);
  const priceable = { ...spec, sequence_count: spec.sequences.length, target_request_id: requestId };
  const price = await priceExperiment(context.site, scope, tx, priceable, at, { target, tax });
  const id = context.ids.createUuid();
  await draftQuote(context, tx, scope, id, price);
  const copy = await storeExperiment(context, scope, {
    id,
    name: body.name ?? formatCopyName(source.name),
    description: changes.description,
    webhook_url: changes.webhook_url,
    webhook_secret: body.webhook_secret ?? null,
    status: 'draft',
    spec,
    rail,
    target_request_id: requestId,
  });
  const warnings = [
    ...listWarnings(source, spec, body.target_id),
    ...describeWarnings(findSwitchedOff(context.site, changes.webhook_url)).warnings,
  ];
  return {
    experiment_id: copy.id,
    error: null,
    experiment_code: copy.code,
    status: copy.status,
    costs: describeEstimate(price),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** A copy is outside the experiments that a token may be limited to. */
function refuseIfLimited({ principal }: WriteContext): void {
  if (principal.restrictions.experiments.length > 0)
    throw fail('token_restricted', {
      reason: 'it is limited to certain experiments, and a copy would be another one',
    });
}

/** The given target must exist; that of the source may have left the catalog. */
async function findTargetOfCopy(
  { tx }: WriteContext,
  scope: OrganizationScope,
  source: DetailRow,
  targetId: string | null | undefined,
): Promise<TargetRow | undefined> {
  if (typeof targetId === 'string') return requireTarget(scope, tx, targetId, 'target_id');
  if (targetId === null || source.target_id === null) return undefined;
  return findTarget(scope, tx, source.target_id);
}

function copySequences({ sequences }: DetailRow): NewExperimentSpec['sequences'] {
  return sequences.map(({ name, aa_string: aaString, is_control: isControl, metadata }) => ({
    name,
    aaString,
    length: countResidues(aaString),
    isControl,
    metadata,
  }));
}

function listWarnings(
  source: DetailRow,
  spec: NewExperimentSpec,
  targetId: string | null | undefined,
): string[] {
  const isRetired = targetId === undefined && source.target_id !== null && spec.target_id === null;
  if (!isRetired) return [];
  return [
    `The target ${source.target?.name ?? source.target_id} of ${source.code} is no longer in the catalog, so the copy has none; set target_id before you submit it.`,
  ];
}

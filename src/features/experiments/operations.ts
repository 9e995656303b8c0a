/** The operations of experiments, each with what carries it out. */
import { bindCompute, bindList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as updatesContract from '../updates/contract.ts';
import * as pricingDraftContract from '../pricing/draft-contract.ts';
import { findOfferedDate } from './expected-dates.ts';
import { getExperiment } from './get-experiment.ts';
import { compareOrderCost } from './compare-order-cost.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { type Input, Answer } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { listExperimentPage } from './shown-store.ts';
import { findRailProblems, readNamedRail, requireRail } from './payment-choice.ts';
import { readSpec } from './rules.ts';
import { buildEstimatedTotals, describeEstimate } from '../pricing/rules.ts';
import { describeWarnings, WarningGroups, type WarningGroup } from '../sequences/warnings.ts';
import { prepareOrder, prepareSpec } from './prepare-order.ts';
import { LiveStream } from '#core/live-stream.ts';
import { updateFields, experimentUpdateFields } from '../updates/list-fields.ts';
import { getLastUpdateId, listUpdatePage, selectStreamedUpdates } from '../updates/store.ts';
import { requireExperiment } from './require-experiment.ts';
import { openStream } from '../updates/open-stream.ts';
import { parseRound } from '../updates/rounds.ts';
import { findNearest } from '#core/nearest.ts';
import { CreateExpRequest, ExperimentSpec } from './records.ts';
import { fail } from '#core/failures.ts';
import { deleteExperiment as removeExperiment, lockExperiment } from './store.ts';
import { describeStatus } from '../updates/details.ts';
import { addUpdate } from './transition-experiment.ts';

/** A creation ignores keys that it does not know; validation says which, because one of them may be a misspelling. */
const KEYS = Object.keys(CreateExpRequest.properties);
const SPEC_KEYS = Object.keys(ExperimentSpec.properties);
const KEY_LENGTH_SHOWN = 60;

function findUnknownKeys(body: Readonly<Record<string, unknown>>): WarningGroup[] {
  const groups = new WarningGroups();
  for (const key of Object.keys(body)) {
    if (KEYS.includes(key)) continue;
    groups.add({ rule: 'unknown_key', sequence: null, message: describeUnknownKey(key) });
  }
  return groups.list();
}

function describeUnknownKey(key: string): string {
  const shown = key.replaceAll(/\p{C}/gu, '?').slice(0, KEY_LENGTH_SHOWN);
  const start = `The key "${shown}" is unknown and ignored`;
  if (SPEC_KEYS.includes(key)) return `${start}; it belongs under experiment_spec.`;
  const nearest = findNearest(key, KEYS);
  if (nearest !== undefined) return `${start}; did you mean "${nearest}"?`;
  const inSpec = findNearest(key, SPEC_KEYS);
  return inSpec === undefined ? `${start}.` : `${start}; did you mean "experiment_spec.${inSpec}"?`;
}

export const experimentsOperations: readonly Binding[] = [
  bindList(contract.listExperiments, ({ scope, sql, site }, query) =>
    listExperimentPage(scope, sql, query, site.baseUrl),
  ),
  bindCompute(contract.validateExperiment, validateExperiment),
  bindCompute(contract.estimateCost, estimateCost),
  bindRead(contract.getExperiment, getExperiment),
  bindWrite(contract.deleteExperiment, deleteExperiment),
  bindRead(updatesContract.streamUpdates, streamUpdates),
  bindRead(updatesContract.getExperimentUpdates, getExperimentUpdates),
  bindRead(pricingDraftContract.compareOrderCost, compareOrderCost),
];

/** `POST /experiments/validate`: runs all checks of a creation. */
async function validateExperiment(input: Input<typeof contract.validateExperiment>, context: ReadContext) {
  const named = { header: input.headers['payment-method'], payment: input.body.payment };
  const body = { ...input.body, experiment_spec: readSpec(input.body.experiment_spec) };
  const { spec, price, warnings } = await prepareOrder(context, context.sql, { body, named });
  return {
    valid: true as const,
    ...describeWarnings([...findUnknownKeys(input.body), ...warnings]),
    sequence_count: spec.sequences.length,
    costs: describeEstimate(price),
    eta: await findOfferedDate(context.sql, spec.experiment_type, context.clock.now()),
  };
}

/** `POST /experiments/cost-estimate`: the breakdown, or the missing price. */
async function estimateCost(input: Input<typeof contract.estimateCost>, context: ReadContext) {
  const named = { header: input.headers['payment-method'], payment: input.body.payment };
  // An estimate commits to no rail, so only one that the request names is checked.
  if (readNamedRail(named) !== undefined) requireRail(named, context);
  const given = readSpec(input.body.experiment_spec);
  const besides = findRailProblems(named);
  const { price, warnings } = await prepareSpec(context, context.sql, given, { besides });
  const eta = await findOfferedDate(context.sql, given.experiment_type, context.clock.now());
  return price.kind === 'complete'
    ? { breakdown: price.breakdown, totals: buildEstimatedTotals(price), eta, ...describeWarnings(warnings) }
    : { incomplete: price.incomplete, eta, ...describeWarnings(warnings) };
}

/**
 * `GET /updates/stream`: streams the updates as server-sent events. The transport reads them, first those after the id
 * where it begins and then each as it comes.
 */
async function streamUpdates(
  input: Input<typeof updatesContract.streamUpdates>,
  context: ReadContext,
): Promise<Answer> {
  const { experiment_id: named, follow, ...listed } = input.query;
  const scope = getScope(context.principal);
  const findLastId = () => getLastUpdateId(scope, context.sql);
  const { headers } = input;
  const { query, after } = await openStream(
    context,
    updateFields,
    { headers, query: listed },
    { findLastId },
  );
  const experimentId = named === undefined ? null : (await requireExperiment(context, named)).id;
  const stream = new LiveStream({
    key: JSON.stringify([scope.organizationId, experimentId, query.context.filter]),
    organizationId: scope.organizationId,
    readsAll: false,
    after,
    isFollowing: follow !== false,
    read: (range) => selectStreamedUpdates(scope, context.sql, query, { ...range, experimentId }),
  });
  return new Answer(200, stream);
}

/** `GET /experiments/{experiment_id}/updates`: lists the updates of one experiment. */
async function getExperimentUpdates(
  input: Input<typeof updatesContract.getExperimentUpdates>,
  context: ReadContext,
): Promise<RawJson> {
  const scope = getScope(context.principal);
  const findLastId = () => getLastUpdateId(scope, context.sql);
  const listName = input.params.experiment_id;
  const page = await parseRound(context, experimentUpdateFields, input.query, { findLastId, listName });
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  return listUpdatePage(scope, context.sql, page, experimentId);
}

/** `DELETE /experiments/{experiment_id}`: removes a draft; its updates and the audit entry remain. */
export async function deleteExperiment(
  input: Input<typeof contract.deleteExperiment>,
  context: WriteContext,
) {
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  if (experiment.status !== 'draft') throw fail('experiment_deletion_refused', { status: experiment.status });
  await removeExperiment(scope, context.tx, experiment.id);
  await addUpdate(context, context.tx, experiment, {
    event: 'experiment.deleted',
    name: 'Draft deleted',
    details: describeStatus(experiment.status, null),
  });
  return null;
}

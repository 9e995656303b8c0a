/** The operations of review, each with what carries it out. */
import { bindAuditedRead, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as resultsLabContract from '../results/lab-contract.ts';
import * as contract from './contract.ts';
import { amendResults, readAmendment } from './amend-results.ts';
import type { AuditedReadContext, ReadContext, WriteContext } from '#core/context.ts';
import { type Input, Answer } from '#core/operation.ts';
import { RawJson } from '#core/reply.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { labResultFields } from '../results/list-fields.ts';
import { listResultPage, findResultJson, findCurves, selectExperimentOfResult } from '../results/store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';
import { getResultForm } from '../results/result-form.ts';
import { fail } from '#core/failures.ts';
import { writeCurves } from '../results/get-result-curves.ts';
import { drawResult } from '#assays/shown.ts';
import { writeSvg } from '#documents/svg.ts';
import { compareVersions } from '../results/diff-results.ts';
import { drawExperimentPlot } from '../results/get-experiment-plot.ts';
import { HOUR_MS } from '#core/clock.ts';
import { selectResultIndex } from '../results/package-store.ts';
import { createPackageLink, REVIEW_PACKAGE_PATH } from '../results/package/package-link.ts';
import {
  selectPresentVersion,
  selectReleasedVersion,
  selectReleaseState,
  discardVersionsAfter,
} from '../results/release-store.ts';
import { findLastJudgment, findLastRelease, isAnalysisOpen } from './rules.ts';
import { selectDecisions, selectReviewEvents, takeBackDecisions } from './store.ts';
import { describeShortfall } from './shortfall.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { holdExperiment } from '../runs/raw-files/lab-step.ts';
import { logReview } from './review-log.ts';
import { findExperiment, type ExperimentRow } from '../experiments/store.ts';

export const reviewOperations: readonly Binding[] = [
  bindAuditedRead(resultsLabContract.listLabResults, listLabResults),
  bindAuditedRead(resultsLabContract.getLabResult, getLabResult),
  bindRead(resultsLabContract.getLabResultCurves, getLabResultCurves),
  bindRead(resultsLabContract.getLabResultPlot, getLabResultPlot),
  bindRead(resultsLabContract.diffLabResults, diffLabResults),
  bindRead(resultsLabContract.getLabPlot, getLabPlot),
  bindAuditedRead(resultsLabContract.getLabDataPackage, getLabDataPackage),
  bindRead(contract.getLabReview, getLabReview),
  bindWrite(contract.amendResults, amendResults),
  bindWrite(contract.discardAmendment, discardAmendment),
];

/** `GET /lab/experiments/{experiment_id}/results`: an audited read, because results name sequences. */
async function listLabResults(
  input: Input<typeof resultsLabContract.listLabResults>,
  context: AuditedReadContext,
): Promise<RawJson> {
  const listName = `${LAB_LIST} ${input.params.experiment_id}`;
  const query = parseList(context, labResultFields, input.query, [], listName);
  const experiment = await requireLabExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(experiment.organization_id);
  const form = { ...getResultForm(context.site), experimentId: experiment.id };
  return listResultPage(labScope, context.sql, query, form);
}

/** `GET /lab/experiments/{experiment_id}/results/{result_id}`: an audited read. */
async function getLabResult(
  input: Input<typeof resultsLabContract.getLabResult>,
  context: AuditedReadContext,
): Promise<RawJson> {
  const experiment = await requireLabResult(context, input.params);
  context.setAuditOrganization(experiment.organization_id);
  const form = getResultForm(context.site);
  const json = await findResultJson(labScope, context.sql, input.params.result_id, form);
  if (json === undefined) throw fail('result_not_found');
  return new RawJson(json);
}

/** `GET /lab/experiments/{experiment_id}/results/{result_id}/curves`. */
async function getLabResultCurves(
  input: Input<typeof resultsLabContract.getLabResultCurves>,
  context: ReadContext,
) {
  await requireLabResult(context, input.params);
  const curves = await findCurves(labScope, context.sql, input.params.result_id);
  if (curves === undefined) throw fail('result_not_found');
  return writeCurves(curves, input);
}

/** `GET /lab/experiments/{experiment_id}/results/{result_id}/plot.svg`. */
async function getLabResultPlot(
  input: Input<typeof resultsLabContract.getLabResultPlot>,
  context: ReadContext,
): Promise<Answer> {
  await requireLabResult(context, input.params);
  const curves = await findCurves(labScope, context.sql, input.params.result_id);
  if (curves === undefined) throw fail('result_not_found');
  return new Answer(200, writeSvg(drawResult(curves)), { 'content-type': 'image/svg+xml; charset=utf-8' });
}

/** `GET /lab/experiments/{experiment_id}/results/{result_id}/diff`. */
async function diffLabResults(input: Input<typeof resultsLabContract.diffLabResults>, context: ReadContext) {
  await requireLabResult(context, input.params);
  return compareVersions(labScope, context.sql, {
    resultId: input.params.result_id,
    against: input.query.against,
  });
}

/** `GET /lab/experiments/{experiment_id}/plot.svg`. */
function getLabPlot(
  input: Input<typeof resultsLabContract.getLabPlot>,
  context: ReadContext,
): Promise<Answer> {
  return drawExperimentPlot(labScope, input, context);
}

/** `GET /lab/experiments/{experiment_id}/data-package`: the archive names the sequences, so this is recorded. */
async function getLabDataPackage(
  input: Input<typeof resultsLabContract.getLabDataPackage>,
  context: AuditedReadContext,
): Promise<Answer> {
  const experiment = await requireLabExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(experiment.organization_id);
  const { releasedAt } = await selectResultIndex(labScope, context.sql, experiment.id);
  if (releasedAt === null) throw fail('results_not_released');
  const path = `${REVIEW_PACKAGE_PATH}/${experiment.id}`;
  return new Answer(307, null, { location: createPackageLink(context, path, HOUR_MS) });
}

/** `GET /lab/experiments/{experiment_id}/review`. */
async function getLabReview(input: Input<typeof contract.getLabReview>, context: ReadContext) {
  const { sql, site } = context;
  const experiment = await requireLabExperiment(context, input.params.experiment_id);
  const { id, status } = experiment;
  const version = await selectPresentVersion(labScope, sql, id);
  const released = await selectReleasedVersion(labScope, sql, id);
  const state = await selectReleaseState(labScope, sql, { experimentId: id, version });
  const events = await selectReviewEvents(labScope, sql, id);
  const isPending = version > (findLastRelease(events)?.version ?? released);
  const awaited = { in_review: 'release', done: isPending ? 'amendment' : null } as const;
  return {
    experiment_id: id,
    experiment_code: experiment.code,
    status,
    results_status: experiment.results_status,
    version,
    released_version: released === 0 ? null : released,
    awaits: status === 'in_review' || status === 'done' ? awaited[status] : null,
    is_analysis_open: isAnalysisOpen(events),
    second_person: {
      is_needed: site.needsSecondPerson,
      not_by: findLastJudgment(events)?.actor ?? null,
    },
    shortfall: await describeShortfall(sql, { experimentId: id, version }),
    sequences: state.map(({ name, isReleased }) => ({ name, is_released: isReleased })),
    decisions: await selectDecisions(labScope, sql, id),
    events: events.map(({ action, version: of, reason, actor, created_at }) => ({
      action,
      version: of,
      reason,
      actor,
      created_at,
    })),
  };
}

/** `POST /lab/experiments/{experiment_id}/amend/discard`: clients learn nothing, so the lab's own trail has it. */
async function discardAmendment(input: Input<typeof contract.discardAmendment>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(INSTALLATION_ID);
  const { releasedVersion: version, events } = await readAmendment(context, experiment, 'be amended');
  if (isAnalysisOpen(events)) throw fail('analysis_pending');
  const scope = createOrganizationScope(experiment.organization_id);
  const of = { experimentId: experiment.id, version };
  const discarded = await discardVersionsAfter(scope, tx, of, clock.now());
  const decisions = await takeBackDecisions(scope, tx, experiment.id, version);
  if (discarded + decisions === 0) throw fail('nothing_to_amend');
  const { reason } = input.body;
  await logReview(context, tx, experiment, principal, { action: 'discarded', version, reason });
  return { experiment_id: experiment.id, experiment_code: experiment.code, version, discarded };
}

/** Throws `experiment_not_found`. */
async function requireLabExperiment(
  { sql }: Pick<ReadContext, 'sql'>,
  idOrCode: string,
): Promise<ExperimentRow> {
  const experiment = await findExperiment(labScope, sql, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment;
}

/** Returns the experiment of the result, which has to be the named one. Throws `result_not_found`. */
async function requireLabResult(
  context: Pick<ReadContext, 'sql'>,
  { experiment_id: idOrCode, result_id: resultId }: { experiment_id: string; result_id: string },
): Promise<ExperimentRow> {
  const experiment = await requireLabExperiment(context, idOrCode);
  const owner = await selectExperimentOfResult(labScope, context.sql, resultId);
  if (owner !== experiment.id) throw fail('result_not_found');
  return experiment;
}

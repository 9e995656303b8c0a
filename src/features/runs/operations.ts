/** The operations of runs, each with what carries it out. */
import {
  bindCompute,
  bindComputedUpload,
  bindOutward,
  bindRead,
  bindUpload,
  bindWrite,
  type Binding,
} from '../binding.ts';
import * as rawFilesRunContract from './raw-files/run-contract.ts';
import * as materialsContract from '../materials/contract.ts';
import * as contract from './contract.ts';
import * as rawFilesUnpaidContract from './raw-files/unpaid-contract.ts';
import * as runContract from './run-contract.ts';
import * as fileContract from './file-contract.ts';
import * as rawFilesPreviewContract from './raw-files/preview-contract.ts';
import * as rawFilesMappingContract from './raw-files/mapping-contract.ts';
import * as rawFilesSimulatedLabContract from './raw-files/simulated-lab-contract.ts';
import { receiveMaterials } from './raw-files/receive-materials.ts';
import { recordMaterials } from './record-materials.ts';
import { startLabRun } from './start-lab-run.ts';
import { putRunRawFile, refuseEarly as refusePutRunRawFile } from './put-run-raw-file.ts';
import { previewRunRawFile, refuseEarly as refusePreviewRunRawFile } from './preview-run-raw-file.ts';
import { previewRunRawFiles } from './preview-run-raw-files.ts';
import { putRawFile, refuseEarly as refusePutRawFile } from './raw-files/put-raw-file.ts';
import { addRawFile } from './raw-files/add-raw-file.ts';
import { previewRawFile, refuseEarly as refusePreviewRawFile } from './raw-files/preview-raw-file.ts';
import { previewRawFiles } from './raw-files/preview-raw-files.ts';
import { mapRawFiles } from './raw-files/map-raw-files.ts';
import { getSimulatedLab } from './raw-files/get-simulated-lab.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Ids } from '#core/ids.ts';
import type { Input } from '#core/operation.ts';
import { runInSlices } from '#core/slices.ts';
import { findPlanProblems, findMismatches } from './check-plan.ts';
import { makePlan } from './make-plan.ts';
import { listRunFileKinds } from './run-files/formats.ts';
import {
  describePlan,
  describeProblems,
  readPlanRequest,
  parseEdit,
  parsePlan,
  buildPlanRequest,
  readExperimentsToPlan,
} from './plan-request.ts';
import { findShapeProblems } from './check-arrangement.ts';
import { editPlan } from './edit-plan.ts';
import { writePlanFile } from './plan-file.ts';
import { fail } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { putUnpaidRelease } from './raw-files/unpaid-store.ts';
import { holdExperiment } from './raw-files/lab-step.ts';
import type { RawJson } from '#core/raw-json.ts';
import { runFields } from './run-list-fields.ts';
import {
  listRunPage,
  insertRunExperiments,
  insertStoredRun,
  changeRun,
  markRunCanceled,
  selectRunExperiments,
  lockRun,
} from './store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';
import { describeRun, refusePlan, requireRun, holdPlannedRun } from './stored-run.ts';
import type { EditInput, PlanRecord } from './plan-schemas.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import { decodeBase64 } from './raw-files/add-raw-file.ts';
import { takeSharedFile } from './put-run-raw-file.ts';
import {
  selectEarlierSharedVersions,
  selectSharedFiles,
  selectSharedMappings,
  insertSharedMapping,
} from './file-store.ts';
import { buildFileInfo, runInfo } from './raw-files/run-info.ts';
import {
  findOpenExperiments,
  createNotRunningFailure,
  listPlannedNames,
  loadSharedRun,
} from './shared-run.ts';
import { toMapping } from './raw-files/mapping-rules.ts';
import { refuseWrongEntries } from './raw-files/map-raw-files.ts';
import { findExperiment, selectExperimentsInStatus } from '../experiments/store.ts';
import { selectEarlierVersions, selectUnderstoodFiles } from './raw-files/raw-file-store.ts';
import { selectLatestRun } from './raw-files/store.ts';
import { selectSequencesOfExperiment } from '../sequences/store.ts';
import { selectMappings } from './raw-files/mapping-store.ts';
import { putSimulatedLab } from './raw-files/simulated-lab-store.ts';
import { describeSimulatedLab } from './raw-files/get-simulated-lab.ts';
import { scheduleLab } from './raw-files/schedule-lab.ts';

export const runsOperations: readonly Binding[] = [
  bindWrite(rawFilesRunContract.receiveMaterials, receiveMaterials),
  bindWrite(materialsContract.recordMaterials, recordMaterials),
  bindCompute(contract.planRun, planRun),
  bindCompute(contract.editRunPlan, editRunPlan),
  bindCompute(contract.writeRunFile, writeRunFile),
  bindWrite(rawFilesUnpaidContract.allowUnpaidRun, allowUnpaidRun),
  bindRead(runContract.listLabRuns, listLabRuns),
  bindWrite(runContract.createLabRun, createLabRun),
  bindRead(runContract.getLabRun, getLabRun),
  bindWrite(runContract.editLabRun, editLabRun),
  bindWrite(runContract.startLabRun, startLabRun),
  bindWrite(runContract.cancelLabRun, cancelLabRun),
  bindRead(runContract.writeLabRunFile, writeLabRunFile),
  bindUpload(fileContract.putRunRawFile, putRunRawFile, refusePutRunRawFile),
  bindOutward(fileContract.addRunRawFile, addRunRawFile),
  bindRead(fileContract.listRunRawFiles, listRunRawFiles),
  bindComputedUpload(fileContract.previewRunRawFile, previewRunRawFile, refusePreviewRunRawFile),
  bindCompute(fileContract.previewRunRawFiles, previewRunRawFiles),
  bindRead(fileContract.getRunRawFileMapping, getRunRawFileMapping),
  bindWrite(fileContract.mapRunRawFiles, mapRunRawFiles),
  bindUpload(rawFilesRunContract.putRawFile, putRawFile, refusePutRawFile),
  bindOutward(rawFilesRunContract.addRawFile, addRawFile),
  bindRead(rawFilesRunContract.listRawFiles, listRawFiles),
  bindComputedUpload(rawFilesPreviewContract.previewRawFile, previewRawFile, refusePreviewRawFile),
  bindCompute(rawFilesPreviewContract.previewRawFiles, previewRawFiles),
  bindRead(rawFilesMappingContract.getRawFileMapping, getRawFileMapping),
  bindWrite(rawFilesMappingContract.mapRawFiles, mapRawFiles),
  bindRead(rawFilesSimulatedLabContract.getSimulatedLab, getSimulatedLab),
  bindWrite(rawFilesSimulatedLabContract.setSimulatedLab, setSimulatedLab),
];

/** `POST /lab/run-plans`. */
async function planRun({ body }: Input<typeof contract.planRun>, { sql, ids }: ReadContext) {
  const planRequest = { ...body, seed: body.seed ?? drawSeed(ids) };
  const request = await readPlanRequest(sql, planRequest);
  const outcome = await runInSlices(makePlan(request));
  if ('problems' in outcome)
    return {
      request: planRequest,
      plan: null,
      files: [],
      ...describeProblems(outcome.problems),
      is_startable: false,
    };
  const { plan } = outcome;
  return {
    request: { ...planRequest, layout: plan.layout },
    plan: describePlan(plan),
    files: listRunFileKinds(plan),
    ...describeProblems(findPlanProblems(plan, request)),
  };
}

function drawSeed(ids: Ids): number {
  return Buffer.from(ids.createSecret(), 'base64url').readUInt32BE(0);
}

/** `POST /lab/run-plans/edit`. A plan whose wells collide is not edited, because an edit would lose one of them. */
async function editRunPlan({ body }: Input<typeof contract.editRunPlan>, { sql }: ReadContext) {
  const request = await readPlanRequest(sql, body.request);
  const plan = parsePlan(body.plan);
  const misshapen = findShapeProblems(plan);
  if (misshapen.length > 0) return { is_edited: false, plan: body.plan, ...describeProblems(misshapen) };
  const edited = editPlan(plan, parseEdit(body.edit));
  if ('problems' in edited) {
    const problems = [...edited.problems, ...findPlanProblems(plan, request)];
    return { is_edited: false, plan: body.plan, ...describeProblems(problems) };
  }
  return {
    is_edited: true,
    plan: describePlan(edited.plan),
    ...describeProblems(findPlanProblems(edited.plan, request)),
  };
}

/** `POST /lab/run-plans/files`. */
async function writeRunFile({ body }: Input<typeof contract.writeRunFile>) {
  const { plan, ...input } = body;
  return writePlanFile(parsePlan(plan), input);
}

const STATES: ReadonlySet<ExperimentStatus> = new Set(['waiting_for_materials', 'in_queue']);

/**
 * `POST /lab/experiments/{experiment_id}/allow-unpaid`: allows the run of an experiment before its invoice is paid. Only
 * the audit trail of the installation has the reason, because clients may not read it.
 */
async function allowUnpaidRun(
  input: Input<typeof rawFilesUnpaidContract.allowUnpaidRun>,
  context: WriteContext,
) {
  const { tx, clock, principal } = context;
  const { reason } = input.body;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(INSTALLATION_ID);
  if (!STATES.has(experiment.status))
    throw fail('move_not_allowed', { status: experiment.status, action: 'be released before its payment' });
  const at = clock.now();
  const releasedBy = principal.userEmail;
  const scope = createOrganizationScope(experiment.organization_id);
  await putUnpaidRelease(scope, tx, { experimentId: experiment.id, reason, releasedBy, at });
  context.addAuditDetails({ reason, experiment: experiment.code });
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    reason,
    released_by: releasedBy,
    created_at: at.toISOString(),
  };
}

/** `GET /lab/runs`: lists the planned and started runs of the lab. */
function listLabRuns(input: Input<typeof runContract.listLabRuns>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, runFields, input.query, [], LAB_LIST);
  return listRunPage(context.sql, query);
}

/** `POST /lab/runs`. */
async function createLabRun({ body }: Input<typeof runContract.createLabRun>, context: WriteContext) {
  const { tx, ids, clock, principal } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const rows = await readExperimentsToPlan(tx, body.request);
  const plan = parsePlan(body.plan);
  const [first] = rows;
  if (first === undefined) throw fail('experiment_not_found');
  const request = await buildPlanRequest(tx, rows, body.request);
  refusePlan([...findShapeProblems(plan), ...findMismatches(plan, request)]);
  const id = ids.createUuid();
  const at = clock.now();
  const stored = {
    id,
    experimentType: first.experiment_type,
    method: first.method,
    request: body.request,
    plan: body.plan,
    instrument: body.instrument ?? null,
    operator: body.operator ?? null,
    createdBy: principal.userEmail,
    createdAt: at,
  };
  await insertStoredRun(tx, stored, rows.length);
  const placed = rows.map((row, position) => ({ id: row.id, position, organizationId: row.organization_id }));
  for (const [organizationId, own] of Map.groupBy(placed, (each) => each.organizationId))
    await insertRunExperiments(createOrganizationScope(organizationId), tx, id, own);
  const run = await requireRun(tx, id);
  context.addAuditDetails({ run: run.code, experiments: rows.map(({ code }) => code) });
  return describeRun(tx, run, at, request);
}

/** `GET /lab/runs/{run_id}`: a run with its plan, its experiments and what keeps it from starting. */
async function getLabRun(input: Input<typeof runContract.getLabRun>, { sql, clock }: ReadContext) {
  return describeRun(sql, await requireRun(sql, input.params.run_id), clock.now());
}

/** `PATCH /lab/runs/{run_id}`. */
async function editLabRun({ params, body }: Input<typeof runContract.editLabRun>, context: WriteContext) {
  const { tx, clock } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const run = await holdPlannedRun(tx, params.run_id, 'be edited');
  const { edits = [], instrument = run.instrument, operator = run.operator } = body;
  const plan = edits.length === 0 ? run.plan : applyEdits(run.plan, edits);
  const at = clock.now();
  const change = { instrument, operator, ...(plan === run.plan ? {} : { plan }) };
  await changeRun(tx, run.id, { change, at });
  context.addAuditDetails({ run: run.code, edits: edits.length, instrument, operator });
  const edited = { ...run, plan, instrument, operator, updated_at: at.toISOString() };
  return describeRun(tx, edited, at);
}

/** Throws `run_plan_refused` with the reasons of the first edit that cannot be made. */
function applyEdits(stored: PlanRecord, edits: readonly EditInput[]): PlanRecord {
  let plan = parsePlan(stored);
  for (const edit of edits) {
    const edited = editPlan(plan, parseEdit(edit));
    if ('problems' in edited) refusePlan(edited.problems);
    else plan = edited.plan;
  }
  return describePlan(plan);
}

/** `POST /lab/runs/{run_id}/cancel`: cancels a planned run; its experiments stay in the queue. */
async function cancelLabRun({ params, body }: Input<typeof runContract.cancelLabRun>, context: WriteContext) {
  const { tx, clock } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const run = await holdPlannedRun(tx, params.run_id, 'be canceled');
  const at = clock.now();
  await markRunCanceled(tx, run.id, { reason: body.reason, at });
  context.addAuditDetails({ run: run.code, reason: body.reason });
  const canceled = { status: 'canceled' as const, cancel_reason: body.reason };
  const times = { canceled_at: at.toISOString(), updated_at: at.toISOString() };
  return describeRun(tx, { ...run, ...canceled, ...times }, at);
}

/** `POST /lab/runs/{run_id}/files`. */
async function writeLabRunFile(
  { params, body }: Input<typeof runContract.writeLabRunFile>,
  { sql }: ReadContext,
) {
  const run = await requireRun(sql, params.run_id);
  return writePlanFile(parsePlan(run.plan), body);
}

/** `POST /lab/runs/{run_id}/raw-files`: like `PUT`, with the bytes in JSON. */
async function addRunRawFile(input: Input<typeof fileContract.addRunRawFile>, context: OutwardContext) {
  const { name, content_base64: content } = input.body;
  const staged = await context.rawFiles.blobs.stage([decodeBase64(content)]);
  try {
    return await takeSharedFile(context, input.params.run_id, { name, staged, field: 'content_base64' });
  } finally {
    await staged.drop();
  }
}

/**
 * `GET /lab/runs/{run_id}/raw-files`: the raw files of a stored run with their parsed content, and the samples without data.
 */
async function listRunRawFiles({ params }: Input<typeof fileContract.listRunRawFiles>, { sql }: ReadContext) {
  const run = await requireRun(sql, params.run_id);
  const rows = await selectSharedFiles(sql, run.id);
  const earlier = await selectEarlierSharedVersions(sql, run.id);
  const samples = run.plan.plates.flatMap(({ wells }) =>
    wells.filter(({ experiment_id: id }) => id !== null).map(({ sample }) => sample),
  );
  const names = new Set(samples);
  const files = rows.map((row) => buildFileInfo(row, names, earlier));
  const { recording, stopped } = await findOpenExperiments(
    sql,
    await selectRunExperiments(labScope, sql, run.id),
  );
  const matchedNames = new Set(files.flatMap(({ understood }) => understood?.matched_sequences ?? []));
  return {
    run_id: run.id,
    run_code: run.code,
    files,
    samples_without_data: [...names].filter((name) => !matchedNames.has(name)),
    experiments_taking_files: [...recording, ...stopped].map(({ code }) => code),
  };
}

/** `GET /lab/runs/{run_id}/mapping`: what staff said by hand of the raw files of a stored run, in every version. */
async function getRunRawFileMapping(
  { params }: Input<typeof fileContract.getRunRawFileMapping>,
  { sql }: ReadContext,
) {
  const run = await requireRun(sql, params.run_id);
  const versions = await selectSharedMappings(sql, run.id);
  return {
    run_id: run.id,
    run_code: run.code,
    versions: versions.map((version) => ({ ...version, entries: [...version.entries] })),
  };
}

/** `POST /lab/runs/{run_id}/mapping`. */
async function mapRunRawFiles(
  { params, body }: Input<typeof fileContract.mapRunRawFiles>,
  context: WriteContext,
) {
  const { tx, clock, principal } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const locked = await lockRun(tx, params.run_id);
  if (locked === undefined) throw fail('lab_run_not_found');
  // A complete run may be mapped too: the next analysis of each experiment uses it.
  if (locked.status === 'planned' || locked.status === 'canceled')
    throw createNotRunningFailure(locked, 'have its raw files mapped');
  const shared = await loadSharedRun(tx, locked.id);
  const entries = toMapping(body.entries);
  refuseWrongEntries(entries, listPlannedNames(shared), 'plan');
  const mapping = await insertSharedMapping(tx, {
    runId: locked.id,
    version: shared.mappingVersion + 1,
    entries,
    reason: body.reason ?? null,
    created_by: principal.userEmail,
    at: clock.now(),
  });
  context.addAuditDetails({ run: locked.code, version: mapping.version, entries: entries.length });
  return { run_id: locked.id, run_code: locked.code, mapping: { ...mapping, entries } };
}

/** `GET /lab/experiments/{experiment_id}/files`: the latest run with the parsed content of its files. */
async function listRawFiles(input: Input<typeof rawFilesRunContract.listRawFiles>, { sql }: ReadContext) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const run = await selectLatestRun(labScope, sql, experiment.id);
  const rows = run === undefined ? [] : await selectUnderstoodFiles(labScope, sql, run.id);
  const earlier = run === undefined ? [] : await selectEarlierVersions(labScope, sql, run.id);
  const sequences = await selectSequencesOfExperiment(labScope, sql, experiment.id);
  const names = new Set(sequences.map(({ name }) => name));
  const files = rows.map((row) => buildFileInfo(row, names, earlier));
  // Files of the simulated lab have no parsed content.
  const isKnown = files.every(({ understood }) => understood !== null);
  const matchedNames = new Set(files.flatMap(({ understood }) => understood?.matched_sequences ?? []));
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    status: experiment.status,
    run: run === undefined ? null : runInfo(run),
    files,
    sequences_without_data: isKnown ? [...names].filter((name) => !matchedNames.has(name)) : [],
  };
}

/** `GET /lab/experiments/{experiment_id}/mapping`. */
async function getRawFileMapping(
  input: Input<typeof rawFilesMappingContract.getRawFileMapping>,
  { sql }: ReadContext,
) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const run = await selectLatestRun(labScope, sql, experiment.id);
  const versions = run === undefined ? [] : await selectMappings(labScope, sql, run.id);
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    versions: versions.map((version) => ({ ...version, entries: [...version.entries] })),
  };
}

/** The steps that people take while the lab is manual. */
const STEPS_OF_PEOPLE: readonly ExperimentStatus[] = ['waiting_for_materials', 'in_queue', 'in_review'];

/** `PUT /lab/simulated-lab`: switched back to simulated, every waiting experiment gets its next step. */
async function setSimulatedLab(
  { body }: Input<typeof rawFilesSimulatedLabContract.setSimulatedLab>,
  context: WriteContext,
) {
  const { tx, site, clock, principal } = context;
  if (site.environment !== 'sandbox') throw fail('sandbox_only', { what: 'its staff take every step' });
  const row = { mode: body.mode, changed_by: principal.userEmail, changed_at: clock.now().toISOString() };
  await putSimulatedLab(tx, row);
  if (body.mode === 'simulated')
    for (const experiment of await selectExperimentsInStatus(labScope, tx, STEPS_OF_PEOPLE))
      await scheduleLab(context, tx, experiment);
  return describeSimulatedLab(row);
}

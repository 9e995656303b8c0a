/** The operations of runs, each with what carries it out. */
import {
  bindCompute,
  bindComputedUpload,
  bindLabList,
  bindOutward,
  bindRead,
  bindUpload,
  bindWrite,
  type Binding,
} from '../binding.ts';
import * as materialsContract from '../materials/contract.ts';
import * as contract from './contract.ts';
import * as runContract from './run-contract.ts';
import * as fileContract from './file-contract.ts';
import { recordMaterials } from './record-materials.ts';
import { startLabRun } from './start-lab-run.ts';
import { putRunRawFile, refuseEarly as refusePutRunRawFile, takeSharedFile } from './put-run-raw-file.ts';
import { previewRunRawFiles, previewGivenFile } from './preview-run-raw-files.ts';
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
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import {
  listRunPage,
  insertRunExperiments,
  insertStoredRun,
  changeRun,
  markRunCanceled,
  selectRunExperiments,
  lockRun,
} from './store.ts';
import { describeRun, refusePlan, requireRun, holdPlannedRun } from './stored-run.ts';
import type { EditInput, PlanRecord } from './plan-schemas.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import { decodeBase64 } from './raw-files/add-raw-file.ts';
import {
  selectEarlierSharedVersions,
  selectSharedFiles,
  selectSharedMappings,
  insertSharedMapping,
} from './file-store.ts';
import { buildFileInfo } from './raw-files/run-info.ts';
import {
  findOpenExperiments,
  createNotRunningFailure,
  listPlannedNames,
  loadSharedRun,
} from './shared-run.ts';
import { toMapping } from './raw-files/mapping-rules.ts';
import { refuseWrongEntries } from './raw-files/map-raw-files.ts';
import type { FileContext } from './raw-files/preview-raw-files.ts';

export const runsOperations: readonly Binding[] = [
  bindWrite(materialsContract.recordMaterials, recordMaterials),
  bindCompute(contract.planRun, planRun),
  bindCompute(contract.editRunPlan, editRunPlan),
  bindCompute(contract.writeRunFile, writeRunFile),
  bindLabList(runContract.listLabRuns, ({ sql }, query) => listRunPage(sql, query)),
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
    experiment_type: first.experiment_type,
    method: first.method,
    request: body.request,
    plan: body.plan,
    instrument: body.instrument ?? null,
    operator: body.operator ?? null,
    created_by: principal.userEmail,
    created_at: at,
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

/** Refuses an unknown run before a byte of the file is read. */
async function refusePreviewRunRawFile(
  { params }: Pick<Input<typeof fileContract.previewRunRawFile>, 'params'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<void> {
  await requireRun(sql, params.run_id);
}

/** `PUT /lab/runs/{run_id}/preview/{name}`. */
async function previewRunRawFile(
  { upload, params }: Input<typeof fileContract.previewRunRawFile>,
  context: FileContext,
) {
  if (upload === undefined) throw new Error('an upload without a file');
  const { path, sha256, sizeBytes } = upload;
  return previewGivenFile(context, params.run_id, { name: params.name, path, sha256, sizeBytes });
}

/** The operations of raw files and of the steps of an order through the lab, each with what carries it out. */
import {
  bindCompute,
  bindComputedUpload,
  bindOutward,
  bindRead,
  bindUpload,
  bindWrite,
  type Binding,
} from '../../binding.ts';
import * as runContract from './run-contract.ts';
import * as unpaidContract from './contract.ts';
import * as previewContract from './preview-contract.ts';
import * as mappingContract from './mapping-contract.ts';
import { receiveMaterials } from './receive-materials.ts';
import { putRawFile, refuseEarly as refusePutRawFile } from './put-raw-file.ts';
import { addRawFile } from './add-raw-file.ts';
import { previewRawFiles, loadPreviewSubject, previewGiven, type FileContext } from './preview-raw-files.ts';
import { mapRawFiles } from './map-raw-files.ts';
import { getSimulatedLab, describeSimulatedLab } from './get-simulated-lab.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { fail } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import { putUnpaidRelease, selectLatestRun, selectMappings, putSimulatedLab } from './store.ts';
import { holdExperiment } from './lab-step.ts';
import { buildFileInfo, runInfo } from './run-info.ts';
import { findExperiment, selectExperimentsInStatus } from '../../experiments/store.ts';
import { selectEarlierVersions, selectUnderstoodFiles } from './raw-file-store.ts';
import { selectSequencesOfExperiment } from '../../sequences/store.ts';
import { scheduleLab } from './schedule-lab.ts';

export const rawFilesOperations: readonly Binding[] = [
  bindWrite(runContract.receiveMaterials, receiveMaterials),
  bindWrite(unpaidContract.allowUnpaidRun, allowUnpaidRun),
  bindUpload(runContract.putRawFile, putRawFile, refusePutRawFile),
  bindOutward(runContract.addRawFile, addRawFile),
  bindRead(runContract.listRawFiles, listRawFiles),
  bindComputedUpload(previewContract.previewRawFile, previewRawFile, refusePreviewRawFile),
  bindCompute(previewContract.previewRawFiles, previewRawFiles),
  bindRead(mappingContract.getRawFileMapping, getRawFileMapping),
  bindWrite(mappingContract.mapRawFiles, mapRawFiles),
  bindRead(unpaidContract.getSimulatedLab, getSimulatedLab),
  bindWrite(unpaidContract.setSimulatedLab, setSimulatedLab),
];

const STATES: ReadonlySet<ExperimentStatus> = new Set(['waiting_for_materials', 'in_queue']);

/**
 * `POST /lab/experiments/{experiment_id}/allow-unpaid`: allows the run of an experiment before its invoice is paid. Only
 * the audit trail of the installation has the reason, because clients may not read it.
 */
async function allowUnpaidRun(input: Input<typeof unpaidContract.allowUnpaidRun>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const { reason } = input.body;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(INSTALLATION_ID);
  if (!STATES.has(experiment.status))
    throw fail('move_not_allowed', { status: experiment.status, action: 'be released before its payment' });
  const at = clock.now();
  const scope = createOrganizationScope(experiment.organization_id);
  const release = { experiment_id: experiment.id, reason, released_by: principal.userEmail };
  await putUnpaidRelease(scope, tx, { ...release, at });
  context.addAuditDetails({ reason, experiment: experiment.code });
  return {
    ...release,
    experiment_code: experiment.code,
    created_at: at.toISOString(),
  };
}

/** `GET /lab/experiments/{experiment_id}/files`: the latest run with the parsed content of its files. */
async function listRawFiles(input: Input<typeof runContract.listRawFiles>, { sql }: ReadContext) {
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
  input: Input<typeof mappingContract.getRawFileMapping>,
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
  { body }: Input<typeof unpaidContract.setSimulatedLab>,
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

/** Refuses an unknown experiment before a byte of the file is read. */
async function refusePreviewRawFile(
  { params }: Pick<Input<typeof previewContract.previewRawFile>, 'params'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<void> {
  if ((await findExperiment(labScope, sql, params.experiment_id)) === undefined)
    throw fail('experiment_not_found');
}

/** `PUT /lab/experiments/{experiment_id}/preview/{name}`. */
async function previewRawFile(input: Input<typeof previewContract.previewRawFile>, context: FileContext) {
  const { upload, params } = input;
  if (upload === undefined) throw new Error('an upload without a file');
  const subject = await loadPreviewSubject(context.sql, params.experiment_id);
  const { path, sha256, sizeBytes } = upload;
  return previewGiven(context, subject, [{ name: params.name, path, sha256, sizeBytes }]);
}

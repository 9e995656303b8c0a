/** Operations on the raw files of a stored run: one file may hold the wells of several experiments. */
import { ExperimentCode, ExperimentId, ExperimentStatusField } from '#core/fields.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { describe, strict, Type, Uuid } from '#core/schema.ts';
import { exampleVersion, GivenMapping, MappingVersion } from './raw-files/mapping-contract.ts';
import {
  AskedPreview,
  PreviewedFile,
  PreviewedSet,
  PreviewProblem,
  WHAT_A_PREVIEW_SHOWS,
} from './raw-files/preview-contract.ts';
import { FileName, NamedFile, RawFile, exampleFile } from './raw-files/run-contract.ts';
import { ShortfallReason } from './raw-files/contract.ts';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';
import { exampleRun, runParams, RunRecord } from './run-contract.ts';

const Share = Type.Object({
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  status: ExperimentStatusField,
  n_curves: Type.Integer({ description: 'its own curves or readings, without those of the lab' }),
  sequences_without_data: Type.Array(Type.String(), {
    description: 'its samples, by their names in the plan, that the files do not have',
  }),
});

const identity = {
  run_id: describe(Uuid, 'id of the stored run'),
  run_code: Type.String({ description: 'number of the run, such as RUN-000012' }),
};
const params = { run_id: 'RUN-000012' };
const runIds = { run_id: '01980000-0000-7000-8000-0000000000a7', run_code: 'RUN-000012' };
const share = {
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  status: 'in_production' as const,
  n_curves: 16,
  sequences_without_data: [],
};
const file = {
  ...exampleFile,
  name: 'P1.csv',
  understood: {
    ...exampleFile.understood,
    sets: exampleFile.understood.sets.map((set) => ({ ...set, n_traces: 96 })),
    matched_sequences: ['design-1'],
  },
};

const CUT =
  'The file may hold wells of several experiments: the plan says whose each well is, and what the lab adds serves all. Clients get their own wells alone. A well that contradicts the plan is refused: correct the file, or map the well by hand first. While the run is open a file of the same name becomes the next version.';

const Added = Type.Object({
  ...identity,
  file: describe(RawFile, 'the stored file; `matched_sequences` are samples of the plan'),
  experiments: Type.Array(Share, { description: 'what this file holds of each experiment of the run' }),
});
const addFailures = ['lab_run_not_found', 'run_not_running', 'raw_file_refused'] as const;

export const putRunRawFile = defineOperation({
  id: 'put_run_raw_file',
  method: 'PUT',
  path: '/lab/runs/{run_id}/raw-files/{name}',
  tag: 'lab-run-files',
  summary: 'Add one raw instrument file to a stored run as plain bytes',
  description: `Like \`add_run_raw_file\`, without base64: \`curl -T P1.csv …/raw-files/\`. ${CUT}`,
  effect: 'reversible',
  permission: 'lab:run',
  isTool: false,
  params: Type.Object({ ...runParams.properties, name: FileName }),
  upload: { bytesMax: UPLOAD_BYTES_MAX, description: 'the file, whatever its media type' },
  success: 201,
  output: Added,
  failures: addFailures,
  example: {
    params: { ...params, name: file.name },
    output: { ...runIds, file, experiments: [share] },
  },
});

export const addRunRawFile = defineOperation({
  id: 'add_run_raw_file',
  method: 'POST',
  path: '/lab/runs/{run_id}/raw-files',
  tag: 'lab-run-files',
  summary: 'Add one raw instrument file to a stored run; it is read at once, and rejected if that fails',
  description: `For agents and small files; \`PUT …/raw-files/{name}\` takes the bytes as they are. ${CUT}`,
  effect: 'reversible',
  permission: 'lab:run',
  params: runParams,
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: NamedFile,
  success: 201,
  output: Added,
  failures: addFailures,
  example: {
    params,
    body: { name: file.name, content_base64: 'IyBhc3NheWVyLXRyYWNlczogMQo=' },
    output: { ...runIds, file, experiments: [share] },
  },
});

export const listRunRawFiles = defineOperation({
  id: 'list_run_raw_files',
  method: 'GET',
  path: '/lab/runs/{run_id}/raw-files',
  tag: 'lab-run-files',
  summary: 'Read the raw files of a stored run, and what was read from them',
  effect: 'read',
  permission: 'lab:read',
  params: runParams,
  output: Type.Object({
    ...identity,
    files: Type.Array(RawFile, { description: 'files of the run, by name' }),
    samples_without_data: Type.Array(Type.String(), {
      description: 'samples of the plan that no file names; files without names are read by the plan',
    }),
    experiments_taking_files: Type.Array(ExperimentCode, {
      description:
        'codes of the experiments for which the run takes files now: those in production, and those whose analysis was stopped',
    }),
  }),
  failures: ['lab_run_not_found'],
  example: {
    params,
    output: {
      ...runIds,
      files: [file],
      samples_without_data: ['design-2'],
      experiments_taking_files: ['DEMO-001-001'],
    },
  },
});

const previewOutput = Type.Object({
  ...identity,
  is_kept: Type.Boolean({ description: 'true for the files of the run, false for files given here' }),
  files: Type.Array(PreviewedFile, { description: 'the files in the order given' }),
  sets: Type.Array(PreviewedSet, {
    description: 'plates or measurements in the files; names of samples are those of the plan',
  }),
  experiments: Type.Array(Share, { description: 'what the files hold of each experiment of the run' }),
  problems: Type.Array(PreviewProblem, {
    description: 'what a person should see; those about the plan first',
  }),
  is_analyzable: Type.Boolean({ description: 'whether no problem is an error' }),
});
const previewed = {
  ...runIds,
  is_kept: false,
  files: [
    {
      name: file.name,
      sha256: file.sha256,
      size_bytes: file.size_bytes,
      formats: ['Our own traces'],
      version: 1,
      problem: null,
    },
  ],
  sets: [],
  experiments: [share],
  problems: [],
  is_analyzable: true,
};

export const previewRunRawFile = defineOperation({
  id: 'preview_run_raw_file',
  method: 'PUT',
  path: '/lab/runs/{run_id}/preview/{name}',
  tag: 'lab-run-files',
  summary: 'See what one raw file of a stored run holds, and how it fits the plan, before it is added',
  description: `${WHAT_A_PREVIEW_SHOWS} The mapping of the run is applied.`,
  effect: 'read',
  permission: 'lab:run',
  isTool: false,
  params: Type.Object({ ...runParams.properties, name: FileName }),
  upload: { bytesMax: UPLOAD_BYTES_MAX, description: 'the file, whatever its media type' },
  output: previewOutput,
  failures: ['lab_run_not_found'],
  example: { params: { ...params, name: file.name }, output: previewed },
});

export const previewRunRawFiles = defineOperation({
  id: 'preview_run_raw_files',
  method: 'POST',
  path: '/lab/runs/{run_id}/preview',
  tag: 'lab-run-files',
  summary: 'See what raw files of a stored run hold, and how they fit its plan',
  description: `${WHAT_A_PREVIEW_SHOWS} Without \`files\` it shows the files of the run; with \`entries\` it shows what a mapping would change.`,
  effect: 'read',
  permission: 'lab:run',
  params: runParams,
  bodyMode: 'optional',
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['entries'],
  body: AskedPreview,
  output: previewOutput,
  failures: ['lab_run_not_found', 'run_without_files'],
  example: {
    params,
    body: { files: [{ name: file.name, content_base64: 'IyBhc3NheWVyLXRyYWNlczogMQo=' }] },
    output: previewed,
  },
});

export const mapRunRawFiles = defineOperation({
  id: 'map_run_raw_files',
  method: 'POST',
  path: '/lab/runs/{run_id}/mapping',
  tag: 'lab-run-files',
  summary: 'Say by hand which sample or role of the plan wells of the raw files of a stored run have',
  description:
    'A `sequence` is the name of a sample or control in the plan. A well that the plan gives to an experiment stays with it, unless the entry names a sample of another one. It replaces the mapping before as a new version; the next analysis of each experiment uses it.',
  effect: 'reversible',
  permission: 'lab:run',
  params: runParams,
  bodyMode: 'required',
  bodyBytesMax: 2 * 1024 * 1024,
  bulk: ['entries'],
  body: GivenMapping,
  success: 201,
  output: Type.Object({ ...identity, mapping: describe(MappingVersion, 'the new version') }),
  failures: ['lab_run_not_found', 'run_not_running'],
  example: {
    params,
    body: { entries: [{ well: 'A1', role: 'sample', sequence: 'design-1' }] },
    output: { ...runIds, mapping: exampleVersion },
  },
});

export const getRunRawFileMapping = defineOperation({
  id: 'get_run_raw_file_mapping',
  method: 'GET',
  path: '/lab/runs/{run_id}/mapping',
  tag: 'lab-run-files',
  summary: 'Read what staff said by hand of the raw files of a stored run, in every version',
  effect: 'read',
  permission: 'lab:read',
  params: runParams,
  output: Type.Object({
    ...identity,
    versions: Type.Array(MappingVersion, { description: 'newest first; the first counts' }),
  }),
  failures: ['lab_run_not_found'],
  example: { params, output: { ...runIds, versions: [exampleVersion] } },
});

export const completeLabRun = defineOperation({
  id: 'complete_lab_run',
  method: 'POST',
  path: '/lab/runs/{run_id}/complete',
  tag: 'lab-run-files',
  summary:
    'Close a stored run: its files are cut by the plan, and every experiment is analyzed on its own wells',
  description:
    'Every experiment of the run that is in production moves to `data_analysis`, or none does. Each must have data in the files.',
  effect: 'reversible',
  permission: 'lab:run',
  params: runParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      settings: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description: 'settings of the analysis of every experiment, as `complete_raw_data` takes them',
        }),
      ),
      reason: ShortfallReason,
    },
    strict,
  ),
  output: RunRecord,
  failures: [
    'lab_run_not_found',
    'run_not_running',
    'run_without_files',
    'run_files_refused',
    'raw_data_not_analyzable',
    'less_than_ordered',
  ],
  example: {
    params,
    body: {},
    output: { ...exampleRun, status: 'complete', started_at: exampleRun.created_at },
  },
});

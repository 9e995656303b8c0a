/** Operations with which staff take an experiment through the lab, step by step. */
import { FILE_NAME, ONE_LINE } from '#core/one-line.ts';
import { ExperimentParams, ExperimentCode, ExperimentId, ExperimentStatusField } from '#core/fields.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { AskedSettings, ShortfallReason } from './contract.ts';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';

const Moved = {
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  previous_status: OneOf(experimentStatuses, { description: 'status of the experiment before this request' }),
  status: OneOf(experimentStatuses, { description: 'status of the experiment after this request' }),
};

export const FileName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: FILE_NAME,
  description: 'name of the file, without folders; some formats are recognized by it',
});

/** A file in the body of a request. */
export const NamedFile = Type.Object(
  {
    name: FileName,
    content_base64: Type.String({ description: 'the bytes of the file, RFC 4648 with padding' }),
  },
  strict,
);

const Run = Type.Object({
  id: describe(Uuid, 'never changes; a repeated run has another'),
  ordinal: Type.Integer({ description: '1 for the first run of the experiment' }),
  instrument: Type.String({ description: 'instrument of the run, such as Octet R8' }),
  status: OneOf(['running', 'complete', 'analyzed'], {
    description: 'state of the run: raw data still arrive, are complete, or have results',
  }),
  by_hand: Type.Boolean({ description: 'false: started by the simulated lab of a sandbox' }),
  override_reason: Nullable(Type.String(), {
    description: 'why it started before the invoice was paid; null when it did not',
  }),
  problem: Nullable(Type.String(), {
    description: 'why the analysis of its files stopped; null when it did not',
  }),
  started_at: describe(Timestamp, 'UTC time of the start'),
  completed_at: Nullable(Timestamp, {
    description: 'UTC time when its raw data were complete; null before that',
  }),
});

export const RawFile = Type.Object({
  id: describe(Uuid, 'id of the file; stays when a file of the same name becomes its next version'),
  version: Type.Integer({
    description: '1 for the first bytes of this name; the same bytes again are no new version',
  }),
  name: Type.String({ description: 'without folders; unique in the run' }),
  sha256: Type.String({ description: 'digest of its bytes, 64 hexadecimal digits' }),
  size_bytes: Type.Integer({ description: 'length of the file' }),
  created_at: describe(Timestamp, 'UTC time when this version was added'),
  uploaded_by: Nullable(Type.String(), {
    description: 'e-mail address of the person; null for a file of the simulated lab',
  }),
  earlier_versions: Type.Array(
    Type.Object({
      version: Type.Integer({ description: 'number of the version' }),
      sha256: Type.String({ description: 'digest of its bytes, which are kept' }),
      size_bytes: Type.Integer({ description: 'length of the file' }),
      created_at: describe(Timestamp, 'UTC time when it was added'),
      uploaded_by: Nullable(Type.String(), {
        description: 'e-mail address of the person; null where it is not recorded',
      }),
    }),
    { description: 'versions that this one replaced, newest first; they are not analyzed' },
  ),
  understood: Nullable(
    Type.Object({
      sets: Type.Array(
        Type.Object({
          format: Type.String({ description: 'the instrument format that was recognized' }),
          instrument: Nullable(Type.String(), {
            description: 'as the file names it; null where it does not',
          }),
          plate: Nullable(Type.String(), { description: 'as the file names it; null where it does not' }),
          n_traces: Type.Integer({ description: 'curves of sensors or wells, or single readings' }),
          notices: Type.Array(Type.String(), {
            description: 'notes, in sentences, that a person should check',
          }),
        }),
        { description: 'plates or measurements within the file' },
      ),
      matched_sequences: Type.Array(Type.String(), {
        description: 'sample names that match sequences of the experiment',
      }),
      unmatched_samples: Type.Array(Type.String(), { description: 'sample names that match no sequence' }),
      n_unnamed_wells: Type.Integer({
        description: 'sample wells without a name; a plate map has to name them',
      }),
    }),
    { description: 'what was read from it; null for a file of the simulated lab' },
  ),
});

const completionFailures = [
  'experiment_not_found',
  'move_not_allowed',
  'raw_data_not_analyzable',
  'less_than_ordered',
] as const;

const Brought = {
  run: describe(Run, 'the run that the file belongs to'),
  file: describe(RawFile, 'the stored file'),
};

const id = '01980000-0000-7000-8000-0000000000e1';
const exampleIds = { experiment_id: id, experiment_code: 'DEMO-001-001' };
const run = {
  id: '01980000-0000-7000-8000-0000000000a1',
  ordinal: 1,
  instrument: 'Octet R8',
  status: 'running' as const,
  by_hand: true,
  override_reason: null,
  problem: null,
  started_at: '2026-01-22T10:00:00.000Z',
  completed_at: null,
};
export const exampleFile = {
  id: '01980000-0000-7000-8000-0000000000a2',
  name: 'plate-1.csv',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size_bytes: 48_211,
  created_at: '2026-01-22T15:00:00.000Z',
  version: 1,
  uploaded_by: 'operator@example.org',
  earlier_versions: [],
  understood: {
    sets: [{ format: 'assayer-traces', instrument: 'Octet R8', plate: 'P1', n_traces: 16, notices: [] }],
    matched_sequences: ['design-1', 'design-2'],
    unmatched_samples: [],
    n_unnamed_wells: 0,
  },
};
const example = { params: { experiment_id: 'DEMO-001-001' } };

export const receiveMaterials = defineOperation({
  id: 'receive_materials',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/materials',
  tag: 'lab-runs',
  summary: 'Record that all materials of an experiment are in the lab',
  effect: 'irrevocable',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Type.Object(Moved),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    ...example,
    body: {},
    output: { ...exampleIds, previous_status: 'waiting_for_materials', status: 'in_queue' },
  },
});

export const startRun = defineOperation({
  id: 'start_run',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/runs',
  tag: 'lab-runs',
  summary: 'Start the run of a paid experiment, or repeat the run of one in review',
  description:
    'A run before the payment needs an `override_reason` and the permission `lab:review`. In a sandbox the simulated lab takes no further step with an experiment whose run was started here.',
  effect: 'irrevocable',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      instrument: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: ONE_LINE,
        description: 'instrument of the run, such as Octet R8',
      }),
      override_reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'reason for a start before the invoice is paid',
        }),
      ),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({ ...Moved, run: describe(Run, 'the run that was started') }),
  failures: ['experiment_not_found', 'move_not_allowed', 'run_not_paid'],
  example: {
    ...example,
    body: { instrument: run.instrument },
    output: { ...exampleIds, previous_status: 'in_queue', status: 'in_production', run },
  },
});

const TOGETHER =
  'Files that belong together (a Gator folder) come as one zip archive. While the run is open (until its raw data are complete, and again when its analysis was stopped) a file of the same name becomes the next version, and earlier ones stay listed.';

const fileFailures = [
  'experiment_not_found',
  'move_not_allowed',
  'run_not_by_hand',
  'raw_file_refused',
] as const;

export const putRawFile = defineOperation({
  id: 'put_raw_file',
  method: 'PUT',
  path: '/lab/experiments/{experiment_id}/files/{name}',
  tag: 'lab-runs',
  summary: 'Add one raw instrument file to the current run as plain bytes',
  description: `Like \`add_raw_file\`, without base64: \`curl -T plate-1.csv …/files/\`. The bytes are written to disk as they arrive; then the file is read, and rejected if that fails. ${TOGETHER}`,
  effect: 'reversible',
  permission: 'lab:run',
  isTool: false,
  params: Type.Object({ ...ExperimentParams.properties, name: FileName }),
  upload: { bytesMax: UPLOAD_BYTES_MAX, description: 'the file, whatever its media type' },
  success: 201,
  output: Type.Object(Brought),
  failures: fileFailures,
  example: {
    params: { experiment_id: 'DEMO-001-001', name: exampleFile.name },
    output: { run, file: exampleFile },
  },
});

export const addRawFile = defineOperation({
  id: 'add_raw_file',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/files',
  tag: 'lab-runs',
  summary: 'Add one raw instrument file to the current run; it is read at once, and rejected if that fails',
  description:
    'For agents and small files: the request is at most as large as the service takes (`MAX_BODY_BYTES`, 16 MiB unless set otherwise), which leaves 12 MiB for a file. `PUT …/files/{name}` takes the bytes as they are. ' +
    TOGETHER,
  effect: 'reversible',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: NamedFile,
  success: 201,
  output: Type.Object(Brought),
  failures: fileFailures,
  example: {
    ...example,
    body: { name: exampleFile.name, content_base64: 'IyBhc3NheWVyLXRyYWNlczogMQo=' },
    output: { run, file: exampleFile },
  },
});

export const listRawFiles = defineOperation({
  id: 'list_raw_files',
  method: 'GET',
  path: '/lab/experiments/{experiment_id}/files',
  tag: 'lab-runs',
  summary: 'Read the latest run of an experiment, and what its raw files contain',
  description:
    '`understood` is null for files of the simulated lab, and `sequences_without_data` is empty then.',
  effect: 'read',
  permission: 'lab:read',
  params: ExperimentParams,
  output: Type.Object({
    experiment_id: ExperimentId,
    experiment_code: ExperimentCode,
    status: ExperimentStatusField,
    run: Nullable(Run, { description: 'the latest one; null before the first' }),
    files: Type.Array(RawFile, { description: 'files of that run, by name' }),
    sequences_without_data: Type.Array(Type.String(), {
      description: 'names of sequences that no file of the run contains',
    }),
  }),
  failures: ['experiment_not_found'],
  example: {
    ...example,
    output: {
      ...exampleIds,
      status: 'in_production',
      run,
      files: [exampleFile],
      sequences_without_data: ['design-3'],
    },
  },
});

export const completeRawData = defineOperation({
  id: 'complete_raw_data',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/complete',
  tag: 'lab-runs',
  summary: 'Close the current run: its raw data are complete and are analyzed',
  description:
    'The worker analyzes them and moves the experiment to review. When the files or the settings do not allow an analysis, the run keeps the `problem`: bring the right files and send the experiment back to analysis.',
  effect: 'reversible',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'optional',
  body: Type.Object({ settings: AskedSettings, reason: ShortfallReason }, strict),
  output: Type.Object(Moved),
  failures: [...completionFailures, 'run_not_by_hand', 'run_without_files'],
  example: {
    ...example,
    body: { reason: 'The client agreed to fewer replicates.' },
    output: { ...exampleIds, previous_status: 'in_production', status: 'data_analysis' },
  },
});

export const releaseResults = defineOperation({
  id: 'release_results',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/release',
  tag: 'lab-review',
  summary: 'Release results of an experiment in review to the client: all, or those of some sequences',
  description:
    'What is not released stays in review, and for the client it does not exist. The release of the last ones ends the review. Where the lab demands a second person (`RELEASE_NEEDS_SECOND_PERSON`), it cannot come from the person who decided or analyzed last.',
  effect: 'irrevocable',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      sequences: Type.Optional(
        Type.Array(Type.String({ description: 'name of a sequence of the experiment' }), {
          minItems: 1,
          maxItems: 5_000,
          description: 'sequences whose results are released; omit it to release all',
        }),
      ),
      reason: ShortfallReason,
    },
    strict,
  ),
  output: Type.Object({
    ...Moved,
    waiting: Type.Integer({ description: 'number of sequences whose results are not released yet' }),
  }),
  failures: [
    'experiment_not_found',
    'move_not_allowed',
    'sequence_not_found',
    'nothing_to_release',
    'less_than_ordered',
    'controls_not_released',
    'analysis_pending',
    'second_person_needed',
  ],
  example: {
    ...example,
    body: { sequences: ['design-1'], reason: 'The client agreed to fewer replicates.' },
    output: { ...exampleIds, previous_status: 'in_review', status: 'in_review', waiting: 2 },
  },
});

export const sendExperimentBack = defineOperation({
  id: 'send_back_exp',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/send-back',
  tag: 'lab-runs',
  summary: 'Send an experiment back to analysis, from review or after an analysis that was stopped',
  effect: 'reversible',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: Type.String({ minLength: 1, maxLength: 500, description: 'clients read it in the feed' }),
      settings: AskedSettings,
    },
    strict,
  ),
  output: Type.Object(Moved),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    ...example,
    body: { reason: 'The association is 300 s long.', settings: { association_s: 300 } },
    output: { ...exampleIds, previous_status: 'in_review', status: 'data_analysis' },
  },
});

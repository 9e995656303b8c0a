/** Operations by which staff store, list, read, edit, start and cancel planned runs, and write their files. */
import { ONE_LINE } from '#core/one-line.ts';
import {
  ExperimentCode,
  ExperimentId,
  OrganizationName,
  Id,
  ExperimentStatusField,
  CurrentInvoiceStatus,
} from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, type Static } from '#core/schema.ts';
import { experimentTypes } from '../experiments/types.ts';
import { layoutNames } from './layouts.ts';
import {
  Edit,
  examplePlan,
  exampleRequest,
  FileFields,
  fileKinds,
  judgmentFields,
  Plan,
  RunRequest,
  WrittenFile,
} from './plan-schemas.ts';
import { runFields, runStatuses } from './run-list-fields.ts';

const EDITS_MAX = 200;

export const runParams = Type.Object({
  run_id: Type.String({ minLength: 1, maxLength: 100, description: 'run id or code, such as RUN-000012' }),
});
const Instrument = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
  description: 'instrument of the run, such as Octet R8',
});
const Operator = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
  description: 'the person at the instrument',
});

const itemFields = {
  id: Id,
  code: Type.String({ description: 'code of the run, such as RUN-000012' }),
  status: OneOf(runStatuses, {
    description: 'complete once the raw data of all its experiments are complete',
  }),
  experiment_type: OneOf(experimentTypes, { description: 'assay of all its experiments' }),
  method: Nullable(OneOf(['bli', 'spr']), {
    description: 'method of a binding assay; null for other assays',
  }),
  layout: OneOf(layoutNames, { description: 'arrangement of the wells on its plates' }),
  size: Type.Integer({ description: 'wells of each plate: 96 or 384' }),
  n_plates: Type.Integer({ description: 'number of plates' }),
  n_experiments: Type.Integer({ description: 'number of experiments' }),
  instrument: Nullable(Instrument, { description: 'instrument of the run; null until somebody names it' }),
  operator: Nullable(Operator, {
    description: 'the person at the instrument; null until somebody names one',
  }),
  created_by: Type.String({ description: 'e-mail address of the person who stored the run' }),
  created_at: describe(Timestamp, 'UTC time when the run was stored'),
  updated_at: describe(Timestamp, 'UTC time of the last change'),
  started_at: Nullable(Timestamp, { description: 'UTC time of the start; null before it' }),
  canceled_at: Nullable(Timestamp, { description: 'UTC time of the cancellation; null if not canceled' }),
};
const RunItemRecord = Type.Object(itemFields);
export type RunItem = Static<typeof RunItemRecord>;

export const RunRecord = Type.Object({
  ...itemFields,
  started_by: Nullable(Type.String(), {
    description: 'e-mail address of the person who started the run; null before that',
  }),
  cancel_reason: Nullable(Type.String(), { description: 'why it was canceled; null if not canceled' }),
  experiments: Type.Array(
    Type.Object({
      experiment_id: ExperimentId,
      experiment_code: ExperimentCode,
      organization_name: OrganizationName,
      status: ExperimentStatusField,
      n_missing_materials: Type.Integer({
        description: 'number of materials that are missing or not usable today',
      }),
      invoice_status: CurrentInvoiceStatus,
      unpaid_reason: Nullable(Type.String(), {
        description: 'why it may start before the payment; null unless staff allowed it',
      }),
    }),
    { description: 'experiments of the run, in the order of its request' },
  ),
  start_problems: Type.Array(Type.String(), {
    description: 'sentences that say what keeps a planned run from starting; empty when nothing does',
  }),
  request: describe(RunRequest, 'the request that the plan answers'),
  plan: describe(Plan, 'the stored plan, with its seed'),
  files: Type.Array(OneOf(fileKinds), {
    description: 'kinds of file that `write_lab_run_file` can write for this plan',
  }),
  ...judgmentFields,
});

const id = '01980000-0000-7000-8000-0000000000a7';
const listed = {
  id,
  code: 'RUN-000012',
  status: 'planned' as const,
  experiment_type: 'affinity' as const,
  method: 'bli' as const,
  layout: 'sensor_columns' as const,
  size: 96,
  n_plates: 1,
  n_experiments: 1,
  instrument: 'Octet R8',
  operator: 'Ada Example',
  created_by: 'operator@lab.example',
  created_at: '2026-03-02T09:00:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
  started_at: null,
  canceled_at: null,
};
export const exampleRun = {
  ...listed,
  started_by: null,
  cancel_reason: null,
  experiments: [
    {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      organization_name: 'Demo',
      status: 'in_queue' as const,
      n_missing_materials: 0,
      invoice_status: 'paid' as const,
      unpaid_reason: null,
    },
  ],
  start_problems: [],
  request: exampleRequest,
  plan: examplePlan,
  files: ['plate_list' as const],
  problems: [],
  n_problems: 0,
  is_startable: true,
};
const params = { run_id: 'RUN-000012' };

export const listLabRuns = defineOperation({
  id: 'list_lab_runs',
  method: 'GET',
  path: '/lab/runs',
  tag: 'lab-stored-runs',
  summary: 'List the planned and started runs of the lab',
  effect: 'read',
  permission: 'lab:read',
  list: runFields,
  query: ListQuery({}),
  output: PageOf(RunItemRecord),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,planned)' },
    output: { items: [listed], count: 1, offset: 0, total: 1 },
  },
});

export const createLabRun = defineOperation({
  id: 'create_lab_run',
  method: 'POST',
  path: '/lab/runs',
  tag: 'lab-stored-runs',
  summary: 'Store a plan as a run of one or several experiments',
  description:
    'Send `request` and `plan` as `plan_run` or the last edit returned them; the service stores the plan unchanged. It stores a plan that cannot start yet with its problems, and refuses one that contradicts its request.',
  effect: 'reversible',
  permission: 'lab:run',
  bodyMode: 'required',
  bodyBytesMax: LARGE_BODY_BYTES,
  body: Type.Object(
    {
      request: describe(RunRequest, 'as `plan_run` returned it'),
      plan: describe(Plan, 'as `plan_run` or the last edit returned it'),
      instrument: Type.Optional(
        Nullable(Instrument, { description: 'can also be named when the run starts' }),
      ),
      operator: Type.Optional(Nullable(Operator, { description: 'can also be named when the run starts' })),
    },
    strict,
  ),
  success: 201,
  output: RunRecord,
  failures: ['experiment_not_found', 'run_plan_refused'],
  example: { body: { request: exampleRequest, plan: examplePlan }, output: exampleRun },
});

export const getLabRun = defineOperation({
  id: 'get_lab_run',
  method: 'GET',
  path: '/lab/runs/{run_id}',
  tag: 'lab-stored-runs',
  summary: 'Read a run with its plan, its experiments and what keeps it from starting',
  effect: 'read',
  permission: 'lab:read',
  params: runParams,
  output: RunRecord,
  failures: ['lab_run_not_found'],
  example: { params, output: exampleRun },
});

export const editLabRun = defineOperation({
  id: 'edit_lab_run',
  method: 'PATCH',
  path: '/lab/runs/{run_id}',
  tag: 'lab-stored-runs',
  summary: 'Edit the wells, the instrument or the operator of a planned run',
  description:
    'The service applies the edits one after another, all or none. Omitted fields stay as they are.',
  effect: 'reversible',
  permission: 'lab:run',
  params: runParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      edits: Type.Optional(
        Type.Array(Edit, { maxItems: EDITS_MAX, description: 'changes of wells, applied in this order' }),
      ),
      instrument: Type.Optional(Nullable(Instrument, { description: 'null: not decided yet' })),
      operator: Type.Optional(Nullable(Operator, { description: 'null: not decided yet' })),
    },
    strict,
  ),
  output: RunRecord,
  failures: ['lab_run_not_found', 'run_not_planned', 'run_plan_refused'],
  example: { params, body: { operator: listed.operator }, output: exampleRun },
});

export const startLabRun = defineOperation({
  id: 'start_lab_run',
  method: 'POST',
  path: '/lab/runs/{run_id}/start',
  tag: 'lab-stored-runs',
  summary: 'Start a planned run: all its experiments move to in_production',
  description:
    'Each experiment must be in the queue, have its materials, and be paid or allowed by `allow_unpaid_run`, and the plan must have no error. Otherwise nothing starts, and the failure names every reason.',
  effect: 'irrevocable',
  permission: 'lab:run',
  params: runParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      instrument: Type.Optional(describe(Instrument, 'if absent, the value that the run already has')),
      operator: Type.Optional(describe(Operator, 'if absent, the value that the run already has')),
    },
    strict,
  ),
  output: RunRecord,
  failures: ['lab_run_not_found', 'run_not_planned', 'run_not_startable'],
  example: {
    params,
    body: { operator: listed.operator },
    output: {
      ...exampleRun,
      status: 'running',
      started_at: listed.created_at,
      started_by: listed.created_by,
    },
  },
});

export const cancelLabRun = defineOperation({
  id: 'cancel_lab_run',
  method: 'POST',
  path: '/lab/runs/{run_id}/cancel',
  tag: 'lab-stored-runs',
  summary: 'Cancel a planned run; its experiments stay in the queue',
  effect: 'irrevocable',
  permission: 'lab:run',
  params: runParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '\\S',
        description: 'why; clients never see it',
      }),
    },
    strict,
  ),
  output: RunRecord,
  failures: ['lab_run_not_found', 'run_not_planned'],
  example: {
    params,
    body: { reason: 'The instrument is broken.' },
    output: { ...exampleRun, status: 'canceled', cancel_reason: 'The instrument is broken.' },
  },
});

export const writeLabRunFile = defineOperation({
  id: 'write_lab_run_file',
  method: 'POST',
  path: '/lab/runs/{run_id}/files',
  tag: 'lab-stored-runs',
  summary: 'Write a plate map, a list or a worklist of one plate of a stored run',
  description:
    'Worklists need `sources` and `volume_ul`; some also need a field for their robot (`liquid_class`, `plate_types`, `deck`).',
  effect: 'read',
  permission: 'lab:run',
  params: runParams,
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: FileFields,
  output: WrittenFile,
  failures: ['lab_run_not_found', 'run_file_refused'],
  example: {
    params,
    body: { plate: 'P1', kind: 'plate_list' },
    output: {
      file_name: 'P1-plate_list.csv',
      media_type: 'text/csv; charset=utf-8',
      content: 'plate,well,role,sample,replicate,concentration_m\r\nP1,A1,sample,design-1,1,\r\n',
    },
  },
});

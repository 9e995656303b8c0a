/** Operations with which staff plan a run, edit its plan and write its files. Nothing is stored. */
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Type } from '#core/schema.ts';
import {
  AskedRun,
  Edit,
  examplePlan,
  exampleRequest,
  exampleWell,
  FileFields,
  fileKinds,
  judgmentFields,
  Plan,
  RunRequest,
  WrittenFile,
} from './plan-schemas.ts';

const tooFew = {
  code: 'control_too_few',
  severity: 'error' as const,
  message: 'Plate P1 has 0 wells of blank, and its layout needs 1: put one into an empty well.',
  plate: 'P1',
  well: null,
};

export const planRun = defineOperation({
  id: 'plan_run',
  method: 'POST',
  path: '/lab/run-plans',
  tag: 'lab-plans',
  summary: 'Plan the plates of a run of one or several experiments',
  description:
    'Sequences, replicates, concentrations, assay and method are those of the experiments. Nothing is stored: keep `request` and `plan` to edit the plan and to write its files. `plan` is null when the run does not fit; `problems` then says why.',
  effect: 'read',
  permission: 'lab:run',
  bodyMode: 'required',
  body: AskedRun,
  output: Type.Object({
    request: describe(RunRequest, 'what was asked, with the seed and the layout'),
    plan: Nullable(Plan, { description: 'the plan; null when the run does not fit' }),
    files: Type.Array(OneOf(fileKinds), { description: 'files that this plan has' }),
    ...judgmentFields,
  }),
  failures: ['experiment_not_found'],
  example: {
    body: exampleRequest,
    output: {
      request: { ...exampleRequest, layout: 'capillaries' },
      plan: examplePlan,
      files: ['plate_list', 'plate_blocks'],
      problems: [],
      n_problems: 0,
      is_startable: true,
    },
  },
});

export const editRunPlan = defineOperation({
  id: 'edit_run_plan',
  method: 'POST',
  path: '/lab/run-plans/edit',
  tag: 'lab-plans',
  summary: 'Edit a plan of a run, and name every problem that it then has',
  description:
    'The plan is checked against its request and the experiments as they are now. An edit that cannot be made leaves the plan as it is; `problems` begins with the reason. Nothing is stored.',
  effect: 'read',
  permission: 'lab:run',
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: Type.Object(
    {
      request: describe(RunRequest, 'as `plan_run` returned it'),
      plan: describe(Plan, 'as `plan_run` or the last edit returned it'),
      edit: Edit,
    },
    strict,
  ),
  output: Type.Object({
    is_edited: Type.Boolean({ description: 'false when the edit could not be made' }),
    plan: describe(Plan, 'the edited plan, or the plan that was sent'),
    ...judgmentFields,
  }),
  failures: ['experiment_not_found'],
  example: {
    body: {
      request: exampleRequest,
      plan: examplePlan,
      edit: { kind: 'move', from: { plate: 'P1', well: 'A1' }, to: { plate: 'P1', well: 'A2' } },
    },
    output: {
      is_edited: true,
      plan: { ...examplePlan, plates: [{ name: 'P1', wells: [{ ...exampleWell, well: 'A2' }] }] },
      problems: [tooFew],
      n_problems: 1,
      is_startable: false,
    },
  },
});

export const writeRunFile = defineOperation({
  id: 'write_run_file',
  method: 'POST',
  path: '/lab/run-plans/files',
  tag: 'lab-plans',
  summary: 'Write a plate map, a list or a worklist of one plate of a plan',
  description:
    'Worklists need `sources` and `volume_ul`, and some what their robot asks for. A plan with a well off its plate or a well used twice is refused. Nothing is stored.',
  effect: 'read',
  permission: 'lab:run',
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  body: Type.Object(
    { plan: describe(Plan, 'as `plan_run` or the last edit returned it'), ...FileFields.properties },
    strict,
  ),
  output: WrittenFile,
  failures: ['run_file_refused'],
  example: {
    body: { plan: examplePlan, plate: 'P1', kind: 'plate_list' },
    output: {
      file_name: 'P1-plate_list.csv',
      media_type: 'text/csv; charset=utf-8',
      content: 'plate,well,role,sample,replicate,concentration_m\r\nP1,A1,sample,design-1,1,\r\n',
    },
  },
});

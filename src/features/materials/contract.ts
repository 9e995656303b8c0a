/** Operations with which staff record the materials of an experiment, one by one. */
import { ONE_LINE } from '#core/one-line.ts';
import {
  ExperimentParams,
  ExperimentCode,
  ExperimentId,
  OrganizationId,
  OrganizationName,
  ExperimentName,
  ExperimentStatusField,
  StatusSince,
  WaitingActor,
  CurrentInvoiceStatus,
} from '#core/fields.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { materialStates, neededFields } from './list-fields.ts';
import { materialForms, materialStatuses } from './rules.ts';

const MATERIALS_MAX = 2_000;
const Day = Type.String({ format: 'date', pattern: '^20[0-9]{2}-', description: 'such as 2027-03-31' });
const Amount = Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description: 'mass in µg' });
const Concentration = Type.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'in mg/mL' });
const Lot = Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE, description: 'lot number' });

const Material = Type.Object({
  kind: OneOf(['sequence', 'antigen'], { description: 'what it is for' }),
  sequence_id: Nullable(Uuid, { description: 'the sequence; null for the antigen' }),
  name: Type.String({ description: 'name of the sequence or of the target' }),
  form: OneOf(materialForms, {
    description: 'a sequence is made from a gene fragment, or arrives as protein',
  }),
  status: OneOf(materialStatuses, { description: 'in_stock is taken from the stock of the target' }),
  is_usable: Type.Boolean({ description: 'whether a run can use it today: it is there and has not expired' }),
  lot: Nullable(Lot, { description: 'lot of what was received or is in stock; null where unknown' }),
  amount_ug: Nullable(Amount, { description: 'mass in µg; null where unknown' }),
  concentration_mg_per_ml: Nullable(Concentration, { description: 'in mg/mL; null where unknown' }),
  expires_on: Nullable(Day, { description: 'last day of use; null where it has none' }),
  recorded_by: Nullable(Type.String(), { description: 'who said so last; null while it is missing' }),
  updated_at: Nullable(Timestamp, { description: 'UTC time of the last change; null while it is missing' }),
});

const materialsFields = {
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  status: ExperimentStatusField,
  materials: Type.Array(Material, { description: 'sequences in the order of the client, then the antigen' }),
  n_missing: Type.Integer({ description: 'number of materials that are missing or not usable today' }),
  stock: Nullable(
    Type.Object({
      lot: Nullable(Type.String(), { description: 'lot in use; null without one' }),
      stock_ug: Nullable(Type.Number(), { description: 'mass in µg; null where nobody counted it' }),
    }),
    { description: 'what the catalog has of the target; null without one' },
  ),
};

const entryFields = {
  status: OneOf(materialStatuses, { description: 'received and in_stock count as there' }),
  form: Type.Optional(
    OneOf(materialForms, { description: 'for a sequence; gene_fragment where nothing was said before' }),
  ),
  lot: Type.Optional(
    Nullable(Lot, { description: 'null clears it; of an antigen in stock that of the target' }),
  ),
  amount_ug: Type.Optional(Nullable(Amount, { description: 'mass in µg; null clears it' })),
  concentration_mg_per_ml: Type.Optional(
    Nullable(Concentration, { description: 'in mg/mL; null clears it' }),
  ),
  expires_on: Type.Optional(Nullable(Day, { description: 'last day of use; null clears it' })),
};

export const MaterialEntry = Type.Object(
  {
    sequence_id: Nullable(Uuid, { description: 'the sequence; null for the antigen' }),
    ...entryFields,
  },
  strict,
);
export type MaterialEntry = Static<typeof MaterialEntry>;

const shown = {
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  status: 'waiting_for_materials' as const,
  materials: [
    {
      kind: 'sequence' as const,
      sequence_id: '01980000-0000-7000-8000-0000000000d1',
      name: 'design-1',
      form: 'gene_fragment' as const,
      status: 'ordered' as const,
      is_usable: false,
      lot: null,
      amount_ug: null,
      concentration_mg_per_ml: null,
      expires_on: null,
      recorded_by: 'operator@lab.example',
      updated_at: '2026-03-02T09:30:00.000Z',
    },
  ],
  n_missing: 1,
  stock: null,
};
const entry = { sequence_id: shown.materials[0]?.sequence_id ?? null, status: 'ordered' as const };

const Needed = Type.Object({
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  experiment_name: ExperimentName,
  organization_id: OrganizationId,
  organization_name: OrganizationName,
  status: OneOf(materialStates, { description: 'status of the experiment' }),
  status_since: StatusSince,
  waiting_actor: WaitingActor,
  invoice_status: CurrentInvoiceStatus,
  target_name: Nullable(Type.String(), { description: 'name of the antigen; null without one' }),
  n_materials: Type.Integer({ description: 'materials that the experiment needs' }),
  n_missing: Type.Integer({ description: 'number of materials that are missing or not usable today' }),
  n_ordered: Type.Integer({ description: 'those of them that are ordered' }),
  n_expired: Type.Integer({ description: 'those of them that are there and have expired' }),
});

const exampleNeed = {
  experiment_id: shown.experiment_id,
  experiment_code: shown.experiment_code,
  experiment_name: 'EGFR binders, round 1',
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  organization_name: 'Demo',
  status: 'waiting_for_materials' as const,
  status_since: '2026-03-02T09:30:00.000Z',
  waiting_actor: 'lab' as const,
  invoice_status: 'paid' as const,
  target_name: 'EGFR',
  n_materials: 25,
  n_missing: 2,
  n_ordered: 1,
  n_expired: 0,
};

export const listLabMaterials = defineOperation({
  id: 'list_lab_materials',
  method: 'GET',
  path: '/lab/materials',
  tag: 'lab-materials',
  summary: 'List the orders that wait for a run, with how many of their materials are missing',
  description: 'Those that have waited longest come first. `get_lab_materials` names the materials of one.',
  effect: 'read',
  permission: 'lab:read',
  list: neededFields,
  query: ListQuery({}),
  output: PageOf(Needed),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'gt(n_missing,0)' },
    output: { items: [exampleNeed], count: 1, offset: 0, total: 1 },
  },
});

export const getLabMaterials = defineOperation({
  id: 'get_lab_materials',
  method: 'GET',
  path: '/lab/experiments/{experiment_id}/materials',
  tag: 'lab-materials',
  summary: 'Read what an experiment needs before its run can start, and what of it is missing',
  effect: 'read',
  permission: 'lab:read',
  params: ExperimentParams,
  output: Type.Object(materialsFields),
  failures: ['experiment_not_found'],
  example: { params: { experiment_id: 'DEMO-001-001' }, output: shown },
});

export const recordMaterials = defineOperation({
  id: 'record_materials',
  method: 'PATCH',
  path: '/lab/experiments/{experiment_id}/materials',
  tag: 'lab-materials',
  summary: 'Mark materials of an experiment ordered, received or in stock',
  description:
    'All entries are written, or none. The experiment moves to `in_queue` when its last missing material is there. Materials that are not named stay as they are, and so do omitted fields.',
  effect: 'irrevocable',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'required',
  bodyBytesMax: LARGE_BODY_BYTES,
  body: Type.Object(
    {
      materials: Type.Array(MaterialEntry, {
        minItems: 1,
        maxItems: MATERIALS_MAX,
        description: 'what is known now, each material once',
      }),
    },
    strict,
  ),
  output: Type.Object({
    ...materialsFields,
    previous_status: OneOf(experimentStatuses, {
      description: 'status of the experiment before this request',
    }),
  }),
  failures: ['experiment_not_found', 'move_not_allowed', 'invalid_request'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { materials: [entry] },
    output: { ...shown, previous_status: 'waiting_for_materials' },
  },
});

export type MaterialsRecord = Static<typeof getLabMaterials.output>;

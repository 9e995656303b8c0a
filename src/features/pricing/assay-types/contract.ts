/** Operations about what the lab offers: clients read it, staff edit it. */
import { UpdatedAt } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, strict, Type } from '#core/schema.ts';
import { USUAL_ASSAY } from '#assays/registry.ts';
import { assayTypeFields, labAssayTypeFields } from './list-fields.ts';
import { bindingMethods, REPLICATES_MAX } from './rules.ts';

const WORKDAYS_MAX = 1_000;

const Replicates = (description: string) =>
  Type.Integer({ minimum: 1, maximum: REPLICATES_MAX, description });
const methods = Type.Array(OneOf(bindingMethods, { description: 'method of binding' }), {
  description: 'methods to choose from; empty for an assay that takes none',
});
const least = Replicates('fewest measurements of each sequence');
const most = Replicates('most measurements of each sequence');
const turnaround = Nullable(Type.Integer({ minimum: 1, maximum: WORKDAYS_MAX }), {
  description: 'workdays promised from the start of the run to the results; null: none promised',
});

const AssayType = Type.Object({
  experiment_type: Type.String({ description: '`experiment_type` of an order' }),
  title: Type.String({ description: 'name of the assay, in words' }),
  requires_target: Type.Boolean({ description: 'true: sequences are measured against a target by a method' }),
  methods,
  n_replicates_min: least,
  n_replicates_max: most,
  turnaround_workdays: turnaround,
});

const LabAssayType = Type.Object({
  ...AssayType.properties,
  offered: Type.Boolean({ description: 'true: clients can order it' }),
  updated_at: UpdatedAt,
});

const usual = {
  experiment_type: USUAL_ASSAY,
  title: 'Affinity',
  requires_target: true,
  methods: ['bli' as const],
  n_replicates_min: 1,
  n_replicates_max: 5,
  turnaround_workdays: 15,
};
const exampleType = { ...usual, offered: true, updated_at: '2026-01-20T09:00:00.000Z' };

export const listAssayTypes = defineOperation({
  id: 'list_assay_types',
  method: 'GET',
  path: '/assay-types',
  tag: 'assay-types',
  summary: 'List the assays that the lab offers',
  effect: 'read',
  permission: 'target:list',
  isOpenToLimitedTokens: true,
  list: assayTypeFields,
  query: ListQuery({}),
  output: PageOf(AssayType),
  failures: ['invalid_query'],
  example: { query: {}, output: { items: [usual], count: 1, offset: 0, total: 1 } },
});

export const listLabAssayTypes = defineOperation({
  id: 'list_lab_assay_types',
  method: 'GET',
  path: '/lab/assay-types',
  tag: 'lab-prices',
  summary: 'List all assay types, offered or not',
  effect: 'read',
  permission: 'lab:read',
  list: labAssayTypeFields,
  query: ListQuery({}),
  output: PageOf(LabAssayType),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(offered,true)' },
    output: { items: [exampleType], count: 1, offset: 0, total: 1 },
  },
});

export const editAssayType = defineOperation({
  id: 'edit_assay_type',
  method: 'PATCH',
  path: '/lab/assay-types/{experiment_type}',
  tag: 'lab-prices',
  summary: 'Offer an assay, or change what is offered of it',
  description:
    'Omitted fields keep their values. It holds for estimates and submissions from then on; orders that are submitted are not touched. An offered assay can be ordered once the price list in effect has a price for it.',
  effect: 'reversible',
  permission: 'lab:price',
  params: Type.Object({
    experiment_type: Type.String({
      description: '`experiment_type` of an item of `list_lab_assay_types`',
    }),
  }),
  bodyMode: 'required',
  body: Type.Object(
    {
      offered: Type.Optional(Type.Boolean({ description: 'true: clients can order it' })),
      methods: Type.Optional(methods),
      n_replicates_min: Type.Optional(least),
      n_replicates_max: Type.Optional(most),
      turnaround_workdays: Type.Optional(turnaround),
    },
    strict,
  ),
  output: LabAssayType,
  failures: ['invalid_request', 'assay_type_not_found'],
  example: {
    params: { experiment_type: USUAL_ASSAY },
    body: { offered: true, turnaround_workdays: 15 },
    output: exampleType,
  },
});

/** Operations with which the lab makes and publishes its price lists. */
import { CreatedAt, UpdatedAt } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { USUAL_ASSAY } from '#assays/registry.ts';
import { experimentTypes } from '../experiments/types.ts';
import { TargetPricing } from '../targets/contract.ts';
import { PRICE_CENTS_MAX } from '../targets/pricing-rules.ts';
import { priceListFields } from './list-fields.ts';

const ENTRIES_MAX = 100;
const MATERIALS_MAX = 5_000;
const NOTE_LENGTH_MAX = 200;
const SEQUENCES_MAX = 1_000_000;

const Cents = (description: string) =>
  Type.Integer({ minimum: 0, maximum: PRICE_CENTS_MAX, description: `US cents ${description}, before tax` });
const ExperimentType = OneOf(experimentTypes, { description: 'assay that is priced' });
const Method = Nullable(OneOf(['bli', 'spr'], { description: 'method of binding' }), {
  description: 'null: every method without a price of its own, and assays without a method',
});

export const PriceEntry = Type.Object(
  {
    experiment_type: ExperimentType,
    method: Type.Optional(Method),
    unit_price_cents: Cents('for the first replicate of a sequence'),
    replicate_price_cents: Cents('for each further replicate of it'),
  },
  strict,
);

export const VolumeDiscount = Type.Object(
  {
    experiment_type: Type.Optional(
      Nullable(ExperimentType, { description: 'null: assays without a discount of their own' }),
    ),
    sequences_min: Type.Integer({
      minimum: 2,
      maximum: SEQUENCES_MAX,
      description: 'sequences of one order from which on it is given',
    }),
    basis_points: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'share of the assay without the antigen; 100 basis points are 1 %',
    }),
  },
  strict,
);

const TargetId = Type.String({ format: 'uuid', description: 'id of an item of `list_lab_targets`' });
export const MaterialPrice = Type.Object(
  {
    target_id: TargetId,
    pricing: Nullable(TargetPricing, { description: 'price of its antigen; null: quoted by hand' }),
  },
  strict,
);

const entryFields = {
  effective_from: Type.String({
    format: 'date-time',
    description: 'when it takes effect, RFC 3339; a moment that has passed by the publication: at once',
  }),
  prices: Type.Array(PriceEntry, { maxItems: ENTRIES_MAX, description: 'price of each assay and method' }),
};
const further = {
  volume_discounts: Type.Optional(
    Type.Array(VolumeDiscount, {
      maxItems: ENTRIES_MAX,
      description: 'the one with the highest `sequences_min` that an order reaches is given',
    }),
  ),
  materials: Type.Optional(
    Type.Array(MaterialPrice, {
      maxItems: MATERIALS_MAX,
      description: 'prices that these targets take when the list takes effect; others keep theirs',
    }),
  ),
  note: Type.Optional(
    Type.String({ maxLength: NOTE_LENGTH_MAX, description: 'note of the lab; clients do not see it' }),
  ),
};

const PriceList = Type.Object({
  id: describe(Uuid, 'id of the list; never changes'),
  version: Nullable(Type.String(), {
    description: '`pricing_version` of estimates and quotes, such as v2_2026-07-01; null for a draft',
  }),
  status: OneOf(['draft', 'published'], { description: 'a published list never changes' }),
  in_effect: Type.Boolean({ description: 'true: estimates are made with it now' }),
  effective_from: describe(Timestamp, 'when it takes or took effect, UTC'),
  note: Type.String({ description: 'note of the lab; may be empty' }),
  prices: Type.Array(PriceEntry, { description: 'price of each assay and method' }),
  volume_discounts: Type.Array(VolumeDiscount, { description: 'discounts by the number of sequences' }),
  materials: Type.Array(MaterialPrice, { description: 'prices that targets take or took with the list' }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  published_at: Nullable(Timestamp, { description: 'when it was published, UTC; null for a draft' }),
});

const params = Type.Object({
  price_list_id: Type.String({ format: 'uuid', description: 'id of an item of `list_price_lists`' }),
});

const ID = '01980000-0000-7000-8000-000000000c01';
const AT = '2026-06-01T09:00:00.000Z';
const body = {
  effective_from: '2026-07-01T00:00:00.000Z',
  prices: [
    {
      experiment_type: USUAL_ASSAY,
      method: null,
      unit_price_cents: 21_900,
      replicate_price_cents: 4_900,
    },
  ],
  volume_discounts: [{ experiment_type: null, sequences_min: 96, basis_points: 1_000 }],
};
const draft = {
  id: ID,
  version: null,
  status: 'draft' as const,
  in_effect: false,
  ...body,
  note: '',
  materials: [],
  created_at: AT,
  updated_at: AT,
  published_at: null,
};
const published = { ...draft, version: 'v2_2026-07-01', status: 'published' as const, published_at: AT };

export const listPriceLists = defineOperation({
  id: 'list_price_lists',
  method: 'GET',
  path: '/lab/price-lists',
  tag: 'lab-prices',
  summary: 'List the price lists, drafts too',
  effect: 'read',
  permission: 'lab:read',
  list: priceListFields,
  query: ListQuery({}),
  output: PageOf(PriceList),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,published)' },
    output: { items: [published], count: 1, offset: 0, total: 1 },
  },
});

export const getPriceList = defineOperation({
  id: 'get_price_list',
  method: 'GET',
  path: '/lab/price-lists/{price_list_id}',
  tag: 'lab-prices',
  summary: 'Read a price list',
  effect: 'read',
  permission: 'lab:read',
  params,
  output: PriceList,
  failures: ['price_list_not_found'],
  example: { params: { price_list_id: ID }, output: published },
});

export const createPriceList = defineOperation({
  id: 'create_price_list',
  method: 'POST',
  path: '/lab/price-lists',
  tag: 'lab-prices',
  summary: 'Draft a price list',
  description: 'Nothing is sold by a draft; `publish_price_list` makes it a version.',
  effect: 'reversible',
  permission: 'lab:price',
  bodyMode: 'required',
  bodyBytesMax: 2 * 1024 * 1024,
  body: Type.Object({ ...entryFields, ...further }, strict),
  success: 201,
  output: PriceList,
  failures: ['invalid_request'],
  example: { body, output: draft },
});

export const editPriceList = defineOperation({
  id: 'edit_price_list',
  method: 'PATCH',
  path: '/lab/price-lists/{price_list_id}',
  tag: 'lab-prices',
  summary: 'Edit the draft of a price list',
  description: 'Omitted fields keep their values; a list that is given replaces the current one.',
  effect: 'reversible',
  permission: 'lab:price',
  params,
  bodyMode: 'required',
  bodyBytesMax: 2 * 1024 * 1024,
  body: Type.Object({ ...Type.Partial(Type.Object(entryFields)).properties, ...further }, strict),
  output: PriceList,
  failures: ['invalid_request', 'price_list_not_found', 'price_list_published'],
  example: { params: { price_list_id: ID }, body: { note: 'Prices of the second half' }, output: draft },
});

export const deletePriceList = defineOperation({
  id: 'delete_price_list',
  method: 'DELETE',
  path: '/lab/price-lists/{price_list_id}',
  tag: 'lab-prices',
  summary: 'Delete the draft of a price list',
  effect: 'irrevocable',
  permission: 'lab:price',
  params,
  output: Type.Object({ id: describe(Uuid, 'the draft that was deleted') }),
  failures: ['price_list_not_found', 'price_list_published'],
  example: { params: { price_list_id: ID }, output: { id: ID } },
});

export const publishPriceList = defineOperation({
  id: 'publish_price_list',
  method: 'POST',
  path: '/lab/price-lists/{price_list_id}/publish',
  tag: 'lab-prices',
  summary: 'Publish a price list: it gets its version and never changes again',
  description:
    'From `effective_from` on every estimate and new quote is made with it. Quotes that are open keep their prices. `compare_price_list` says beforehand what changes.',
  effect: 'irrevocable',
  permission: 'lab:price',
  params,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: PriceList,
  failures: ['invalid_request', 'price_list_not_found', 'price_list_published', 'price_list_overtaken'],
  example: { params: { price_list_id: ID }, body: {}, output: published },
});

const Amounts = Nullable(
  Type.Object({
    unit_price_cents: Type.Integer({ description: 'US cents for the first replicate of a sequence' }),
    replicate_price_cents: Type.Integer({ description: 'US cents for each further replicate of it' }),
  }),
  { description: 'null: none' },
);

export const PriceComparison = Type.Object({
  base: Nullable(
    Type.Object({
      id: describe(Uuid, 'id of the list in effect'),
      version: Type.String({ description: 'version of the list in effect' }),
    }),
    { description: 'list that is in effect now; null: none yet' },
  ),
  prices: Type.Array(
    Type.Object({
      experiment_type: Type.String({ description: 'assay that is priced' }),
      method: Nullable(Type.String(), { description: 'method of binding; null: as in the list' }),
      before: describe(Amounts, 'price of the list in effect; null: it has none'),
      after: describe(Amounts, 'price of this list; null: it has none'),
    }),
    { description: 'assays and methods whose price changes' },
  ),
  volume_discounts: Type.Array(
    Type.Object({
      experiment_type: Nullable(Type.String(), {
        description: 'null: assays without a discount of their own',
      }),
      sequences_min: Type.Integer({ description: 'sequences of one order from which on it is given' }),
      before: Nullable(Type.Integer(), { description: 'basis points of the list in effect; null: none' }),
      after: Nullable(Type.Integer(), { description: 'basis points of this list; null: none' }),
    }),
    { description: 'discounts that change' },
  ),
  materials: Type.Array(
    Type.Object({
      target_id: describe(Uuid, 'target that takes the price'),
      name: Type.String({ description: 'name of the target' }),
      before: Nullable(TargetPricing, { description: 'current price of its antigen; null: quoted by hand' }),
      after: Nullable(TargetPricing, { description: 'price of this list; null: quoted by hand' }),
    }),
    { description: 'targets whose price changes' },
  ),
  warnings: Type.Array(Type.String(), {
    description: 'offered assays that this list has no price for; clients could not order them',
  }),
});
export type PriceComparison = Static<typeof PriceComparison>;

export const comparePriceList = defineOperation({
  id: 'compare_price_list',
  method: 'GET',
  path: '/lab/price-lists/{price_list_id}/comparison',
  tag: 'lab-prices',
  summary: 'Compare a price list with the one in effect',
  effect: 'read',
  permission: 'lab:read',
  params,
  output: PriceComparison,
  failures: ['price_list_not_found'],
  example: {
    params: { price_list_id: ID },
    output: {
      base: { id: '01980000-0000-7000-8000-000000000c00', version: 'v1_2026-01-20' },
      prices: [
        {
          experiment_type: USUAL_ASSAY,
          method: null,
          before: { unit_price_cents: 19_900, replicate_price_cents: 4_900 },
          after: { unit_price_cents: 21_900, replicate_price_cents: 4_900 },
        },
      ],
      volume_discounts: [{ experiment_type: null, sequences_min: 96, before: null, after: 1_000 }],
      materials: [],
      warnings: [],
    },
  },
});

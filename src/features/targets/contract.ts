/**
 * This folder: the catalog of targets, and requests for others. Not here: prices of experiments.
 */
import { defineText } from '#core/fields.ts';
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { buildAnswers, buildDetails } from '#core/record.ts';
import { ListQuery } from '#core/list-query.ts';
import { describe, Nullable, strict, Type, Uuid, type Static } from '#core/schema.ts';
import { targetFields } from './list-fields.ts';
import { detailFields, leanFields, proteinFields } from './record.ts';

export const PerSequencePricing = Type.Object(
  {
    type: Type.Literal('per_sequence', { description: 'every sequence costs the same' }),
    price_per_sequence_cents: Type.Integer({
      minimum: 0,
      description: 'US cents for the antigen, before tax',
    }),
  },
  strict,
);

export const LotPriceTier = Type.Object(
  {
    num_sequences: Type.Integer({ minimum: 1, description: 'sequences one lot is enough for' }),
    price_usdcent: Type.Integer({ minimum: 0, description: 'US cents for one lot, before tax' }),
  },
  strict,
);

export const PerLotPricing = Type.Object(
  {
    type: Type.Literal('per_broken_lot', {
      description: 'whole lots are bought; the cheapest set that is enough',
    }),
    lot_prices: Type.Array(LotPriceTier, { minItems: 1, description: 'sizes and prices of lots' }),
  },
  strict,
);

export const TargetPricing = Type.Union([PerSequencePricing, PerLotPricing]);
export type TargetPricing = Static<typeof TargetPricing>;

export const TargetReference = Type.Object({
  name: Type.String({ description: 'name of the antigen' }),
  sequence: defineText('its amino acids, as far as the catalog has them'),
  supplier_url: defineText('its page in the catalog of this installation'),
  target_catalog_id: Type.Optional(
    Nullable(Uuid, { description: 'its id in the catalog; null for one that was only asked for' }),
  ),
});
export type TargetReference = Static<typeof TargetReference>;

export const TargetDetails = Type.Object({
  ...buildDetails(proteinFields),
  ...buildDetails(detailFields),
  sequence_length: Type.Optional(Nullable(Type.Integer(), { description: 'residues of the construct' })),
  structures: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ description: 'entry of the Protein Data Bank, such as 1IVO' }),
        url: Type.String({ description: 'its coordinates, an mmCIF file' }),
        page_url: Type.Optional(Type.String({ description: 'page of the entry, for a person' })),
      }),
      { description: 'experimental structures of the protein' },
    ),
  ),
  products: Type.Optional(
    Type.Array(
      Type.Object({
        vendor: Type.String({ description: 'the same as `vendor_name`' }),
        catalog_number: Type.String({ description: 'catalog number of the vendor' }),
        tags: detailFields.tags.answer,
        expression_system: detailFields.expression_system.answer,
        url: Type.String({ description: 'its page in the catalog of this installation' }),
      }),
      { description: 'one entry: the product that the target is, from its own fields' },
    ),
  ),
});

const { gene_names, ...protein } = buildAnswers(proteinFields);

export const TargetInfo = Type.Object({
  id: describe(Uuid, 'value for `target_id` of an experiment'),
  ...buildAnswers(leanFields),
  url: Type.String({ description: 'its page in the catalog of this installation' }),
  ...Type.Partial(Type.Object(protein)).properties,
  gene_names,
  selfservice: Type.Boolean({ description: 'whether the target has immediate pricing' }),
  pricing: Type.Optional(
    Nullable(TargetPricing, {
      description: 'price of the antigen, before tax; null: the lab quotes it by hand',
    }),
  ),
  retired: Type.Optional(
    Type.Boolean({ description: 'true: nobody can order it any more; lists have no such target' }),
  ),
  details: Type.Optional(
    Nullable(TargetDetails, {
      description: 'details of the protein; lists have them with `detailed=true`',
    }),
  ),
});
export type TargetInfo = Static<typeof TargetInfo>;

const example = {
  id: '01980000-0000-7000-8000-000000000001',
  name: 'EGFR',
  vendor_name: 'Demo catalog',
  catalog_number: 'DEMO-0001',
  url: `${EXAMPLE_ADDRESS}/targets/01980000-0000-7000-8000-000000000001`,
  uniprot_id: 'P00533',
  gene_names: ['EGFR'],
  organism: 'Homo sapiens',
  family: 'Receptor tyrosine kinase',
  selfservice: true,
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

export const listTargets = defineOperation({
  id: 'list_targets',
  method: 'GET',
  path: '/targets',
  tag: 'targets',
  summary: 'List the target catalog',
  effect: 'read',
  permission: 'target:list',
  isOpenToLimitedTokens: true,
  list: targetFields,
  query: ListQuery({
    selfservice_only: Type.Optional(
      Type.Boolean({ description: 'true keeps only targets with immediate pricing' }),
    ),
    show_conjugated: Type.Optional(
      Type.Boolean({ description: 'true also lists conjugated (biotinylated) forms' }),
    ),
    detailed: Type.Optional(Type.Boolean({ description: 'true adds details to every item' })),
  }),
  output: PageOf(TargetInfo),
  failures: ['invalid_query'],
  example: {
    query: { search: 'EGFR', selfservice_only: true },
    output: { items: [example], count: 1, offset: 0, total: 1 },
  },
});

export const getTargetInfo = defineOperation({
  id: 'get_target_info',
  method: 'GET',
  path: '/targets/{target_id}',
  tag: 'targets',
  summary: 'Read one target, with details',
  effect: 'read',
  permission: 'target:read',
  isOpenToLimitedTokens: true,
  params: Type.Object({
    target_id: Type.String({ format: 'uuid', description: 'id of an item of `list_targets`' }),
  }),
  output: TargetInfo,
  failures: ['target_not_found'],
  example: { params: { target_id: example.id }, output: example },
});

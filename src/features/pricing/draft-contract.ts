/** Operations with which the lab tries a price list, exports it, and imports one as a new draft. */
import { FileProblems } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, strict, Type, type Static } from '#core/schema.ts';
import { USUAL_ASSAY } from '#assays/registry.ts';
import { REPLICATES_MAX } from './assay-types/rules.ts';
import { experimentTypes } from '../experiments/types.ts';
import { priceListColumns } from './list-csv.ts';
import { comparePriceList, createPriceList, PriceComparison } from './list-contract.ts';

const CSV_MEDIA = 'text/csv';
const SEQUENCES_MAX = 10_000;
const BYTES_MAX = 2 * 1024 * 1024;
const NOTE_LENGTH_MAX = 200;
const { params } = comparePriceList;
const named = { price_list_id: comparePriceList.example.params?.['price_list_id'] ?? '' };

const OrderCost = Type.Object({
  assay_cents: Type.Integer({ description: 'US cents for the assay without the antigen' }),
  materials_cents: Nullable(Type.Integer(), {
    description: 'US cents for the antigen; 0 without one; null: quoted by hand',
  }),
  discount_cents: Type.Integer({ description: 'US cents that the discount by volume takes off the assay' }),
  total_cents: Nullable(Type.Integer(), {
    description: 'US cents of the order before tax; null: the antigen is quoted by hand',
  }),
});
export type OrderCost = Static<typeof OrderCost>;

export const compareOrderCost = defineOperation({
  id: 'compare_order_cost',
  method: 'GET',
  path: '/lab/price-lists/{price_list_id}/order-cost',
  tag: 'lab-price-drafts',
  summary: 'Say what an example order costs by a price list, and by the one in effect',
  effect: 'read',
  permission: 'lab:read',
  params,
  query: Type.Object(
    {
      experiment_type: OneOf(experimentTypes, { description: 'assay of the order' }),
      method: Type.Optional(OneOf(['bli', 'spr'], { description: 'method of a binding assay' })),
      sequence_count: Type.Integer({
        minimum: 1,
        maximum: SEQUENCES_MAX,
        description: 'number of sequences, controls included',
      }),
      n_replicates: Type.Integer({
        minimum: 1,
        maximum: REPLICATES_MAX,
        description: 'measurements of each sequence',
      }),
      target_id: Type.Optional(
        Type.String({
          format: 'uuid',
          description: 'target of the order, an item of `list_lab_targets`; absent: the antigen is left out',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    base: describe(PriceComparison.properties.base, 'list that is in effect now; null: none yet'),
    before: Nullable(OrderCost, {
      description: 'by the list in effect; null: it has no price for the order',
    }),
    after: Nullable(OrderCost, { description: 'by this list; null: it has no price for the order' }),
  }),
  failures: ['price_list_not_found', 'target_not_found'],
  example: {
    params: named,
    query: { experiment_type: USUAL_ASSAY, method: 'bli', sequence_count: 96, n_replicates: 3 },
    output: {
      base: { id: '01980000-0000-7000-8000-000000000c00', version: 'v1_2026-01-20' },
      before: { assay_cents: 2_851_200, materials_cents: 0, discount_cents: 0, total_cents: 2_851_200 },
      after: { assay_cents: 3_043_200, materials_cents: 0, discount_cents: 304_320, total_cents: 2_738_880 },
    },
  },
});

const COLUMNS =
  `The columns are ${priceListColumns.join(', ')}; each row has the cells of its kind. ` +
  'A price without a method counts for every method without one of its own, a discount without an experiment type for every assay without one of its own. A material names its target by `catalog_number`, or by `target_id` where it belongs to one organization; without a price it is quoted by hand. Lots are `sequences:cents`, separated by `;`.';
const FILE = `kind,experiment_type,unit_price_cents,replicate_price_cents\r\nprice,${USUAL_ASSAY},21900,4900\r\n`;

export const getPriceListFile = defineOperation({
  id: 'get_price_list_file',
  method: 'GET',
  path: '/lab/price-lists/{price_list_id}/export',
  tag: 'lab-price-drafts',
  summary: 'Read a price list as a CSV file, which can be edited and imported',
  description: `JSON with the text of the file; its address serves the file itself as text/csv. ${COLUMNS}`,
  effect: 'read',
  permission: 'lab:read',
  media: ['application/json', CSV_MEDIA],
  params,
  output: Type.Object({
    content: Type.String({
      description: 'the file: a header, then a price, discount or material in each row',
    }),
    count: Type.Integer({ description: 'number of rows below the header' }),
  }),
  failures: ['price_list_not_found'],
  example: { params: named, output: { content: FILE, count: 1 } },
});

const text = { member: 'content', media: [CSV_MEDIA, 'text/plain', 'text/tab-separated-values'] };
const content = Type.String({ description: 'the whole file; its first row names the columns' });

export const validatePriceListImport = defineOperation({
  id: 'validate_price_list_import',
  method: 'POST',
  path: '/lab/price-lists/import/validate',
  tag: 'lab-price-drafts',
  summary: 'Say what a file of prices would change, and every problem by its line',
  description: `Nothing is written. ${COLUMNS}`,
  effect: 'read',
  permission: 'lab:price',
  bodyBytesMax: BYTES_MAX,
  bodyMode: 'required',
  text,
  body: Type.Object({ content }, strict),
  output: Type.Object({
    n_prices: Type.Integer({ minimum: 0, description: 'prices of the file' }),
    n_volume_discounts: Type.Integer({ minimum: 0, description: 'discounts of the file' }),
    n_materials: Type.Integer({ minimum: 0, description: 'materials of the file' }),
    comparison: Nullable(PriceComparison, {
      description: 'what differs from the list in effect; null: the file has problems',
    }),
    problems: FileProblems,
  }),
  failures: [],
  example: {
    body: { content: FILE },
    output: {
      n_prices: 1,
      n_volume_discounts: 0,
      n_materials: 0,
      comparison: comparePriceList.example.output,
      problems: [],
    },
  },
});

export const importPriceList = defineOperation({
  id: 'import_price_list',
  method: 'POST',
  path: '/lab/price-lists/import',
  tag: 'lab-price-drafts',
  summary: 'Import a price list from a CSV file as a new draft: all of it, or nothing',
  description: `Nothing is sold by the draft until it is published. ${COLUMNS}`,
  effect: 'reversible',
  permission: 'lab:price',
  bodyBytesMax: BYTES_MAX,
  bodyMode: 'required',
  text,
  body: Type.Object(
    {
      content,
      effective_from: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'when it takes effect, RFC 3339; absent: with its publication',
        }),
      ),
      note: Type.Optional(
        Type.String({ maxLength: NOTE_LENGTH_MAX, description: 'note of the lab; clients do not see it' }),
      ),
    },
    strict,
  ),
  success: 201,
  output: createPriceList.output,
  failures: ['invalid_request', 'import_refused'],
  example: { body: { content: FILE }, output: createPriceList.example.output },
});

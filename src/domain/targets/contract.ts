import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { ListQuery } from '#core/list-query.ts';
import { Nullable, Type, Uuid, type Static } from '#core/schema.ts';
import { targetFields } from './list-fields.ts';

export const PerSequencePricing = Type.Object({
  type: Type.Literal('per_sequence'),
  price_per_sequence_cents: Type.Integer({ minimum: 0 }),
});

export const LotPriceTier = Type.Object({
  num_sequences: Type.Integer({ minimum: 1, description: 'sequences one lot is enough for' }),
  price_usdcent: Type.Integer({ minimum: 0 }),
});

export const PerLotPricing = Type.Object({
  type: Type.Literal('per_broken_lot'),
  lot_prices: Type.Array(LotPriceTier, { minItems: 1 }),
});

export const TargetPricing = Type.Union([PerSequencePricing, PerLotPricing]);
export type TargetPricing = Static<typeof TargetPricing>;

export const TargetReference = Type.Object({
  name: Type.String(),
  sequence: Type.Optional(Nullable(Type.String())),
  supplier_url: Type.Optional(Nullable(Type.String())),
  target_catalog_id: Type.Optional(Nullable(Uuid)),
});
export type TargetReference = Static<typeof TargetReference>;

const text = Type.Optional(Nullable(Type.String()));
const texts = Type.Optional(Nullable(Type.Array(Type.String())));

export const TargetDetails = Type.Object({
  bioactivity: Type.Optional(
    Nullable(Type.Object({ bli: Type.Boolean(), elisa: Type.Boolean(), spr: Type.Boolean() })),
  ),
  description: text,
  expression_system: text,
  family: text,
  gene_names: texts,
  molecular_weight: text,
  ncbi_id: text,
  organism: text,
  purity: Type.Optional(Nullable(Type.Number())),
  sequence: text,
  sequence_length: Type.Optional(Nullable(Type.Integer())),
  structures: Type.Optional(Type.Array(Type.Object({ id: Type.String(), url: Type.String() }))),
  subcellular_locations: texts,
  synonyms: texts,
  tags: texts,
  construct: text,
  conjugated: Type.Optional(Type.Boolean()),
  is_fc_fusion: Type.Optional(Type.Boolean()),
  oligomeric_state: text,
});

export const TargetInfo = Type.Object({
  id: Uuid,
  name: Type.String(),
  vendor_name: Type.String(),
  catalog_number: Type.String(),
  url: Type.String(),
  uniprot_id: text,
  gene_names: Type.Array(Type.String()),
  organism: text,
  family: text,
  selfservice: Type.Boolean({ description: 'whether the target has immediate pricing' }),
  pricing: Type.Optional(Nullable(TargetPricing)),
  details: Type.Optional(Nullable(TargetDetails)),
});
export type TargetInfo = Static<typeof TargetInfo>;

const example = {
  id: '01980000-0000-7000-8000-000000000001',
  name: 'EGFR',
  vendor_name: 'Demo catalogue',
  catalog_number: 'DEMO-0001',
  url: 'http://127.0.0.1:8080/targets/01980000-0000-7000-8000-000000000001',
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
  summary: 'List the target catalogue',
  effect: 'read',
  permission: 'target:list',
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
  params: Type.Object({ target_id: Type.String({ format: 'uuid', description: 'target id' }) }),
  output: TargetInfo,
  failures: ['target_not_found'],
  example: { params: { target_id: example.id }, output: example },
});

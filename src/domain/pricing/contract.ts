import { Nullable, OneOf, Type, type Static } from '#core/schema.ts';
import { TargetReference } from '#domain/targets/contract.ts';

export const AssayCost = Type.Object({
  experiment_type: Type.String(),
  n_replicates: Type.Integer({ minimum: 0 }),
  replicate_price_cents: Type.Integer({ description: 'each replicate after the first, per sequence' }),
  sequence_count: Type.Integer({ minimum: 0 }),
  subtotal_cents: Type.Integer(),
  unit_price_cents: Type.Integer({ description: 'first replicate, per sequence' }),
});
export type AssayCost = Static<typeof AssayCost>;

export const LotAllocation = Type.Object({
  lot_price_cents: Type.Integer(),
  lot_size_ug: Type.Number(),
  num_sequences: Type.Integer(),
  quantity: Type.Integer({ minimum: 0 }),
});
export type LotAllocation = Static<typeof LotAllocation>;

const material = {
  sequence_count: Type.Integer({ minimum: 0 }),
  subtotal_cents: Type.Integer(),
  target: TargetReference,
  target_id: Type.String(),
  target_name: Type.String(),
};

export const MaterialCost = Type.Union([
  Type.Object({
    type: Type.Literal('per_sequence'),
    price_per_sequence_cents: Type.Integer(),
    ...material,
  }),
  Type.Object({ type: Type.Literal('per_broken_lot'), lots: Type.Array(LotAllocation), ...material }),
]);
export type MaterialCost = Static<typeof MaterialCost>;

export const MaterialsUnavailable = Type.Object({
  reason: Type.String(),
  target: TargetReference,
  target_id: Nullable(Type.String()),
  target_name: Type.String(),
});

export const CostBreakdown = Type.Object({
  assay: AssayCost,
  materials: Type.Optional(Nullable(MaterialCost)),
  pricing_version: Type.String(),
  total_cents: Type.Integer(),
});
export type CostBreakdown = Static<typeof CostBreakdown>;

export const IncompleteCostEstimate = Type.Object({
  assay: AssayCost,
  materials_unavailable: MaterialsUnavailable,
  pricing_version: Type.String(),
  total_cents: Type.Null(),
});
export type IncompleteCostEstimate = Static<typeof IncompleteCostEstimate>;

export const LineItem = Type.Object({
  description: Type.String(),
  quantity: Type.Integer(),
  unit_price_cents: Type.Integer(),
  total_cents: Type.Integer(),
});
export type LineItem = Static<typeof LineItem>;

/** What tax is put on a subtotal; a rate of zero may say why in its note. */
export const AppliedTax = Type.Object({
  name: Type.String({ description: 'as it is printed, such as VAT' }),
  rate_basis_points: Type.Integer({ minimum: 0, maximum: 10_000, description: '100 basis points are 1 %' }),
  note: Type.String({ description: 'printed under the sums; may be empty' }),
});
export type AppliedTax = Static<typeof AppliedTax>;

/** Either a share of the sum of the lines or an amount. */
export const Discount = Type.Object(
  {
    description: Type.String({ minLength: 1, maxLength: 200 }),
    basis_points: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'of the sum of the lines; 100 are 1 %' }),
    ),
    amount_cents: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })),
  },
  { additionalProperties: false },
);
export type Discount = Static<typeof Discount>;

/** What an estimate comes to with tax, by the rate of the organization's country. */
export const EstimatedTotals = Type.Object({
  subtotal_cents: Type.Integer(),
  tax_cents: Type.Integer(),
  total_cents: Type.Integer(),
  tax: AppliedTax,
});

export const QuoteStatus = OneOf(['draft', 'open', 'accepted', 'canceled', 'stale']);
export const InvoiceStatus = OneOf(['draft', 'open', 'paid', 'void', 'uncollectible']);

/** What an experiment costs, as far as it is known: an estimate, then the quote, then the invoice. */
export const ExperimentCosts = Type.Union([
  Type.Object({
    type: Type.Literal('estimate'),
    breakdown: CostBreakdown,
    totals: Type.Optional(EstimatedTotals),
  }),
  Type.Object({ type: Type.Literal('incomplete_estimate'), ...IncompleteCostEstimate.properties }),
  Type.Object({
    type: Type.Literal('quoted'),
    amount_cents: Type.Integer(),
    currency: Type.String(),
    expires_at: Type.Optional(Nullable(Type.String())),
    status: QuoteStatus,
    provider_quote_url: Type.String(),
  }),
  Type.Object({
    type: Type.Literal('invoiced'),
    amount_cents: Type.Integer(),
    currency: Type.String(),
    status: InvoiceStatus,
    provider_invoice_url: Type.Optional(Nullable(Type.String())),
  }),
]);
export type ExperimentCosts = Static<typeof ExperimentCosts>;

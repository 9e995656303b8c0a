/**
 * This folder: the one calculation of every price. Not here: who is billed, and tax rates (`features/billing`).
 */
import { Currency, HostedInvoiceUrl } from '#core/fields.ts';
import { describe, Nullable, OneOf, Type, type Static } from '#core/schema.ts';
import { TargetReference } from '../targets/contract.ts';

export const AssayCost = Type.Object({
  experiment_type: Type.String({ description: 'the assay that is priced' }),
  n_replicates: Type.Integer({ minimum: 0, description: 'measurements of each sequence' }),
  replicate_price_cents: Type.Integer({
    description: 'US cents for each replicate after the first, per sequence',
  }),
  sequence_count: Type.Integer({ minimum: 0, description: 'number of sequences, controls included' }),
  subtotal_cents: Type.Integer({ description: 'US cents for the assay without the antigen, before tax' }),
  unit_price_cents: Type.Integer({ description: 'US cents for the first replicate, per sequence' }),
});
export type AssayCost = Static<typeof AssayCost>;

export const LotAllocation = Type.Object({
  lot_price_cents: Type.Integer({ description: 'US cents for one lot' }),
  lot_size_ug: Type.Number({ description: 'micrograms of antigen in one lot' }),
  num_sequences: Type.Integer({ description: 'sequences one lot is enough for' }),
  quantity: Type.Integer({ minimum: 0, description: 'number of lots of this size' }),
});
export type LotAllocation = Static<typeof LotAllocation>;

const Target = describe(TargetReference, 'the antigen');
const TargetName = Type.String({ description: 'the same as `target.name`' });
const material = {
  sequence_count: Type.Integer({ minimum: 0, description: 'number of sequences that need the antigen' }),
  subtotal_cents: Type.Integer({ description: 'US cents for the antigen, before tax' }),
  target: Target,
  target_id: Type.String({ description: 'the same as `target.target_catalog_id`' }),
  target_name: TargetName,
};

export const MaterialCost = Type.Union([
  Type.Object({
    type: Type.Literal('per_sequence', { description: 'every sequence costs the same' }),
    price_per_sequence_cents: Type.Integer({ description: 'US cents for the antigen of one sequence' }),
    ...material,
  }),
  Type.Object({
    type: Type.Literal('per_broken_lot', { description: 'whole lots are bought' }),
    lots: Type.Array(LotAllocation, { description: 'the cheapest set of lots that is enough' }),
    ...material,
  }),
]);
export type MaterialCost = Static<typeof MaterialCost>;

export const MaterialsUnavailable = Type.Object({
  reason: Type.String({ description: 'why the antigen has no price yet, in words' }),
  target: Target,
  target_id: Type.String({
    description:
      'the same as `target.target_catalog_id`; for a requested target the id of its request, empty before there is one',
  }),
  target_name: TargetName,
});

const Assay = describe(AssayCost, 'the measurements, without the antigen');
const PricingVersion = Type.String({ description: 'the price list in force, such as v1_2026-01-20' });

export const CostBreakdown = Type.Object({
  assay: Assay,
  materials: Type.Optional(
    Nullable(MaterialCost, { description: 'the antigen; absent for an assay that takes none' }),
  ),
  discount_cents: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'US cents that the discount by volume takes off the assay; absent without one',
    }),
  ),
  pricing_version: PricingVersion,
  total_cents: Type.Integer({
    description: 'US cents for assay and antigen together less the discount, before tax',
  }),
});
export type CostBreakdown = Static<typeof CostBreakdown>;

export const IncompleteCostEstimate = Type.Object({
  assay: Assay,
  materials_unavailable: describe(MaterialsUnavailable, 'the antigen whose price is missing, and why'),
  pricing_version: PricingVersion,
  total_cents: Type.Null({ description: 'unknown until the lab has quoted the antigen' }),
});
export type IncompleteCostEstimate = Static<typeof IncompleteCostEstimate>;

export const LineItem = Type.Object({
  description: Type.String({ description: 'description of the line, as it is printed' }),
  quantity: Type.Integer({ description: 'number of units' }),
  unit_price_cents: Type.Integer({ description: 'US cents before tax; below zero for a discount' }),
  total_cents: Type.Integer({ description: 'US cents of all units of this line, before tax' }),
});
export type LineItem = Static<typeof LineItem>;

/** Tax on a subtotal; for a rate of zero the note may give the reason. */
export const AppliedTax = Type.Object({
  name: Type.String({ description: 'as it is printed, such as VAT' }),
  rate_basis_points: Type.Integer({ minimum: 0, maximum: 10_000, description: '100 basis points are 1 %' }),
  note: Type.String({ description: 'printed under the sums; may be empty' }),
});
export type AppliedTax = Static<typeof AppliedTax>;

/** A discount: a share of the sum of the lines, or an amount. */
export const Discount = Type.Object(
  {
    description: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'description of the discount, as it is printed',
    }),
    basis_points: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'share of the sum of the lines; 100 basis points are 1 %',
      }),
    ),
    amount_cents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000_000,
        description: 'US cents, in place of `basis_points`',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Discount = Static<typeof Discount>;

/** The totals of an estimate with tax, by the rate of the organization's country. */
export const EstimatedTotals = Type.Object({
  subtotal_cents: Type.Integer({ description: 'US cents before tax' }),
  tax_cents: Type.Integer({ description: 'US cents of tax; the invoice decides' }),
  total_cents: Type.Integer({ description: 'US cents with tax' }),
  tax: describe(AppliedTax, 'rate of the country of the organization'),
});

export const QuoteStatus = OneOf(['draft', 'open', 'accepted', 'canceled', 'stale'], {
  description: 'only an open quote can be accepted; stale: past its date',
});
export const InvoiceStatus = OneOf(['draft', 'open', 'paid', 'void', 'uncollectible'], {
  description: 'only an open invoice can be paid; void: withdrawn; uncollectible: given up',
});
const Status = describe(QuoteStatus, 'only an open quote can be accepted; stale: past its date');

/** The costs of an experiment as far as they are known: from the estimate, then the quote, then the invoice. */
export const ExperimentCosts = Type.Union([
  Type.Object({
    type: Type.Literal('estimate', { description: 'nothing is quoted yet' }),
    breakdown: describe(CostBreakdown, 'parts of the price, before tax'),
    totals: Type.Optional(describe(EstimatedTotals, 'totals with tax')),
  }),
  Type.Object({
    type: Type.Literal('incomplete_estimate', { description: 'the lab has to quote the antigen by hand' }),
    ...IncompleteCostEstimate.properties,
  }),
  Type.Object({
    type: Type.Literal('quoted', { description: 'there is a quote to accept, or an accepted one' }),
    amount_cents: Type.Integer({ description: 'total of the quote with tax, in hundredths of `currency`' }),
    currency: Currency,
    expires_at: Type.Optional(Nullable(Type.String(), { description: 'end of the offer, RFC 3339 in UTC' })),
    status: Status,
    provider_quote_url: Type.String({ description: 'page of the quote, for a person who is signed in' }),
  }),
  Type.Object({
    type: Type.Literal('invoiced', { description: 'the quote was accepted' }),
    amount_cents: Type.Integer({ description: 'total of the invoice with tax, in hundredths of `currency`' }),
    currency: Currency,
    status: describe(InvoiceStatus, 'status of the current invoice; only an open one can be paid'),
    provider_invoice_url: Type.Optional(HostedInvoiceUrl),
  }),
]);
export type ExperimentCosts = Static<typeof ExperimentCosts>;

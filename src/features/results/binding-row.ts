/** The summary row of affinity and of screening, in the published meanings; what only we know has names of its own. */
import { defineText } from '#core/fields.ts';
import { describe, Nullable, OneOf, Type, type Static } from '#core/schema.ts';
import { SequenceEntry } from '../sequences/contract.ts';
import { TargetReference } from '../targets/contract.ts';
import { outcomes } from './outcomes.ts';
import {
  Assessment,
  AssociationS,
  Comparison,
  Concentrations,
  DissociationS,
  defineFlag,
  defineInterval,
  defineNumber,
  defineRelation,
  Flags,
  Performance,
  Place,
  Plate,
  PositiveControl,
  R2,
  ReferenceRule,
  ReplicateNumber,
  replicateCounts,
  ReplicateOutcome,
  RmaxRule,
  screening,
  Well,
} from './row-fields.ts';

const FIT = 'fit with one kind of site (1:1) or with two (2:1)';
const NO_FIT = 'null without a fit';

const Binding = Type.Optional(
  Nullable(OneOf(['true', 'false', 'unknown', 'in_progress']), {
    description:
      'whether it binds; unknown where no replicate tells, see `call`; in_progress is not used for released results',
  }),
);
const Call = Type.Optional(
  Nullable(OneOf(['binder', 'non_binder', 'inconclusive', 'unknown']), {
    description: '`binding` in detail: inconclusive is a response that nothing shows to be binding',
  }),
);
const Expression = Type.Optional(
  Nullable(OneOf(['high', 'medium', 'low']), {
    description:
      'by the loading of the sensors: high, or low below 30 % of the positive control and without protein; null where it was not recorded',
  }),
);
const FitName = OneOf(['1:1', '2:1']);
const defineFitName = (description: string) => Type.Optional(Nullable(FitName, { description }));
const Technique = Type.Optional(
  Nullable(OneOf(['bli', 'spr']), { description: 'technique of the order: bli or spr' }),
);
const KdDetectable = defineNumber(
  'of a non-binder: the weakest KD that would have been seen, in M; a tighter one is excluded',
);
const KdDetectableBasis = Type.Optional(
  Nullable(
    Type.Object(
      {
        rmax_from: Nullable(OneOf(['positive_control', 'theory', 'loading']), {
          description: 'what the expected response was taken from; null where nothing tells it',
        }),
        rmax_expected: Nullable(Type.Number(), {
          description: 'smallest Rmax to expect of a sequence that binds, in the unit of the signal',
        }),
        response_min: Type.Number({
          description: 'smallest response that would have been found, in the unit of the signal',
        }),
        noise: Type.Number({ description: 'noise of a single sample, in the unit of the signal' }),
        top_concentration_m: Type.Number({ description: 'highest concentration, in M' }),
        association_s: Type.Number({ description: 'length of its association, in s' }),
        kon_min_per_m_s: Type.Number({ description: 'slowest association assumed, in 1/(M·s)' }),
        kon_detectable_per_m_s: Nullable(Type.Number(), {
          description:
            'with a slower association, in 1/(M·s), a binder of any KD would have been missed; null where no association is fast enough',
        }),
        reason: Nullable(Type.String(), {
          description: 'why binding is not excluded; null where it is',
        }),
      },
      { additionalProperties: true },
    ),
    { description: 'how `kd_detectable_m` is known; null where there was a response' },
  ),
);
const Outcome = Type.Optional(OneOf(outcomes, { description: 'as `outcome` of the result' }));
const FIT_QUALITY = 'good, fair or poor, by R² and residuals; the worst of several; null without a fit';
const MODELS =
  '1:1, 1:1_drift, 1:1_bulk_shift, mass_transport, heterogeneous_ligand, bivalent_analyte or steady_state';

export const AffinityReplicate = Type.Object(
  {
    replicate: ReplicateNumber,
    plate: Plate,
    well: Well,
    binding: Binding,
    call: Call,
    binding_strength: defineText('absent here; the row of the sequence has it'),
    confidence: defineText('high, medium or low, by the flags'),
    expression: Expression,
    fit_quality: defineText(FIT_QUALITY),
    kd: defineNumber('dissociation constant in M; null without one'),
    kd_relation: defineRelation('kd'),
    kd_app: defineInterval('the same KD with its 95 % interval, in M'),
    koff: defineNumber('dissociation rate in 1/s; null without one'),
    koff_relation: defineRelation('koff'),
    koff_1to1: defineInterval('the same rate with its 95 % interval, in 1/s; the model is in `model`'),
    koff_method: defineFitName(`${FIT} behind \`koff\`; null without that rate`),
    kon: defineNumber('association rate in 1/(M·s); null without one'),
    kon_relation: defineRelation('kon'),
    kon_1to1: defineInterval('the same rate with its 95 % interval, in 1/(M·s); the model is in `model`'),
    kon_method: defineFitName(`${FIT} behind \`kon\`; null without that rate`),
    method: defineFitName(`${FIT}; ${NO_FIT}`),
    rmse_max_signal_pct: defineNumber('root mean square of the residuals in percent of the largest Rmax'),
    rmax: defineNumber(
      'signal at saturation, in the unit of the signal; the highest where each sensor has its own; null without one',
    ),
    rmax_relation: defineRelation('rmax'),
    rmax_rule: RmaxRule,
    chi2: defineNumber(
      'residual sum of squares per degree of freedom, in the square of the unit of the signal; null without a kinetic fit',
    ),
    r2: R2,
    technique: Technique,
    model: defineText(`what was fitted: ${MODELS}; ${NO_FIT}`),
    reference_rule: ReferenceRule,
    drift: defineFlag('whether a drift per curve was fitted; null without a fit'),
    drift_per_s: defineNumber(
      'fitted drift of the largest size, in the unit of the signal per s; null where none was fitted',
    ),
    drift_source: defineText(
      'where the drift is known from: reference, blank, reference_and_blank, baseline, fit (not held) or none; null without a fit',
    ),
    association_s: AssociationS,
    dissociation_s: DissociationS,
    response: defineNumber('at the highest usable concentration, in the unit of the signal'),
    z_score: defineNumber('robust standard deviations above the median of the negative controls; screening'),
    threshold: defineNumber('above it the response is binding, in the unit of the signal; screening'),
    kd_detectable_m: KdDetectable,
    kd_detectable_basis: KdDetectableBasis,
    flags: Type.Optional(Flags),
    outcome: ReplicateOutcome,
  },
  { additionalProperties: true },
);
export type AffinityReplicate = Static<typeof AffinityReplicate>;

export const AffinityResult = Type.Object(
  {
    result_type: Type.Literal('affinity', {
      description: 'the shape of the row: binding rows of both assays',
    }),
    assessment: Type.Optional(Assessment),
    outcome: Outcome,
    binding: Binding,
    call: Call,
    binding_model: Type.Optional(
      Nullable(Type.Array(OneOf(['standard', 'bivalent_analyte', 'conformational'])), {
        description:
          'kinds of model behind KD, each once: bivalent_analyte for an analyte with two sites, otherwise standard; null without a KD',
      }),
    ),
    binding_strength: Type.String({
      description:
        'by the value of KD: strong below 50 nM, medium to 1 µM, weak to 10 µM; none for a non-binder; otherwise unknown. `assessment` names a second class',
    }),
    concentration_display: defineText('`concentration_value` with its unit, for people; null without it'),
    concentration_value: defineNumber(
      'concentration of the expressed protein in nM; null, because a binding assay does not measure it',
    ),
    expression: Expression,
    fit_quality: defineText(FIT_QUALITY),
    kd_app: defineInterval('`kd_mean` with its 95 % interval, in M'),
    kd_log_std: defineNumber('standard deviation of log10 KD over replicates; null below two'),
    kd_mean: defineNumber('dissociation constant in M, geometric mean of the replicates; null without one'),
    kd_arithmetic_mean: defineNumber(
      'arithmetic mean of KD in M, as in published tables; null where KD is a limit',
    ),
    kd_relation: defineRelation('kd_mean'),
    kd_units: Type.String({ description: 'M, always' }),
    koff_1to1: defineInterval('`koff_mean` with its 95 % interval, in 1/s'),
    koff_log_std: defineNumber('standard deviation of log10 koff over replicates; null below two'),
    koff_mean: defineNumber('dissociation rate in 1/s, geometric mean of the replicates; null without one'),
    koff_relation: defineRelation('koff_mean'),
    kon_1to1: defineInterval('`kon_mean` with its 95 % interval, in 1/(M·s)'),
    kon_log_std: defineNumber('standard deviation of log10 kon over replicates; null below two'),
    kon_mean: defineNumber('association rate in 1/(M·s), geometric mean of the replicates; null without one'),
    kon_relation: defineRelation('kon_mean'),
    method: Type.Optional(
      Nullable(Type.Array(FitName), {
        description: 'fits behind KD, each once: one kind of site (1:1) or two (2:1); null without a KD',
      }),
    ),
    technique: Technique,
    model: Type.Optional(
      Nullable(Type.Array(Type.String()), {
        description: `models behind KD, each once: ${MODELS}; null without a KD`,
      }),
    ),
    performance: Performance,
    comparison: Comparison,
    place: Place,
    ...replicateCounts,
    positive_control: PositiveControl,
    replicates: Type.Array(AffinityReplicate, {
      description: 'one entry for each measurement of the sequence',
    }),
    rmse_max_signal_pct: defineNumber('largest of the replicates: residuals in percent of Rmax'),
    ...screening,
    concentrations_m: Type.Optional(Concentrations),
    kd_detectable_m: KdDetectable,
    kd_detectable_basis: KdDetectableBasis,
    sequence: describe(SequenceEntry, 'the sequence that was measured, as it was ordered'),
    target: Type.Optional(Nullable(TargetReference, { description: 'the antigen; null without a target' })),
    target_id: defineText('id of the antigen in the catalog; null for one outside it'),
  },
  { additionalProperties: true },
);
export type AffinityResult = Static<typeof AffinityResult>;

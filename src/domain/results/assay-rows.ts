/** Summary rows of the assays without a target. A value that could not be measured is null or a quantity with a relation, never 0. */
import { Nullable, OneOf, Type, Uuid, type Static } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';
import { KineticInterval, Quantity } from './quantity.ts';

const number = Type.Optional(Nullable(Type.Number()));
const text = Type.Optional(Nullable(Type.String()));
const quantity = Type.Optional(Nullable(Quantity));
const interval = Type.Optional(Nullable(KineticInterval));
const open = { additionalProperties: true } as const;
const verdicts = Type.Record(Type.String(), Nullable(Type.String()));

const Replicate = {
  replicate: Type.Integer(),
  well: text,
  plate: text,
  outcome: text,
  flags: Type.Optional(Type.Array(Type.String())),
};

const Row = {
  sequence_id: Uuid,
  sequence_name: text,
  positive_control: Type.Boolean(),
  place: Type.Optional(Nullable(Type.Integer())),
  performance: verdicts,
};

const ThermostabilityReplicate = Type.Object(
  {
    ...Replicate,
    tm: number,
    tm_relation: text,
    tm_interval: interval,
    tm_all: Type.Optional(Type.Array(Type.Number())),
    tonset: number,
    tonset_relation: text,
    tagg: number,
    tagg_relation: text,
    dh: number,
    dh_relation: text,
    r2: number,
    no_transition_reason: text,
  },
  open,
);

/** The contract's row, with the members of its older generation and ours beside them. Temperatures in °C, enthalpy in kcal/mol. */
export const ThermostabilityResult = Type.Object(
  {
    result_type: Type.Literal('thermostability'),
    ...Row,
    bli_result_id: Type.Optional(Nullable(Uuid)),
    sequence: text,
    tm: number,
    tm_relation: text,
    inflection_pts_for_ratio: Type.Array(Type.Number()),
    onset_pts_for_ratio: Type.Array(Type.Number()),
    initial_330nm: number,
    t_onset: Type.Optional(Type.Number({ description: 'as tonset; absent for a limit' })),
    t_agg: Type.Optional(Type.Number({ description: 'as tagg; absent for a limit' })),
    quality_score: Type.Optional(Type.Number()),
    tm_quantity: quantity,
    tm_sd: number,
    tm_method: text,
    tm_all: Type.Optional(Type.Array(Type.Number())),
    tonset: number,
    tonset_relation: text,
    tagg: number,
    tagg_relation: text,
    dh: number,
    dh_relation: text,
    delta_tm_vs_control: number,
    delta_tm_relation: text,
    delta_tm_interval: interval,
    delta_tm_control: Type.Optional(Nullable(Type.String({ description: 'name of that control' }))),
    r2: number,
    no_transition_reason: text,
    replicates: Type.Array(ThermostabilityReplicate),
  },
  open,
);
export type ThermostabilityResult = Static<typeof ThermostabilityResult>;

const ExpressionReplicate = Type.Object(
  {
    ...Replicate,
    yield_ng_per_ul: number,
    yield_ng_per_ul_relation: text,
    yield_ng_per_ul_interval: interval,
    loading_signal: number,
    loading_signal_adjusted: number,
  },
  open,
);

export const ExpressionResult = Type.Object(
  {
    result_type: Type.Literal('expression'),
    ...Row,
    sequence: SequenceEntry,
    yield_ng_per_ul: number,
    yield_relation: text,
    yield_quantity: quantity,
    yield_ug: number,
    yield_ug_relation: text,
    molar_um: number,
    molar_um_relation: text,
    expression_class: Nullable(OneOf(['none', 'low', 'medium', 'high'])),
    expressed: Nullable(Type.Boolean({ description: 'null where the assay cannot tell' })),
    lloq: number,
    uloq: number,
    quantification: Type.Optional(Nullable(OneOf(['bli_capture', 'a280']))),
    loading_signal: number,
    nc_adjusted: Type.Optional(
      Nullable(Type.Boolean({ description: 'the control without DNA was taken off' })),
    ),
    replicates: Type.Array(ExpressionReplicate),
  },
  open,
);
export type ExpressionResult = Static<typeof ExpressionResult>;

const FluorescenceReplicate = Type.Object(
  {
    ...Replicate,
    raw: number,
    intensity: number,
    intensity_relation: text,
    normalized_to_control: number,
    normalized_to_control_relation: text,
    saturated: Type.Optional(Type.Boolean()),
  },
  open,
);

export const FluorescenceResult = Type.Object(
  {
    result_type: Type.Literal('fluorescence'),
    ...Row,
    sequence: SequenceEntry,
    intensity: number,
    intensity_relation: text,
    intensity_quantity: quantity,
    intensity_unit: text,
    normalized_to_control: number,
    normalized_to_control_relation: text,
    normalized_quantity: quantity,
    log2_fold: number,
    log2_fold_relation: text,
    cv_pct: number,
    ex_nm: number,
    em_nm: number,
    gain: number,
    z_prime_plate: number,
    saturated: Type.Boolean(),
    replicates: Type.Array(FluorescenceReplicate),
  },
  open,
);
export type FluorescenceResult = Static<typeof FluorescenceResult>;

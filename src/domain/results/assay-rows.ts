/** Summary rows of the assays without a target. A value that could not be measured is null or a quantity with a relation, never 0. */
import { describe, Nullable, OneOf, Type, Uuid, type Static } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';
import {
  flag,
  Flags,
  interval,
  NoTransitionReason,
  number,
  ReplicateOutcome,
  Performance,
  Place,
  Plate,
  PositiveControl,
  quantity,
  R2,
  R2Worst,
  relation,
  ReplicateNumber,
  text,
  Well,
} from './row-fields.ts';

const open = { additionalProperties: true } as const;

const Replicate = {
  replicate: ReplicateNumber,
  well: Well,
  plate: Plate,
  outcome: ReplicateOutcome,
  flags: Type.Optional(Flags),
};

const Row = {
  sequence_id: describe(Uuid, 'what was measured; `get_sequence_info` takes it'),
  sequence_name: text('as it was ordered; unique in the experiment'),
  positive_control: PositiveControl,
  place: Place,
  performance: Performance,
};
const Sequence = describe(SequenceEntry, 'what was measured, as it was ordered');
const shape = 'the shape of the row';

const melting = {
  tonset: number('°C at which 1 % is unfolded; null without a fit that tells'),
  tonset_relation: relation('tonset'),
  tagg: number('°C at which light scattering leaves its baseline; null without scattering'),
  tagg_relation: relation('tagg'),
  dh: number("van 't Hoff enthalpy in kcal/mol; of the two-state model only"),
  dh_relation: relation('dh'),
};
const tmAll = (whose: string) =>
  Type.Optional(Type.Array(Type.Number(), { description: `°C of every transition ${whose}, ascending` }));

const ThermostabilityReplicate = Type.Object(
  {
    ...Replicate,
    tm: number('°C of the lowest transition; null without one'),
    tm_relation: relation('tm'),
    tm_interval: interval('the same Tm with its 95 % interval, in °C'),
    tm_all: tmAll('of this well'),
    ...melting,
    r2: R2,
    no_transition_reason: NoTransitionReason,
  },
  open,
);

/** The contract's row, with the members of its older generation and ours beside them. */
export const ThermostabilityResult = Type.Object(
  {
    result_type: Type.Literal('thermostability', { description: shape }),
    ...Row,
    bli_result_id: Type.Optional(Nullable(Uuid, { description: 'always null; kept for older clients' })),
    sequence: text('its amino acids in single letters'),
    tm: number('°C of the lowest transition, arithmetic mean of the replicates; null without one'),
    tm_relation: relation('tm'),
    inflection_pts_for_ratio: Type.Array(Type.Number(), {
      description: '°C of the peaks of the first derivative, of all replicates one after the other',
    }),
    onset_pts_for_ratio: Type.Array(Type.Number(), {
      description: '°C of the onset of each replicate that has one',
    }),
    initial_330nm: number(
      'fluorescence at 330 nm over the first °C, mean of the replicates; null without that channel',
    ),
    t_onset: Type.Optional(Type.Number({ description: 'as tonset; absent for a limit' })),
    t_agg: Type.Optional(Type.Number({ description: 'as tagg; absent for a limit' })),
    quality_score: Type.Optional(Type.Number({ description: 'as r2; absent without a fit' })),
    tm_quantity: quantity('`tm` with its interval, spread and number of replicates'),
    tm_sd: number('standard deviation of the Tm of the replicates, in °C; null below two'),
    tm_method: text('two_state, boltzmann or derivative: one for the whole experiment; null without a Tm'),
    tm_all: tmAll('of the sequence'),
    ...melting,
    delta_tm_vs_control: number('°C above the first positive control of the run; null without either Tm'),
    delta_tm_relation: relation('delta_tm_vs_control'),
    delta_tm_interval: interval('the same difference with its 95 % interval, in °C'),
    delta_tm_control: text('name of that control; null without a difference'),
    r2: R2Worst,
    no_transition_reason: NoTransitionReason,
    replicates: Type.Array(ThermostabilityReplicate, { description: 'each capillary or well' }),
  },
  open,
);
export type ThermostabilityResult = Static<typeof ThermostabilityResult>;

const ExpressionReplicate = Type.Object(
  {
    ...Replicate,
    yield_ng_per_ul: number('yield of the undiluted reaction, in ng/µL; null without a value'),
    yield_ng_per_ul_relation: relation('yield_ng_per_ul'),
    yield_ng_per_ul_interval: interval('the same yield with its 95 % interval, in ng/µL'),
    loading_signal: number('initial rate of the capture in signal per s, or absorbance, as measured'),
    loading_signal_adjusted: number('the same less that of the reaction without DNA'),
  },
  open,
);

export const ExpressionResult = Type.Object(
  {
    result_type: Type.Literal('expression', { description: shape }),
    ...Row,
    sequence: Sequence,
    yield_ng_per_ul: number(
      'of the undiluted reaction, in ng/µL, geometric mean of the replicates; null without a value',
    ),
    yield_relation: relation('yield_ng_per_ul'),
    yield_quantity: quantity('`yield_ng_per_ul` with its interval, spread and number of replicates'),
    yield_ug: number('micrograms in the volume of one reaction; null without a yield'),
    yield_ug_relation: relation('yield_ug'),
    molar_um: number('the yield in µM, by the mass of the sequence; null where either is unknown'),
    molar_um_relation: relation('molar_um'),
    expression_class: Nullable(OneOf(['none', 'low', 'medium', 'high']), {
      description: 'low to 20 ng/µL, medium to 100, unless the settings say otherwise; null without a yield',
    }),
    expressed: Nullable(Type.Boolean(), {
      description: 'whether it is at least 2 ng/µL; null where the assay cannot tell',
    }),
    lloq: number(
      'lower limit of quantification, in ng/µL of the undiluted reaction; the highest of its plates',
    ),
    uloq: number(
      'upper limit of quantification, in ng/µL of the undiluted reaction; the lowest of its plates',
    ),
    quantification: Type.Optional(
      Nullable(OneOf(['bli_capture', 'a280']), {
        description: 'capture on a sensor, or absorbance at 280 nm',
      }),
    ),
    loading_signal: number('mean of `loading_signal_adjusted` over replicates'),
    nc_adjusted: flag('whether the control without DNA was taken off'),
    replicates: Type.Array(ExpressionReplicate, { description: 'each sensor or well' }),
  },
  open,
);
export type ExpressionResult = Static<typeof ExpressionResult>;

const FluorescenceReplicate = Type.Object(
  {
    ...Replicate,
    raw: number('as the reader gave it, in the unit of the plate; null where the detector overflowed'),
    intensity: number('less the mean of the blank wells, in `intensity_unit`; null without a value'),
    intensity_relation: relation('intensity'),
    normalized_to_control: number('1 is as bright as the reference of the plate; null without one'),
    normalized_to_control_relation: relation('normalized_to_control'),
    saturated: Type.Optional(Type.Boolean({ description: 'whether the detector was at its limit' })),
  },
  open,
);

export const FluorescenceResult = Type.Object(
  {
    result_type: Type.Literal('fluorescence', { description: shape }),
    ...Row,
    sequence: Sequence,
    intensity: number(
      'less the blank, in `intensity_unit`, mean of the replicates; null where readings differ in gain or wavelength',
    ),
    intensity_relation: relation('intensity'),
    intensity_quantity: quantity('`intensity` with its interval and number of replicates'),
    intensity_unit: text('unit of the reader, such as RFU'),
    normalized_to_control: number(
      '(F − blank)/(reference − blank): 1 is as bright as the reference; null without one',
    ),
    normalized_to_control_relation: relation('normalized_to_control'),
    normalized_quantity: quantity('`normalized_to_control` with its interval and number of replicates'),
    log2_fold: number('log2 of `normalized_to_control`; null for a limit'),
    log2_fold_relation: relation('log2_fold'),
    cv_pct: number('coefficient of variation over replicates, in percent; null below two'),
    ex_nm: number('wavelength of excitation in nm; null where the plates differ'),
    em_nm: number('wavelength of emission in nm; null where the plates differ'),
    gain: number('setting of the detector, without unit; null where the plates differ'),
    z_prime_plate: number('Z′ of reference against dark control, lowest of its plates; above 0.5 is good'),
    saturated: Type.Boolean({ description: 'whether the detector was at its limit in any replicate' }),
    replicates: Type.Array(FluorescenceReplicate, { description: 'each well' }),
  },
  open,
);
export type FluorescenceResult = Static<typeof FluorescenceResult>;

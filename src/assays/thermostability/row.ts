/** The summary row of thermostability. */
import { defineText } from '#core/fields.ts';
import { Nullable, Type, Uuid, type Static } from '#core/schema.ts';
import {
  defineInterval,
  NoTransitionReason,
  defineNumber,
  defineQuantity,
  R2,
  R2Worst,
  defineRelation,
} from '#features/results/row-fields.ts';
import { open, Replicate, Row, shape, type Summarized } from '../row.ts';

const melting = {
  tonset: defineNumber('°C at which 1 % is unfolded; null where no fit determines it'),
  tonset_relation: defineRelation('tonset'),
  tagg: defineNumber('°C at which light scattering leaves its baseline; null without scattering data'),
  tagg_relation: defineRelation('tagg'),
  dh: defineNumber("van 't Hoff enthalpy in kcal/mol; for the two-state model only"),
  dh_relation: defineRelation('dh'),
};
const defineAllTms = (whose: string) =>
  Type.Optional(
    Type.Array(Type.Number(), {
      description: `°C of every transition ${whose}, ascending; \`transitions\` has their intervals`,
    }),
  );

const MeltingTransition = Type.Object(
  {
    tm: Type.Number({ description: '°C at which half of this transition has unfolded' }),
    tm_relation: defineRelation('tm'),
    tm_interval: defineInterval('the same Tm with its 95 % interval, in °C'),
    n: Type.Integer({ description: 'number of replicates whose Tm of this transition count' }),
    doubt: defineText(
      'why it is an estimate or has no interval: melt_unlike_model, melt_incomplete, transition_not_in_all or peak_undetermined; null where it is measured',
    ),
  },
  open,
);
const defineTransitions = (whose: string) =>
  Type.Optional(
    Type.Array(MeltingTransition, {
      description: `every transition ${whose}, in the order of \`tm_all\`; the first is that of \`tm\``,
    }),
  );

const ThermostabilityReplicate = Type.Object(
  {
    ...Replicate,
    tm: defineNumber('°C of the lowest transition; null without one'),
    tm_relation: defineRelation('tm'),
    tm_interval: defineInterval('the same Tm with its 95 % interval, in °C'),
    tm_all: defineAllTms('of this well'),
    transitions: defineTransitions('of this well'),
    ...melting,
    r2: R2,
    no_transition_reason: NoTransitionReason,
  },
  open,
);

/** The contract's row. It also has the older names of some fields, and fields that the contract lacks. */
export const ThermostabilityResult = Type.Object(
  {
    result_type: Type.Literal('thermostability', { description: shape }),
    ...Row,
    bli_result_id: Type.Optional(Nullable(Uuid, { description: 'always null; kept for older clients' })),
    sequence: defineText('its amino acids in single letters'),
    tm: defineNumber('°C of the lowest transition, arithmetic mean of the replicates; null without one'),
    tm_relation: defineRelation('tm'),
    inflection_pts_for_ratio: Type.Array(Type.Number(), {
      description: '°C of the peaks of the first derivative, replicate after replicate',
    }),
    onset_pts_for_ratio: Type.Array(Type.Number(), {
      description: '°C of the onset of each replicate that has one',
    }),
    initial_330nm: defineNumber(
      'fluorescence at 330 nm over the first °C, mean of the replicates; null without that channel',
    ),
    t_onset: Type.Optional(Type.Number({ description: 'as tonset; absent for a limit' })),
    t_agg: Type.Optional(Type.Number({ description: 'as tagg; absent for a limit' })),
    quality_score: Type.Optional(Type.Number({ description: 'as r2; absent without a fit' })),
    tm_quantity: defineQuantity('`tm` with its interval, spread and number of replicates'),
    tm_sd: defineNumber('standard deviation of the Tm of the replicates, in °C; null below two'),
    tm_method: defineText(
      'two_state, boltzmann or derivative: one for the whole experiment; null without a Tm',
    ),
    tm_all: defineAllTms('of the sequence'),
    transitions: defineTransitions('of the sequence'),
    transition_doubts: Type.Optional(
      Type.Array(Type.String(), {
        description: '`doubt` of each transition as one list; none where it is null',
      }),
    ),
    ...melting,
    delta_tm_vs_control: defineNumber(
      '°C above the first positive control of the run; null without either Tm',
    ),
    delta_tm_relation: defineRelation('delta_tm_vs_control'),
    delta_tm_interval: defineInterval('the same difference with its 95 % interval, in °C'),
    delta_tm_control: defineText('name of that control; null without a difference'),
    r2: R2Worst,
    no_transition_reason: NoTransitionReason,
    replicates: Type.Array(ThermostabilityReplicate, { description: 'one entry for each capillary or well' }),
  },
  open,
);
export type ThermostabilityResult = Static<typeof ThermostabilityResult>;

export function findThermostabilityRow({ rows }: Summarized): ThermostabilityResult | undefined {
  return rows.find((row): row is ThermostabilityResult => row.result_type === 'thermostability');
}

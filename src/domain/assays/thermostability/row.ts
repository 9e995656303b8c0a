/** The summary row of thermostability. */
import { Nullable, Type, Uuid, type Static } from '#core/schema.ts';
import {
  interval,
  NoTransitionReason,
  number,
  quantity,
  R2,
  R2Worst,
  relation,
  text,
} from '#domain/results/row-fields.ts';
import { open, Replicate, Row, shape, type Summarized } from '../row.ts';

const melting = {
  tonset: number('°C at which 1 % is unfolded; null where no fit determines it'),
  tonset_relation: relation('tonset'),
  tagg: number('°C at which light scattering leaves its baseline; null without scattering data'),
  tagg_relation: relation('tagg'),
  dh: number("van 't Hoff enthalpy in kcal/mol; for the two-state model only"),
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

/** The contract's row. It also has the older names of some fields, and fields that the contract lacks. */
export const ThermostabilityResult = Type.Object(
  {
    result_type: Type.Literal('thermostability', { description: shape }),
    ...Row,
    bli_result_id: Type.Optional(Nullable(Uuid, { description: 'always null; kept for older clients' })),
    sequence: text('its amino acids in single letters'),
    tm: number('°C of the lowest transition, arithmetic mean of the replicates; null without one'),
    tm_relation: relation('tm'),
    inflection_pts_for_ratio: Type.Array(Type.Number(), {
      description: '°C of the peaks of the first derivative, replicate after replicate',
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
    replicates: Type.Array(ThermostabilityReplicate, { description: 'one entry for each capillary or well' }),
  },
  open,
);
export type ThermostabilityResult = Static<typeof ThermostabilityResult>;

export function thermostabilityRow({ summary }: Summarized): ThermostabilityResult | undefined {
  return summary.find((row): row is ThermostabilityResult => row.result_type === 'thermostability');
}

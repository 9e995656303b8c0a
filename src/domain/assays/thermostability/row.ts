/** The summary row of thermostability. */
import { Nullable, Type, Uuid, type Static } from '#core/schema.ts';
import { interval, number, open, quantity, Replicate, Row, text } from '../row.ts';
import type { Summarized } from '../row.ts';

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

export function thermostabilityRow({ summary }: Summarized): ThermostabilityResult | undefined {
  return summary.find((row): row is ThermostabilityResult => row.result_type === 'thermostability');
}

/**
 * This table alone decides the relation of a quantity (`=`, `<`, `>`, `~`). It lists the cases in which a number is not
 * simply measured, each with its relation, the number that the result states and the reason. Each step of the analysis
 * (a fit, a replicate, all replicates) names the cases that hold; of those, the first in the order of the table decides.
 * `docs/guide/results.md` has the same rows, and a test compares them.
 */

export const RELATIONS = ['=', '<', '>', '~'] as const;
export type Relation = (typeof RELATIONS)[number];
/** Relations that say that the true value lies beyond the number. */
export type LimitRelation = '<' | '>';

/** The signs before numbers on pages and in documents; a measured value has none. */
export const RELATION_SIGNS: Readonly<Record<string, string>> = { '<': '<', '>': '>', '~': '≈' };

/** Returns what stands before a number: the sign of its relation and a space, or nothing. */
export function formatRelation(relation: string | null | undefined): string {
  const sign = RELATION_SIGNS[relation ?? ''];
  return sign === undefined ? '' : `${sign} `;
}

export interface RelationRule {
  /** Null: the result states no number. */
  readonly relation: Relation | null;
  /** The number that the result states. What is a limit keeps its sign, whatever else is in doubt. */
  readonly stated: 'value' | 'limit' | 'low_end' | 'high_end' | 'nothing';
  /** The quantities that the case is about. */
  readonly of: string;
  readonly because: string;
}

export const RELATION_RULES = {
  curves_unlike_binding: {
    relation: null,
    stated: 'nothing',
    of: 'KD, kon, koff',
    because: 'The response is just above the threshold, and the curves do not look like binding.',
  },
  drift_describes_curves: {
    relation: null,
    stated: 'nothing',
    of: 'KD, kon, koff',
    because: 'A drift of the sensors describes the curves as well as binding does.',
  },
  no_kinetics_seen: {
    relation: null,
    stated: 'nothing',
    of: 'KD, kon, koff',
    because: 'The curves show no kinetics, and their responses do not follow the concentration.',
  },
  rmax_within_noise: {
    relation: null,
    stated: 'nothing',
    of: 'KD, kon, koff',
    because: 'Rmax does not stand out from the noise.',
  },
  no_dose_response: {
    relation: null,
    stated: 'nothing',
    of: 'KD at equilibrium',
    because: 'The responses do not follow the concentration.',
  },
  limit_of_clipped_signal: {
    relation: null,
    stated: 'nothing',
    of: 'KD, kon, koff',
    because: 'The signal ends at a ceiling or a floor of the detector, and shows no limit.',
  },
  limit_of_one_model: {
    relation: null,
    stated: 'nothing',
    of: 'KD',
    because: 'Another model describes the curves as well or better, and its KD lies beyond it.',
  },
  limit_without_plateau: {
    relation: null,
    stated: 'nothing',
    of: 'KD',
    because: 'No curve approaches saturation: a few tight sites among many weak ones would look alike.',
  },
  limit_of_top_dose: {
    relation: null,
    stated: 'nothing',
    of: 'KD',
    because: 'A limit would rest on the highest dose; the others give a weaker KD, and no limit.',
  },
  koff_below_window_unbounded: {
    relation: null,
    stated: 'nothing',
    of: 'koff',
    because: 'Too little dissociates to measure, and the curves do not bound koff from above.',
  },
  koff_below_window: {
    relation: '<',
    stated: 'limit',
    of: 'koff',
    because: 'Too little dissociates to measure, given the recorded time, the drift and the noise.',
  },
  kon_above_sensor: {
    relation: '>',
    stated: 'limit',
    of: 'kon',
    because: 'Association is faster than the sensor can resolve.',
  },
  rate_beyond_limit: {
    relation: '<',
    stated: 'limit',
    of: 'KD',
    because: 'koff is below a limit, or kon is above one.',
  },
  transport_limited: {
    relation: '>',
    stated: 'limit',
    of: 'kon, koff',
    because: 'Mass transport to the surface slows both rates; it does not affect KD.',
  },
  kd_above_concentrations: {
    relation: '>',
    stated: 'limit',
    of: 'KD at equilibrium',
    because: 'Every concentration is below half of KD.',
  },
  kd_below_concentrations: {
    relation: '<',
    stated: 'limit',
    of: 'KD at equilibrium',
    because: 'Every concentration is more than ten times KD: the surface is saturated at all of them.',
  },
  onset_before_ramp: {
    relation: '<',
    stated: 'limit',
    of: 'onset of unfolding',
    because: 'Unfolding begins before the first temperature.',
  },
  no_aggregation_seen: {
    relation: '>',
    stated: 'limit',
    of: 'onset of aggregation',
    because: 'No aggregation is seen up to the last temperature.',
  },
  above_standards: {
    relation: '>',
    stated: 'limit',
    of: 'yield',
    because: 'The response is above the highest usable standard.',
  },
  below_standards: {
    relation: '<',
    stated: 'limit',
    of: 'yield',
    because: 'The response is below the lowest usable standard.',
  },
  detector_saturated: {
    relation: '>',
    stated: 'limit',
    of: 'intensity',
    because: 'The detector was saturated.',
  },
  below_blanks: {
    relation: '<',
    stated: 'limit',
    of: 'yield, intensity',
    because: 'The reading is not distinguishable from the blanks.',
  },
  all_replicates_below: {
    relation: '<',
    stated: 'limit',
    of: 'every aggregate',
    because: 'Every replicate is below a limit, or may lie below it; the highest bound is stated.',
  },
  all_replicates_above: {
    relation: '>',
    stated: 'limit',
    of: 'every aggregate',
    because: 'Every replicate is above a limit, or may lie above it; the lowest bound is stated.',
  },
  open_on_both_sides: {
    relation: null,
    stated: 'nothing',
    of: 'KD, kon, koff',
    because: 'The curves bound the value on neither side.',
  },
  open_above: {
    relation: '>',
    stated: 'low_end',
    of: 'KD, kon, koff',
    because: 'The curves do not bound the value from above; the lower end of its interval is stated.',
  },
  open_below: {
    relation: '<',
    stated: 'high_end',
    of: 'KD, kon, koff',
    because: 'The curves do not bound the value from below; the upper end of its interval is stated.',
  },
  control_missed: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff',
    because: 'The positive control of the plate missed its known value.',
  },
  poor_fit: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff',
    because: 'The model does not describe the curves.',
  },
  signal_clipped: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff, Rmax',
    because: 'The signal ends at a ceiling or a floor of the detector.',
  },
  model_in_doubt: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff, Rmax',
    because: 'Another model describes the curves better and gives another KD.',
  },
  rivals_differ: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff',
    because: 'Other models that fit about as well give a KD more than threefold higher or lower.',
  },
  window_decides: {
    relation: '~',
    stated: 'value',
    of: 'KD',
    because: 'The first third of dissociation gives a KD outside the interval, or threefold off.',
  },
  site_above_doses: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff',
    because: 'There are two kinds of site, and KD of the larger part lies above the highest concentration.',
  },
  replicates_mix_limits: {
    relation: '~',
    stated: 'value',
    of: 'every aggregate',
    because: 'Some replicates are limits, and others lie on the wrong side of these.',
  },
  replicate_is_estimate: {
    relation: '~',
    stated: 'value',
    of: 'every aggregate',
    because: 'The value of a replicate is an estimate.',
  },
  replicates_spread: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff, Rmax',
    because: 'The replicates spread more widely than the settings allow.',
  },
  wide_interval: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff, Rmax, yield',
    because: 'The interval leaves less than one significant digit.',
  },
  near_assay_limit: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff',
    because: 'A rate is so close to a limit of the assay that noise decides which side it falls on.',
  },
  higher_rmax_fits: {
    relation: '~',
    stated: 'value',
    of: 'Rmax',
    because: 'A weaker KD with a higher Rmax describes the curves as well.',
  },
  kd_not_measured: {
    relation: '~',
    stated: 'value',
    of: 'Rmax at equilibrium',
    because: 'KD is a limit or an estimate, and Rmax depends on it.',
  },
  melt_unlike_model: {
    relation: '~',
    stated: 'value',
    of: 'Tm, ΔH, onset of unfolding',
    because: 'The curve does not follow the model of unfolding.',
  },
  melt_incomplete: {
    relation: '~',
    stated: 'value',
    of: 'Tm, ΔH, onset of unfolding',
    because:
      'The transition is cut off by the detector, overlaps another process, or lacks a baseline that determines it.',
  },
  transition_not_in_all: {
    relation: '~',
    stated: 'value',
    of: 'Tm',
    because:
      'Not every replicate with a Tm shows this transition, or half of the replicates or more have no Tm.',
  },
  drift_in_doubt: {
    relation: '~',
    stated: 'value',
    of: 'KD',
    because:
      'A drift that nothing else shows was fitted, and another mechanism would explain the curves as well and move KD.',
  },
  times_in_doubt: {
    relation: '~',
    stated: 'value',
    of: 'KD',
    because: 'The steps seem to begin at times other than the stated ones, which would change KD.',
  },
  doses_disagree: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff, Rmax',
    because: 'The doses contradict one another.',
  },
  single_concentration: {
    relation: '~',
    stated: 'value',
    of: 'KD, kon, koff, Rmax',
    because: 'There is only one concentration.',
  },
  screening_estimate: {
    relation: '~',
    stated: 'value',
    of: 'KD of a screen',
    because: 'The value is estimated from the responses at two concentrations.',
  },
  difference_of_estimates: {
    relation: '~',
    stated: 'value',
    of: 'difference of Tm',
    because: 'One of the two temperatures is not a measured value.',
  },
  measured: {
    relation: '=',
    stated: 'value',
    of: 'everything',
    because: 'None of the above holds.',
  },
} as const satisfies Readonly<Record<string, RelationRule>>;

type Rules = typeof RELATION_RULES;
export type RelationCase = keyof Rules;
/** The cases that come with a limit. */
export type LimitCase = {
  [Name in RelationCase]: Rules[Name] extends { relation: LimitRelation; stated: 'limit' } ? Name : never;
}[RelationCase];
/** The cases in which nothing is stated. */
export type WithheldCase = {
  [Name in RelationCase]: Rules[Name] extends { relation: null } ? Name : never;
}[RelationCase];
/** The cases that turn a value into an estimate. */
export type DoubtCase = {
  [Name in RelationCase]: Rules[Name] extends { relation: '~' } ? Name : never;
}[RelationCase];

/** Which cases hold; a case that is not named does not. */
export type RelationCases<Name extends RelationCase = RelationCase> = Partial<
  Readonly<Record<Name, boolean>>
>;

/** Returns the first rule of the table whose case holds, or the rule of a measured value. */
export function decideRelation(cases: RelationCases): RelationRule {
  return RELATION_RULES[findDecidingCase(cases) ?? 'measured'];
}

/** Finds the first case of the table that holds. */
export function findDecidingCase<Name extends RelationCase>(cases: RelationCases<Name>): Name | null {
  const names: Partial<Record<RelationCase, boolean>> = cases;
  return listNames(RELATION_RULES).find((name): name is Name => names[name] === true) ?? null;
}

/** Returns the relation of a number that an earlier step stated as `found`, once a later step doubts it; a limit keeps its own. */
export function decideDoubtedRelation(found: Relation, doubts: RelationCases<DoubtCase>): Relation {
  const { relation } = decideRelation(doubts);
  return found === RELATION_RULES.measured.relation ? (relation ?? found) : found;
}

function listNames<Table extends object>(table: Table): Extract<keyof Table, string>[] {
  const names: Extract<keyof Table, string>[] = [];
  for (const name in table) if (Object.hasOwn(table, name)) names.push(name);
  return names;
}

/** Returns the relation of an aggregate of several values. */
export function decideAggregateRelation(relations: readonly Relation[]): Relation {
  if (relations.length === 0) throw new Error('an aggregate needs at least one value');
  const isAll = (expected: Relation): boolean => relations.every((relation) => relation === expected);
  if (isAll('<')) return RELATION_RULES.all_replicates_below.relation;
  if (isAll('>')) return RELATION_RULES.all_replicates_above.relation;
  if (relations.some(isLimit)) return RELATION_RULES.replicates_mix_limits.relation;
  return isAll('=') ? RELATION_RULES.measured.relation : RELATION_RULES.replicate_is_estimate.relation;
}

/** Whether the relation says that the true value lies beyond the number. */
export function isLimit(relation: unknown): relation is LimitRelation {
  return relation === '<' || relation === '>';
}

/**
 * Combines replicates to one value per sequence: geometric mean, spread, relation, class, rank, comparison with
 * controls.
 */
import type {
  Binding,
  BindingStrength,
  Comparison,
  Expression,
  Grade,
  Outcome,
  ReplicateAffinity,
  SequenceAffinity,
} from './types.ts';
import { distinctFlags, flag } from '../../quality/flags.ts';
import type { Flag } from '../../quality/flags.ts';
import { decideAggregateRelation, isLimit } from '#core/relations.ts';
import type { Relation } from '#core/relations.ts';
import { applyDoubts } from '../../quantities/quantity.ts';
import type { Quantity } from '../../quantities/quantity.ts';
import { chooseCautious } from '../../quantities/replicates.ts';
import type { BindingSettings } from '../binding/settings.ts';
import { computeMean, computeStandardDeviation } from '../../numerics/moments.ts';
import { computeT95 } from '../../numerics/quantiles.ts';
import { computeMedian } from '../../numerics/robust.ts';

/** Upper KD limits of the classes, in M. */
const STRENGTH_LIMITS_M = { strong: 50e-9, medium: 1e-6, weak: 10e-6 } as const;

/** Returns null where a limit, or the interval of an estimate, leaves the class open. */
export function bindingStrength(kd: Quantity): BindingStrength | null {
  const at = classOf(kd.value);
  if (kd.relation === '~') {
    const isOne = [kd.ci95Low, kd.ci95High].every((end) => end === null || classOf(end) === at);
    return isOne ? at : null;
  }
  if (kd.relation === '<' && at !== 'strong') return null;
  return kd.relation === '>' && at !== 'none' ? null : at;
}

function classOf(kdM: number): BindingStrength {
  if (kdM < STRENGTH_LIMITS_M.strong) return 'strong';
  if (kdM < STRENGTH_LIMITS_M.medium) return 'medium';
  return kdM <= STRENGTH_LIMITS_M.weak ? 'weak' : 'none';
}

/**
 * Turns a value whose replicates disagree into an estimate. The criterion is their SD, not the interval: the interval
 * of two replicates is always wide (t = 12.7), while with three or more an SD of 0.3 in log10 gives at most a
 * thirty-fold interval.
 */
function agreed(quantity: Quantity | null, log10SdMax: number): Quantity | null {
  return applyDoubts(quantity, { replicates_spread: (quantity?.log10Sd ?? 0) > log10SdMax });
}

/**
 * Returns the geometric mean of replicate quantities with log10 SD (n − 1). The 95 % interval is the wider of the
 * replicates' (t·SD/√n) and the fits' own. Limits of one kind give the most cautious limit; limits mixed with values
 * give an estimate `~` without an interval, and `notBelowBounds` keeps it from falling below the limit of a
 * replicate.
 */
export function aggregateQuantity(
  quantities: readonly Quantity[],
  { notBelowBounds = false }: { notBelowBounds?: boolean } = {},
): Quantity | null {
  if (quantities.length === 0) return null;
  const { unit } = quantities[0];
  const n = quantities.length;
  const relation = decideAggregateRelation(quantities.map((each) => each.relation));
  const none = { unit, relation, ci95Low: null, ci95High: null, log10Sd: null, n };
  if (isLimit(relation)) return { ...none, value: chooseCautious(quantities, relation) };
  const logs = quantities.map((each) => Math.log10(each.value));
  const centre = computeMean(logs);
  const sd = n > 1 ? computeStandardDeviation(logs) : null;
  const ofReplicates = sd === null ? null : (computeT95(n - 1) * sd) / Math.sqrt(n);
  // The wider of the intervals from the fits and from the replicates; for a side that one fit leaves open, only the
  // replicates count.
  const half = (ends: (number | null)[]): number | null => {
    const widths = ends.flatMap((end, i) => (end === null ? [] : Math.log10(end / quantities[i].value)));
    const ofFits = widths.length < n ? null : Math.sqrt(computeMean(widths.map((width) => width ** 2)) / n);
    return ofFits === null && ofReplicates === null ? null : Math.max(ofFits ?? 0, ofReplicates ?? 0);
  };
  const bounds = quantities.filter((each) => isLimit(each.relation));
  if (bounds.length > 0) {
    const least = notBelowBounds ? Math.max(...bounds.map((each) => each.value)) : 0;
    const value = Math.max(10 ** centre, least);
    return { ...none, value, log10Sd: sd };
  }
  const below = half(quantities.map((each) => each.ci95Low));
  const above = half(quantities.map((each) => each.ci95High));
  return {
    ...none,
    value: 10 ** centre,
    ci95Low: below === null ? null : 10 ** (centre - below),
    ci95High: above === null ? null : 10 ** (centre + above),
    log10Sd: sd,
  };
}

/** Combines all replicates of one sequence, in any order. */
export function aggregateSequence(
  replicates: ReplicateAffinity[],
  settings: BindingSettings,
): SequenceAffinity {
  const sorted = replicates.toSorted((a, b) => a.replicate - b.replicate || a.plate.localeCompare(b.plate));
  const [first] = sorted;
  const { outcome, flags } = combinedOutcome(sorted);
  const measuredOnes = outcome === 'measured' ? sorted.filter((each) => each.outcome === 'measured') : [];
  const pick = (
    of: (each: ReplicateAffinity) => Quantity | null,
    notBelowBounds = false,
  ): Quantity | null => {
    const quantities = measuredOnes.flatMap((each) => of(each) ?? []);
    return agreed(aggregateQuantity(quantities, { notBelowBounds }), settings.limits.replicateLog10SdMax);
  };
  const kd = pick((each) => each.kd, true);
  const kds = measuredOnes.flatMap((each) => each.kd ?? []);
  const units = new Set(measuredOnes.flatMap((each) => each.rmax?.unit ?? []));
  const fits = measuredOnes.flatMap((each) => each.fit ?? []);
  const binding = combinedBinding(sorted, outcome);
  return {
    sample: first.sample,
    role: first.role,
    isControl: first.role !== 'sample',
    outcome,
    binding,
    bindingStrength: strengthOf(outcome, binding, kd),
    place: null,
    bindingScore: middle(sorted.map((each) => each.bindingScore)),
    expression: combinedExpression(sorted),
    kd,
    kon: pick((each) => each.kon),
    koff: pick((each) => each.koff, true),
    rmax: units.size > 1 ? null : pick((each) => each.rmax),
    kdSteadyState: pick((each) => each.kdSteadyState, true),
    kdArithmeticMeanM: arithmeticMeanM(kds),
    kdGeometricCv: geometricCv(kd),
    fitKind: measuredOnes[0]?.fitKind ?? null,
    models: [...new Set(fits.map((fit) => fit.model))],
    r2: fits.length === 0 ? null : Math.min(...fits.map((fit) => fit.r2)),
    chi2: largest(fits.map((fit) => fit.chi2)),
    rmsPctRmax: largest(fits.map((fit) => fit.rmsPctRmax)),
    fitQuality: worstGrade(measuredOnes),
    nReplicates: sorted.length,
    nReplicatesPassed: sorted.filter((each) => speaksFor(outcome, each.outcome)).length,
    concentrationsM: [...new Set(sorted.flatMap((each) => each.concentrationsM))].sort((a, b) => a - b),
    performance: [],
    flags: distinctFlags([
      ...flags,
      ...spreadFlags(kd, measuredOnes, settings),
      ...unitFlags(units),
      ...sorted.flatMap((each) => each.flags),
    ]),
    replicates: sorted,
  };
}

/** Whether a replicate counts for its sequence; a replicate without protein counts only when no other had any. */
export function speaksFor(sequence: Outcome, replicate: Outcome): boolean {
  if (replicate === 'not_expressed') return sequence === 'not_expressed';
  return replicate === 'measured' || replicate === 'non_binder';
}

/**
 * Returns the majority of the replicates; binding wins a tie and the disagreement is flagged. Replicates without
 * protein on the sensor do not count if others had some.
 */
function combinedOutcome(replicates: readonly ReplicateAffinity[]): { outcome: Outcome; flags: Flag[] } {
  const count = (outcome: Outcome): number => replicates.filter((each) => each.outcome === outcome).length;
  const binders = count('measured');
  const others = count('non_binder');
  if (binders + others === 0) {
    const first = (['not_expressed', 'failed_qc', 'not_tested'] as const).find(
      (outcome) => count(outcome) > 0,
    );
    return { outcome: first ?? 'not_tested', flags: [] };
  }
  const outcome = binders >= others ? 'measured' : 'non_binder';
  if (binders === 0 || others === 0) return { outcome, flags: [] };
  const message = `${binders} of ${binders + others} replicates bind.`;
  return { outcome, flags: [flag('REPLICATES_DISAGREE', 'warning', message, { value: binders })] };
}

function combinedBinding(replicates: readonly ReplicateAffinity[], outcome: Outcome): Binding {
  const said = new Set(replicates.map((each) => each.binding).filter((binding) => binding !== 'unknown'));
  if (said.size > 1) return 'inconclusive';
  const [only] = said;
  return only !== undefined && (outcome === 'measured' || outcome === 'non_binder') ? only : 'unknown';
}

function strengthOf(outcome: Outcome, binding: Binding, kd: Quantity | null): BindingStrength | null {
  // A response that is not shown to be binding does not show the absence of binding either.
  if (outcome === 'non_binder') return binding === 'inconclusive' ? null : 'none';
  return kd === null ? null : bindingStrength(kd);
}

function combinedExpression(replicates: readonly ReplicateAffinity[]): Expression {
  const order: Expression[] = ['expressed', 'low', 'none'];
  return order.find((level) => replicates.some((each) => each.expression === level)) ?? 'unknown';
}

function spreadFlags(
  kd: Quantity | null,
  replicates: readonly ReplicateAffinity[],
  settings: BindingSettings,
): Flag[] {
  const flags: Flag[] = [];
  const limit = settings.limits.replicateLog10SdMax;
  if (kd?.log10Sd !== null && kd !== null && kd.log10Sd > limit) {
    const message = 'The KD of the replicates spreads widely (log10 SD).';
    flags.push(flag('REPLICATES_DISAGREE', 'warning', message, { value: kd.log10Sd, limit }));
  }
  const bounded = replicates.filter((each) => isLimit(each.kd?.relation)).length;
  if (bounded > 0 && kd?.relation === '~') {
    const message = `${bounded} of ${replicates.length} replicates give only a limit of KD; the mean is an estimate.`;
    flags.push(flag('MIXED_RELATIONS', 'warning', message, { value: bounded }));
  }
  return flags;
}

function unitFlags(units: ReadonlySet<string>): Flag[] {
  if (units.size < 2) return [];
  const message = `The signals of the replicates are in different units (${[...units].join(', ')}): there is no common Rmax.`;
  return [flag('UNITS_DIFFER', 'warning', message, { value: units.size })];
}

/** Returns null if one of the values is a limit, because the mean would then be a limit without saying so. */
function arithmeticMeanM(kds: readonly Quantity[]): number | null {
  const isBounded = kds.some(({ relation }) => isLimit(relation));
  return kds.length === 0 || isBounded ? null : computeMean(kds.map(({ value }) => value));
}

function geometricCv(kd: Quantity | null): number | null {
  if (kd === null || kd.log10Sd === null) return null;
  return Math.sqrt(Math.exp((kd.log10Sd * Math.LN10) ** 2) - 1);
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : computeMedian(known);
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function worstGrade(replicates: readonly ReplicateAffinity[]): Grade | null {
  const order: Grade[] = ['poor', 'fair', 'good'];
  return order.find((grade) => replicates.some((each) => each.fitQuality === grade)) ?? null;
}

/**
 * Ranks by KD; equal values share a rank. Estimates come after measured values, lower limits last; sequences without
 * KD get no rank.
 */
export function assignPlaces(sequences: readonly SequenceAffinity[]): void {
  const ranked = sequences
    .filter((each) => each.kd !== null)
    .sort((a, b) => rank(a) - rank(b) || (a.kd?.value ?? 0) - (b.kd?.value ?? 0));
  for (const [index, each] of ranked.entries()) {
    const before = ranked[index - 1];
    const equal = before?.kd?.value === each.kd?.value && before !== undefined && rank(before) === rank(each);
    each.place = equal ? before.place : index + 1;
  }
}

function rank({ kd }: SequenceAffinity): number {
  if (kd?.relation === '>') return 2;
  return kd?.relation === '~' ? 1 : 0;
}

/** KD within a factor of two counts as comparable. */
const COMPARABLE_LOG10 = Math.log10(2);

export function compareWithControls(
  sequences: readonly SequenceAffinity[],
  controls: readonly SequenceAffinity[],
): void {
  const positive = controls.filter((control) => control.role === 'positive_control' && control.kd !== null);
  for (const sequence of sequences)
    sequence.performance = positive.map((control) => comparison(sequence, control));
}

function comparison(sequence: SequenceAffinity, control: SequenceAffinity): Comparison {
  const name = control.sample;
  if (sequence.outcome === 'non_binder' && sequence.binding !== 'inconclusive')
    return { control: name, log10Delta: null, foldTighter: null, verdict: 'worse' };
  if (sequence.kd === null || control.kd === null) {
    return { control: name, log10Delta: null, foldTighter: null, verdict: 'not_comparable' };
  }
  const log10Delta = Math.log10(sequence.kd.value / control.kd.value);
  const close = Math.abs(log10Delta) <= COMPARABLE_LOG10;
  const verdict = close ? 'comparable' : log10Delta < 0 ? 'better' : 'worse';
  if (!boundsAllow(sequence.kd.relation, control.kd.relation, close ? null : log10Delta < 0))
    return { control: name, log10Delta: null, foldTighter: null, verdict: 'not_comparable' };
  return { control: name, log10Delta, foldTighter: 10 ** -log10Delta, verdict };
}

/**
 * Whether the verdict holds for every value beyond a limit, which cannot be said of an estimate; `better` is null for
 * a close call.
 */
function boundsAllow(own: Relation, control: Relation, better: boolean | null): boolean {
  if (own === '~' || control === '~') return false;
  if (own === '=' && control === '=') return true;
  if (better === null) return false;
  const [lower, upper] = better ? [own, control] : [control, own];
  return lower !== '>' && upper !== '<';
}

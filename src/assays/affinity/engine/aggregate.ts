/**
 * Combines replicates to one value per sequence: geometric mean, spread, relation, class, rank, comparison with
 * controls.
 */
import { formatCount } from '#core/words.ts';
import { buildRankRange } from '#core/ranking.ts';
import { isLimit, type Relation } from '#core/relations.ts';
import { type Outcome, assignPlaces } from '#analysis/assays/analysis-records.ts';
import type { Grade } from '../../binding/engine/kinetics/summary.ts';
import { classifyStrength, describeSequence, decideSilentOutcome } from '../../binding/engine/sequence.ts';
import type { BindingSettings } from '../../binding/engine/settings.ts';
import type { Binding, BindingStrength } from '../../binding/engine/types.ts';
import { computeMean, computeMedian, NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import { createMeasuredQuantity, applyDoubts, type Quantity } from '#analysis/quantities/quantity.ts';
import { combineReplicates } from '#analysis/quantities/replicates.ts';
import type { Comparison, ReplicateAffinity, SequenceAffinity } from './types.ts';

/**
 * Turns a value whose replicates disagree into an estimate. The criterion is their SD, not the interval: the interval
 * of two replicates is always wide (t = 12.7), while with three or more an SD of 0.3 in log10 gives at most a
 * thirty-fold interval.
 */
function markDisagreement(quantity: Quantity | null, log10SdMax: number): Quantity | null {
  return applyDoubts(quantity, { replicates_spread: (quantity?.log10Sd ?? 0) > log10SdMax });
}

/**
 * Geometric mean of replicate quantities; a limit where replicates are limits of one kind and the others may lie beyond
 * these. With `notBelowBounds` an estimate among limits is no lower than a replicate is known to be.
 */
export function aggregateQuantity(
  quantities: readonly Quantity[],
  { notBelowBounds = false }: { notBelowBounds?: boolean } = {},
): Quantity | null {
  const values = quantities.map(({ value, relation, ci95Low, ci95High }) => {
    const computeSeLn = (end: number | null): number =>
      end === null ? Number.POSITIVE_INFINITY : Math.abs(Math.log(end / value)) / NORMAL_95;
    return { value, relation, own: { low: computeSeLn(ci95Low), high: computeSeLn(ci95High) } };
  });
  const unit = quantities[0]?.unit ?? '';
  const limit = findCommonLimit(quantities);
  if (limit !== null) return limit;
  const mean = combineReplicates(values, { unit, mean: 'geometric', amongLimits: 'mean' });
  if (mean?.relation !== '~' || !notBelowBounds) return mean;
  const limits = quantities.filter(({ relation }) => isLimit(relation)).map(({ value }) => value);
  return { ...mean, value: Math.max(mean.value, ...limits) };
}

/**
 * Returns the bound that all replicates allow: some of them are limits of one kind, and the interval of every other one
 * reaches to the far side of these. Null where no replicate is a limit, or where one contradicts a limit.
 */
function findCommonLimit(quantities: readonly Quantity[]): Quantity | null {
  const limits = quantities.filter(({ relation }) => isLimit(relation));
  const relation = limits[0]?.relation;
  if (!isLimit(relation) || limits.some((each) => each.relation !== relation)) return null;
  const sign = relation === '<' ? 1 : -1;
  const findFurthest = (values: readonly number[]): number =>
    sign * Math.max(...values.map((value) => sign * value));
  const bound = findFurthest(limits.map(({ value }) => value));
  const others = quantities.filter((each) => !isLimit(each.relation));
  const listEnds = (end: 'near' | 'far'): number[] =>
    others.map(
      ({ value, ci95Low, ci95High }) => ((end === 'far') === sign > 0 ? ci95High : ci95Low) ?? value,
    );
  if (listEnds('near').some((end) => sign * (end - bound) > 0)) return null;
  const value = findFurthest([bound, ...listEnds('far')]);
  return { ...createMeasuredQuantity(value, limits[0].unit, null), relation, n: quantities.length };
}

/** All replicates of one sequence, in their order. */
export function aggregateSequence(
  replicates: ReplicateAffinity[],
  settings: BindingSettings,
): SequenceAffinity {
  const { outcome, isContradicted, flags } = combineOutcomes(replicates);
  const measuredOnes = outcome === 'measured' ? replicates.filter((each) => each.outcome === 'measured') : [];
  const pick = (
    of: (each: ReplicateAffinity) => Quantity | null,
    notBelowBounds = false,
  ): Quantity | null => {
    const quantities = measuredOnes.flatMap((each) => of(each) ?? []);
    return markDisagreement(
      aggregateQuantity(quantities, { notBelowBounds }),
      isContradicted ? Number.NEGATIVE_INFINITY : settings.limits.replicateLog10SdMax,
    );
  };
  const kd = pick((each) => each.kd, true);
  const kds = measuredOnes.flatMap((each) => each.kd ?? []);
  const units = new Set(measuredOnes.flatMap((each) => each.rmax?.unit ?? []));
  const fits = measuredOnes.flatMap((each) => each.fit ?? []);
  return {
    ...describeSequence(replicates, outcome),
    binding: getBinding(outcome),
    bindingStrength: decideStrength(outcome, kd),
    bindingScore: computeMedianOrNull(replicates.map((each) => each.bindingScore)),
    kd,
    kon: pick((each) => each.kon),
    koff: pick((each) => each.koff, true),
    rmax: units.size > 1 ? null : pick((each) => each.rmax),
    kdSteadyState: pick((each) => each.kdSteadyState, true),
    kdArithmeticMeanM: computeArithmeticMeanM(kds),
    kdGeometricCv: computeGeometricCv(kd),
    fitKind: measuredOnes[0]?.fitKind ?? null,
    models: [...new Set(fits.map((fit) => fit.model))],
    r2: fits.length === 0 ? null : Math.min(...fits.map((fit) => fit.r2)),
    chi2: computeLargest(fits.map((fit) => fit.chi2)),
    rmsPctRmax: computeLargest(fits.map((fit) => fit.rmsPctRmax)),
    fitQuality: findWorstGrade(measuredOnes),
    performance: [],
    flags: removeDuplicateFlags([
      ...flags,
      ...findSpreadFlags(kd, measuredOnes, settings),
      ...checkUnits(units),
      ...replicates.flatMap((each) => each.flags),
    ]),
  };
}

/** How many replicates say that the sequence binds, that it does not, and neither. */
interface Votes {
  binders: number;
  others: number;
  open: number;
}

/**
 * A sequence binds if most of its replicates do; against a replicate without an answer half of them suffice. It is a
 * non-binder only if most replicates exclude binding and none binds. Replicates without protein on the sensor do not
 * count if others had some.
 */
function combineOutcomes(replicates: readonly ReplicateAffinity[]): {
  outcome: Outcome;
  /** Whether a replicate excludes the binding that others show. */
  isContradicted: boolean;
  flags: Flag[];
} {
  const count = (outcome: Outcome): number => replicates.filter((each) => each.outcome === outcome).length;
  const votes = { binders: count('measured'), others: count('non_binder'), open: count('inconclusive') };
  const judged = votes.binders + votes.others + votes.open;
  if (judged === 0) return { outcome: decideSilentOutcome(replicates), isContradicted: false, flags: [] };
  const outcome = decideByVotes(votes);
  const isContradicted = votes.binders > 0 && votes.others > 0;
  if (Math.max(votes.binders, votes.others, votes.open) === judged)
    return { outcome, isContradicted, flags: [] };
  const message = `${votes.binders} of ${judged} replicates ${votes.binders === 1 ? 'binds' : 'bind'}, ${votes.others} ${votes.others === 1 ? 'excludes' : 'exclude'} binding, ${votes.open} ${votes.open === 1 ? 'does' : 'do'} neither.`;
  const flag = createFlag('REPLICATES_DISAGREE', 'warning', message, { value: votes.binders });
  return { outcome, isContradicted, flags: [flag] };
}

function decideByVotes({ binders, others, open }: Votes): Outcome {
  if (others === 0 && binders > 0 && binders >= open) return 'measured';
  if (binders > others + open) return 'measured';
  return binders === 0 && others > open ? 'non_binder' : 'inconclusive';
}

function getBinding(outcome: Outcome): Binding {
  if (outcome === 'measured') return 'binder';
  return outcome === 'non_binder' || outcome === 'inconclusive' ? outcome : 'unknown';
}

function decideStrength(outcome: Outcome, kd: Quantity | null): BindingStrength | null {
  // A response that is not shown to be binding does not show the absence of binding either.
  if (outcome === 'non_binder') return 'none';
  return kd === null ? null : classifyStrength(kd);
}

function findSpreadFlags(
  kd: Quantity | null,
  replicates: readonly ReplicateAffinity[],
  settings: BindingSettings,
): Flag[] {
  const flags: Flag[] = [];
  const limit = settings.limits.replicateLog10SdMax;
  if (kd?.log10Sd !== null && kd !== null && kd.log10Sd > limit) {
    const message = 'The KD of the replicates spreads widely (log10 SD).';
    flags.push(createFlag('REPLICATES_DISAGREE', 'warning', message, { value: kd.log10Sd, limit }));
  }
  const bounded = replicates.filter((each) => isLimit(each.kd?.relation)).length;
  const valued = replicates.filter((each) => each.kd !== null && !isLimit(each.kd.relation)).length;
  if (bounded > 0 && (kd?.relation === '~' || valued > 0)) {
    const isBound = isLimit(kd?.relation);
    const stated = isBound ? 'what all of them allow is stated as a limit' : 'the mean is an estimate';
    const message = `${bounded} of ${formatCount(replicates.length, 'replicate')} ${bounded === 1 ? 'gives' : 'give'} only a limit of KD; ${stated}.`;
    flags.push(createFlag('MIXED_RELATIONS', isBound ? 'info' : 'warning', message, { value: bounded }));
  }
  return flags;
}

function checkUnits(units: ReadonlySet<string>): Flag[] {
  if (units.size < 2) return [];
  const message = `The signals of the replicates are in different units (${[...units].join(', ')}): there is no common Rmax.`;
  return [createFlag('UNITS_DIFFER', 'warning', message, { value: units.size })];
}

/** Returns null if one of the values is a limit, because the mean would then be a limit without saying so. */
function computeArithmeticMeanM(kds: readonly Quantity[]): number | null {
  const isBounded = kds.some(({ relation }) => isLimit(relation));
  return kds.length === 0 || isBounded ? null : computeMean(kds.map(({ value }) => value));
}

function computeGeometricCv(kd: Quantity | null): number | null {
  if (kd === null || kd.log10Sd === null) return null;
  return Math.sqrt(Math.exp((kd.log10Sd * Math.LN10) ** 2) - 1);
}

function computeMedianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : computeMedian(known);
}

function computeLargest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function findWorstGrade(replicates: readonly ReplicateAffinity[]): Grade | null {
  const order: Grade[] = ['poor', 'fair', 'good'];
  return order.find((grade) => replicates.some((each) => each.fitQuality === grade)) ?? null;
}

/** Ranks by the intervals of KD; sequences without KD get no place. */
export function rankByKd(sequences: readonly SequenceAffinity[]): void {
  assignPlaces(sequences, ({ kd }) => (kd === null ? null : buildRankRange(kd, 'lower')));
}

/** KD within a factor of two counts as comparable. */
const COMPARABLE_LOG10 = Math.log10(2);

export function compareWithControls(
  sequences: readonly SequenceAffinity[],
  controls: readonly SequenceAffinity[],
): void {
  const positive = controls.filter((control) => control.role === 'positive_control' && control.kd !== null);
  for (const sequence of sequences)
    sequence.performance = positive.map((control) => compareWithControl(sequence, control));
}

function compareWithControl(sequence: SequenceAffinity, control: SequenceAffinity): Comparison {
  const name = control.sample;
  if (sequence.outcome === 'non_binder')
    return { control: name, log10Delta: null, foldTighter: null, verdict: 'worse' };
  if (sequence.kd === null || control.kd === null) {
    return { control: name, log10Delta: null, foldTighter: null, verdict: 'not_comparable' };
  }
  const log10Delta = Math.log10(sequence.kd.value / control.kd.value);
  const close = Math.abs(log10Delta) <= COMPARABLE_LOG10;
  const verdict = close ? 'comparable' : log10Delta < 0 ? 'better' : 'worse';
  if (!isVerdictCertain(sequence.kd.relation, control.kd.relation, close ? null : log10Delta < 0))
    return { control: name, log10Delta: null, foldTighter: null, verdict: 'not_comparable' };
  return { control: name, log10Delta, foldTighter: 10 ** -log10Delta, verdict };
}

/**
 * Whether the verdict holds for every value beyond a limit, which cannot be said of an estimate; `better` is null for
 * a close call.
 */
function isVerdictCertain(own: Relation, control: Relation, better: boolean | null): boolean {
  if (own === '~' || control === '~') return false;
  if (own === '=' && control === '=') return true;
  if (better === null) return false;
  const [lower, upper] = better ? [own, control] : [control, own];
  return lower !== '>' && upper !== '<';
}

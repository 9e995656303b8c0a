/**
 * Which transitions of the replicates are the same one, and what they say of it together. A replicate may lack a transition
 * that the others show, so its first need not be theirs.
 */
import { NORMAL_95, computeMean } from '#analysis/numerics/statistics.ts';
import { applyDoubts, type Quantity } from '#analysis/quantities/quantity.ts';
import { combineReplicates } from '#analysis/quantities/replicates.ts';
import type { ReplicateMelting, TransitionSummary } from './types.ts';

/** Limits are rare among temperatures and close to them: the mean stands as an estimate, with what is known of its interval. */
export function average(quantities: readonly Quantity[], sharedSe: readonly number[] = []): Quantity | null {
  const values = quantities.map(({ value, relation, ci95Low, ci95High }, k) => {
    const shared = sharedSe[k] ?? 0;
    const se = ci95Low === null || ci95High === null ? null : (ci95High - ci95Low) / 2 / NORMAL_95;
    return {
      value,
      relation,
      own: se === null ? null : Math.sqrt(Math.max(0, se ** 2 - shared ** 2)),
      shared,
    };
  });
  const unit = quantities[0]?.unit ?? '';
  return combineReplicates(values, { unit, mean: 'arithmetic', amongLimits: 'mean_and_interval' });
}

/**
 * Returns the transitions that at least half of the replicates show, ascending. One that not all of them show is an
 * estimate. A replicate that says little about its first Tm beside the others cannot contradict them.
 */
export function matchTransitions(replicates: readonly ReplicateMelting[]): TransitionSummary[] {
  const telling = leaveOutVague(replicates, ({ tmAll: [first] }) => first.tm);
  return groupTransitions(telling)
    .filter(({ length }) => 2 * length >= telling.length)
    .map((group) => summarizeGroup(group, telling.length));
}

/** One transition of one replicate. */
interface Seen {
  replicate: number;
  /** Its place among those of the replicate. */
  rank: number;
  transition: TransitionSummary;
}

/**
 * Joins neighbors of different replicates, the closest first, down to the number of transitions that most replicates
 * show; ties go to more.
 */
function groupTransitions(replicates: readonly ReplicateMelting[]): Seen[][] {
  const counts = [...Map.groupBy(replicates, ({ tmAll }) => tmAll.length).entries()];
  const [[count] = [0]] = counts.sort(([a, of], [b, other]) => other.length - of.length || b - a);
  let groups = replicates
    .flatMap(({ tmAll }, replicate) =>
      tmAll.map((transition, rank): Seen[] => [{ replicate, rank, transition }]),
    )
    .sort(([a], [b]) => a.transition.tmC - b.transition.tmC);
  while (groups.length > count) {
    const at = findClosest(groups);
    if (at === null) break;
    groups = groups.toSpliced(at, 2, [...groups[at], ...groups[at + 1]]);
  }
  return groups;
}

/** Transitions of the same place that are closer than this are the same one, though a part of an overlap lies closer. */
const OVERLAP_C = 4;

/** Returns the first of the two closest neighboring groups without a replicate in common; null where there are none. */
function findClosest(groups: readonly Seen[][]): number | null {
  let best: { at: number; cost: number } | null = null;
  for (let at = 0; at + 1 < groups.length; at += 1) {
    const [here, next] = [groups[at], groups[at + 1]];
    if (here.some(({ replicate }) => next.some((each) => each.replicate === replicate))) continue;
    const apartC = computeCenter(next) - computeCenter(here);
    const isSame = apartC < OVERLAP_C && new Set([...here, ...next].map(({ rank }) => rank)).size === 1;
    const cost = isSame ? apartC - OVERLAP_C : apartC;
    if (best === null || cost < best.cost) best = { at, cost };
  }
  return best?.at ?? null;
}

function computeCenter(group: readonly Seen[]): number {
  return computeMean(group.map(({ transition }) => transition.tmC));
}

function summarizeGroup(group: readonly Seen[], replicates: number): TransitionSummary {
  const all = group.toSorted((a, b) => a.replicate - b.replicate).map(({ transition }) => transition);
  const telling = leaveOutVague(all, (each) => each.tm);
  const isInAll = group.length === replicates;
  const [first] = all;
  const tm =
    average(
      telling.map((each) => each.tm),
      telling.map(({ sharedSeC }) => sharedSeC),
    ) ?? first.tm;
  const errors = all.flatMap(({ seTmC }) => seTmC ?? []);
  const energies = all.flatMap(({ dhKcalPerMol }) => dhKcalPerMol ?? []);
  return {
    tmC: tm.value,
    seTmC: errors.length === 0 ? null : Math.sqrt(computeMean(errors.map((se) => se ** 2)) / errors.length),
    height: computeMean(all.map(({ height }) => height)),
    dhKcalPerMol: energies.length === 0 ? null : computeMean(energies),
    tm: applyDoubts(tm, { transition_not_in_all: !isInAll }),
    sharedSeC: Math.sqrt(computeMean(all.map(({ sharedSeC }) => sharedSeC ** 2))),
    doubt: isInAll ? (telling.find(({ doubt }) => doubt !== null)?.doubt ?? null) : 'transition_not_in_all',
  };
}

/** Intervals of up to this half-width say enough, whatever the others say. */
const LITTLE_C = 1;
/** A replicate whose interval of Tm is this many times as wide as the narrowest one would have less than a tenth of its weight. */
const VAGUE = 3;

/** Leaves out what says little about Tm beside the others, and would only add its noise to the mean. */
function leaveOutVague<Of>(found: readonly Of[], getTm: (of: Of) => Quantity): readonly Of[] {
  const halves = found.map((each) => {
    const { value, ci95High } = getTm(each);
    return ci95High === null ? Number.POSITIVE_INFINITY : ci95High - value;
  });
  const least = Math.min(...halves);
  const isVague = (half: number): boolean => half > LITTLE_C && half > VAGUE * least;
  return Number.isFinite(least) ? found.filter((_, k) => !isVague(halves[k])) : found;
}

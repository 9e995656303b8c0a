/** Widens the intervals of a 1:1 fit by what another mechanism could do to it, and says where that is much. */
import { formatConcentration } from '#core/number-words.ts';
import { hasFlag, createFlag, type Flag } from '#analysis/quality/flags.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { applyDoubts, type Quantity } from '#analysis/quantities/quantity.ts';
import { SE_LN_KD_MAX } from './evaluate.ts';
import type { Verdict } from './evaluate.ts';
import { RIVAL_FACTOR } from './evidence.ts';
import type { Choice } from './evidence.ts';
import { describeRivals } from './other-kd.ts';
import { computeMechanismError } from './mechanism-error.ts';
import type { FitBase, MechanismError } from './mechanism-error.ts';
import type { KineticFit } from './fit.ts';
import { computeIsothermError } from './isotherm-mechanisms.ts';
import type { OneToOne } from './one-to-one.ts';
import type { SteadyStateFit } from './steady-state.ts';

/** Another mechanism is told once it moves KD by more than this factor with more than this probability. */
const MOVED = { factor: 1.3, probability: 0.05 } as const;

/** Beyond this probability that another mechanism moves KD by the factor above, an upper limit is raised by how much it does. */
const LIMIT_MOVED_MAX = 0.29;

/** Returns the verdict as it is where another mechanism was chosen, or where the noise alone leaves KD open. */
export function admitMechanisms(
  verdict: Verdict,
  { fitted, fit, options }: Pick<OneToOne, 'fitted' | 'fit' | 'options'>,
  choice: Choice,
): Verdict {
  const isStarted = fitted.some(({ initialSignal = 0 }) => initialSignal > 0);
  const isPlain = choice.model === '1:1' || choice.model === '1:1_drift' || choice.model === '1:1_bulk_shift';
  const { kd } = verdict;
  const isUpperLimit = kd?.relation === '<';
  const isClosed = choice.fit.profile === 'closed';
  if (!isPlain || isStarted || !(isUpperLimit || (isClosed && isInterval(kd)))) return verdict;
  const chosen: FitBase = { fit: choice.fit, options: choice.options, deltaBic: findDeltaBic(choice) };
  // An added drift or step competes with a mechanism that explains the curves without it.
  const isPlainOpen = choice.model !== '1:1' && fit.profile === 'closed';
  const error = computeMechanismError(
    fitted,
    isPlainOpen ? [chosen, { fit, options, deltaBic: 0 }] : [chosen],
  );
  if (error === null) return verdict;
  return isUpperLimit ? raiseLimit(verdict, kd, choice.fit, error) : widenVerdict(verdict, error);
}

/**
 * Raises an upper limit of KD to what another mechanism allows: to the upper end of KD over the mechanisms, and to the limit of
 * koff over the lower end of kon.
 */
function raiseLimit(
  verdict: Verdict,
  limit: Quantity,
  { kon, kdM, profile }: KineticFit,
  { factors, computeMovedProbability, rivals }: MechanismError,
): Verdict {
  const ofKd = profile === 'closed' && factors.kd !== null ? kdM * factors.kd.high : 0;
  const ofRates =
    verdict.koff?.relation === '<' && factors.kon !== null ? verdict.koff.value / (kon * factors.kon.low) : 0;
  const moved = computeMovedProbability(MOVED.factor);
  // Of an open profile the ends are not known, but by how much the mechanisms move KD is.
  const ofRivals = profile !== 'closed' && moved > LIMIT_MOVED_MAX ? (limit.value * rivals.highM) / kdM : 0;
  const value = Math.max(limit.value, ofKd, ofRates, ofRivals);
  if (!(value > limit.value && moved > MOVED.probability)) return { ...verdict, kd: { ...limit, value } };
  const message =
    `${MECHANISMS} that the curves do not exclude could put KD above the limit of 1:1 binding, ` +
    `${formatConcentration(limit.value)}; the limit that is stated allows for it.`;
  const flag = createFlag('OTHER_MECHANISM', 'info', message, { value: moved, limit: MOVED.probability });
  return { ...verdict, kd: { ...limit, value }, flags: [...verdict.flags, flag] };
}

function findDeltaBic({ candidates, model }: Choice): number {
  return candidates.find((each) => each.model === model)?.deltaBic ?? 0;
}

type Interval = Quantity & { ci95Low: number; ci95High: number };

function isInterval(found: Quantity | null): found is Interval {
  return found !== null && found.ci95Low !== null && found.ci95High !== null;
}

function widenVerdict(
  verdict: Verdict,
  { factors, computeMovedProbability, rivals }: MechanismError,
): Verdict {
  const widened = widen(verdict.kd, factors.kd);
  const flags = [...verdict.flags];
  const movedProbability = computeMovedProbability(MOVED.factor);
  const isMoved = movedProbability > MOVED.probability;
  // Such a drift and the mechanism are two explanations of the same curves, with different KD.
  const doubts = {
    rivals_differ: computeMovedProbability(RIVAL_FACTOR) > MOVED.probability,
    drift_in_doubt: isMoved && hasFlag(flags, 'DRIFT_FITTED'),
  };
  const kd = applyDoubts(widened, doubts);
  if (isMoved && isInterval(kd)) {
    const flag = createMovedFlag(kd, movedProbability, MECHANISMS);
    const others = doubts.rivals_differ ? ` ${describeRivals([rivals.lowM, rivals.highM])}` : '';
    flags.push({ ...flag, message: `${flag.message}${others}` });
  }
  const { rivals_differ } = doubts;
  const kon = applyDoubts(widen(verdict.kon, factors.kon), { rivals_differ });
  const koff = applyDoubts(widen(verdict.koff, factors.koff), { rivals_differ });
  return { kd, kon, koff, flags };
}

/** Widens the interval of an isotherm by what a second kind of site could do to it; other quantities stay as they are. */
export function admitSecondSites(kd: Quantity, isotherm: SteadyStateFit): { kd: Quantity; flags: Flag[] } {
  const error = kd.relation === '=' ? computeIsothermError(isotherm) : null;
  if (error === null) return { kd, flags: [] };
  const widened = widen(kd, error) ?? kd;
  const moved = error.computeMovedProbability(MOVED.factor);
  const isMoved = moved > MOVED.probability && isInterval(widened);
  return { kd: widened, flags: isMoved ? [createMovedFlag(widened, moved, 'A second kind of site')] : [] };
}

const MECHANISMS = 'Another mechanism (a second kind of site, mass transport, a conformational change)';

function createMovedFlag({ ci95Low, ci95High }: Interval, moved: number, mechanism: string): Flag {
  const message =
    `${mechanism} that the curves do not exclude could move KD by more than ${Math.round(100 * (MOVED.factor - 1))} %: ` +
    `to between ${formatConcentration(ci95Low)} and ${formatConcentration(ci95High)}.`;
  return createFlag('OTHER_MECHANISM', 'warning', message, { value: moved, limit: MOVED.probability });
}

/** The interval is never narrower than that of the noise alone, and too wide a one leaves an estimate. */
function widen(found: Quantity | null, factors: { low: number; high: number } | null): Quantity | null {
  if (!isInterval(found) || factors === null) return found;
  const ci95Low = Math.min(found.ci95Low, found.value * factors.low);
  const ci95High = Math.max(found.ci95High, found.value * factors.high);
  const isWide = !(Math.log(ci95High / ci95Low) / (2 * NORMAL_95) < SE_LN_KD_MAX);
  return applyDoubts({ ...found, ci95Low, ci95High }, { wide_interval: isWide });
}

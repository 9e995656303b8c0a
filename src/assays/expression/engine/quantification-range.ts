/**
 * Limits of quantification of a standard curve: the standards whose back-calculated concentrations meet the limits of
 * recovery and precision (bioanalytical practice, ICH M10: 80–120 % recovery, CV ≤ 20 %).
 */
import { computeMean, computeStandardDeviation } from '#analysis/numerics/statistics.ts';
import { invert } from './four-parameter.ts';
import type { FourParameterFit, StandardPoint } from './four-parameter.ts';

export interface LevelRecovery {
  x: number;
  n: number;
  meanResponse: number;
  /**
   * Mean of the back-calculated concentrations in % of the nominal one; null when a response has no concentration on
   * the curve.
   */
  recoveryPct: number | null;
  /** CV of the back-calculated concentrations; null below two wells. */
  cvPct: number | null;
  pass: boolean;
}

export interface QuantificationRange {
  levels: LevelRecovery[];
  /** The ends of the longest run of adjacent standards that pass; null when fewer than two do. */
  lloq: number | null;
  uloq: number | null;
}

export interface RecoveryLimits {
  recoveryMinPct: number;
  recoveryMaxPct: number;
  cvMaxPct: number;
  /** Number of standard deviations above the zero calibrators that the lowest standard must reach. */
  blankSd: number;
}

export function computeQuantificationRange(
  fit: FourParameterFit,
  points: readonly StandardPoint[],
  limits: RecoveryLimits,
): QuantificationRange {
  const zeros = points.filter(({ x }) => x === 0).map(({ response }) => response);
  const floor =
    zeros.length < 3
      ? null
      : Math.abs(computeMean(zeros) - fit.a) + limits.blankSd * computeStandardDeviation(zeros);
  const groups = [...Map.groupBy(points, ({ x }) => x)].filter(([x]) => x > 0).sort(([p], [q]) => p - q);
  const levels = groups.map(([x, members]) => evaluateLevel(fit, x, members, { ...limits, floor }));
  const run = findLongestRun(levels);
  const isRange = run.length >= 2;
  return { levels, lloq: isRange ? run[0].x : null, uloq: isRange ? run[run.length - 1].x : null };
}

function evaluateLevel(
  fit: FourParameterFit,
  x: number,
  members: readonly StandardPoint[],
  limits: RecoveryLimits & { floor: number | null },
): LevelRecovery {
  const read = members.map(({ response }) => invert(fit, response, 0)?.x ?? null);
  const known = read.filter((value) => value !== null);
  const meanResponse = computeMean(members.map(({ response }) => response));
  const isComplete = known.length === read.length;
  const recoveryPct = isComplete ? (100 * computeMean(known)) / x : null;
  const cvPct =
    isComplete && known.length > 1 ? (100 * computeStandardDeviation(known)) / computeMean(known) : null;
  const isAboveBlank = limits.floor === null || Math.abs(meanResponse - fit.a) > limits.floor;
  const pass =
    recoveryPct !== null &&
    recoveryPct >= limits.recoveryMinPct &&
    recoveryPct <= limits.recoveryMaxPct &&
    (cvPct === null || cvPct <= limits.cvMaxPct) &&
    isAboveBlank;
  return { x, n: members.length, meanResponse, recoveryPct, cvPct, pass };
}

function findLongestRun(levels: readonly LevelRecovery[]): LevelRecovery[] {
  let best: LevelRecovery[] = [];
  let current: LevelRecovery[] = [];
  for (const level of levels) {
    current = level.pass ? [...current, level] : [];
    if (current.length > best.length) best = current;
  }
  return best;
}

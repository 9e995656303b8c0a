/** The 1:1 fit that the other models are compared with: which times and which drift it uses, and why. */
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import type { BindingSettings } from '../settings.ts';
import { EVIDENCE_MIN } from './evidence.ts';
import { findSlopeDoubt } from './drift-verdict.ts';
import type { FittedSlope, SlopeDoubt } from './drift-verdict.ts';
import { listLinearTerms, solveKinetics } from './fit.ts';
import { holdLevels } from './hold-levels.ts';
import { computeInnovationGain } from './innovations.ts';
import type { FitOptions, KineticFit, SolvedFit } from './fit.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { joinPhases } from './process.ts';
import type { ProcessedCurve } from './process.ts';
import { describeOtherKd } from './other-kd.ts';
import { restoreResidual } from './problem.ts';
import type { RmaxRule } from './local-basis.ts';
import { isCorrelated, isExact } from './residual-limits.ts';
import { isTimeZeroShifted, isTimeZeroSuspect, solveWithTimeZero } from './time-zero.ts';

/** Slopes that were fitted as drift and rejected, with the rates that they gave. */
export interface RejectedSlopes {
  doubt: SlopeDoubt;
  fit: { kon: number; koff: number; kdM: number };
}

/** Without its errors while fits are compared, because these cost several times as much. */
export interface OneToOne<Fit = KineticFit> {
  /** The curves as fitted. */
  fitted: FitCurve[];
  fit: Fit;
  options: FitOptions;
  rejected: RejectedSlopes | null;
  /** What the Rmax of the cycles on one surface ask for; null where one describes them all. */
  ligandLoss: Flag | null;
  /** What the times of the injections ask for; null where the stated ones are right or were not tested. */
  offset: Flag | null;
  /** Whether the times lie beyond the window, so that the stated ones had to be used. */
  isOffsetUnused: boolean;
}

type Solved = Pick<OneToOne<SolvedFit>, 'fit' | 'options' | 'rejected'>;
type SolveWith = (options: FitOptions) => SolvedFit;

export function solveOneToOne(
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
  rmax: RmaxRule,
): OneToOne<SolvedFit> {
  return holdLevels(solveLevel(curves, settings, rmax), settings);
}

/** Finds times, Rmax and drift with the levels as aligned: held ones would take up part of what these explain. */
function solveLevel(
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
  rmax: RmaxRule,
): OneToOne<SolvedFit> {
  const options = buildFitOptions(settings, rmax);
  const { timeZero, timeZeroWindowS: windowS } = settings;
  const stated = curves.map((curve) => curve.fit);
  const extended = timeZero === 'fixed' ? [] : curves.map((curve) => withBaseline(curve, windowS));
  const solveTimes: SolveWith = (used) => solveWithTimeZero(extended, used, windowS);
  const solveExtended: SolveWith = (used) => solveKinetics(extended, used);
  if (timeZero === 'fitted') {
    const moved = chooseRmax(curves, solveShared(curves, options, solveTimes), solveExtended);
    return { ...moved, fitted: extended, offset: flagFittedTime(moved.fit), isOffsetUnused: false };
  }
  const solveStated: SolveWith = (used) => solveKinetics(stated, used);
  const shared = solveShared(curves, options, solveStated);
  const found = chooseRmax(curves, shared, solveStated);
  const nominal = { ...found, fitted: stated, offset: null, isOffsetUnused: false };
  if (timeZero === 'fixed' || !isTimeZeroSuspect(extended, shared.options, shared.fit, windowS))
    return nominal;
  // Lost ligand may look like wrong times, but an Rmax for each cycle then leaves nothing to explain.
  if (found.ligandLoss !== null && !isCorrelated(found.fit)) return nominal;
  const sharedMoved = solveShared(curves, options, solveTimes);
  if (!isTimeZeroShifted(extended, shared.options, sharedMoved.options, sharedMoved.fit)) return nominal;
  const { startS, endS } = sharedMoved.fit.timeZero;
  const furthestS = Math.max(Math.abs(startS), Math.abs(endS));
  if (furthestS < OFFSET_MIN_S) return nominal;
  const moved = chooseRmax(curves, sharedMoved, solveExtended);
  const isUsed = furthestS < windowS - WINDOW_MARGIN_S;
  const offset = flagOffset(moved.fit, shared.fit, isUsed);
  // Beyond the window nothing else can be told from the wrong times.
  if (!isUsed) return { ...nominal, ...shared, ligandLoss: null, offset, isOffsetUnused: true };
  const hasOwnRmax = found.ligandLoss !== null || moved.ligandLoss !== null;
  if (hasOwnRmax && !isTimeZeroShifted(extended, found.options, moved.options, moved.fit)) return nominal;
  return { ...moved, fitted: extended, offset, isOffsetUnused: false };
}

/** Fits with the Rmax of the settings; the options of the result hold the times that `solveWith` found. */
function solveShared(curves: readonly ProcessedCurve[], options: FitOptions, solveWith: SolveWith): Solved {
  const found = rejectSlopes(curves, options, solveWith);
  const { timeZero } = found.fit;
  const isMoved = timeZero.startS !== 0 || timeZero.endS !== 0;
  return isMoved ? { ...found, options: { ...found.options, timeZero, extraParameters: TIMES } } : found;
}

/**
 * Compares the Rmax of the settings, where that is one for all cycles, with one for each: a surface that loses ligand or
 * activity has a lower Rmax in later cycles. `refit` uses the curves of `shared` and the times of its options.
 */
function chooseRmax(
  curves: readonly ProcessedCurve[],
  shared: Solved,
  refit: SolveWith,
): Solved & Pick<OneToOne, 'ligandLoss'> {
  const alone = { ...shared, ligandLoss: null };
  const { options } = shared;
  if (options.rmax !== 'global' || curves.length < CYCLES_MIN || isExact(shared.fit)) return alone;
  // Slopes that were rejected for one Rmax may be a drift with one for each cycle.
  const fitOptions = { ...options, heldDrift: options.heldDrift === true || shared.rejected !== null };
  const own = rejectSlopes(curves, { ...fitOptions, rmax: 'local' }, refit);
  const amplitudes = own.fit.at.rmax;
  const least = Math.min(...amplitudes) / Math.max(...amplitudes);
  if (least > RMAX_SAME_FRACTION || !(computeGain(shared.fit, own.fit) > EVIDENCE_MIN)) return alone;
  // The error of the level of a curve looks like an Rmax of its own.
  const [sharedLevel, ownLevel] = [shared, own].map(({ options: used, fit }) =>
    refit({ ...used, offset: true, start: fit }),
  );
  if (!(computeGain(sharedLevel, ownLevel) > 0) && areLevelsUsual(curves, sharedLevel)) return alone;
  const message =
    `The Rmax of the cycles differ by up to ${Math.round(100 * (1 - least))} %, as on a surface that loses ligand or ` +
    `activity: each cycle was fitted with its own. With a common one ${describeOtherKd(shared.fit)}.`;
  const severity = least < RMAX_LEAST_FRACTION ? 'warning' : 'info';
  const numbers = { value: 1 - least, limit: 1 - RMAX_LEAST_FRACTION };
  return { ...own, ligandLoss: createFlag('RMAX_DIFFERS', severity, message, numbers) };
}

/** Largest usual error of levels, as a root mean square in standard errors. */
const LEVEL_SE_MAX = 3;

function areLevelsUsual(curves: readonly ProcessedCurve[], solved: SolvedFit): boolean {
  const errors = listLinearTerms(solved).map(
    ({ offset = 0 }, g) => offset / (curves[g].fit.alignmentSe ?? 0),
  );
  const squares = errors.reduce((sum, error) => sum + (Number.isNaN(error) ? 0 : error ** 2), 0);
  return Math.sqrt(squares / errors.length) <= LEVEL_SE_MAX;
}

/** Returns by how much the fit with more parameters lowers the BIC, by the innovations of the same points. */
export function computeGain(shared: SolvedFit, own: SolvedFit): number {
  const [smaller, larger] = [shared, own].map(joinResiduals);
  return computeInnovationGain(smaller, larger, shared.problem.offsets, own.p - shared.p);
}

function joinResiduals({ problem }: SolvedFit): Float64Array {
  const { curves, offsets, residual } = problem;
  const all = new Float64Array(residual.length);
  for (let g = 0; g < curves.length; g += 1)
    all.set(restoreResidual(problem, g, residual, 'included'), offsets[g]);
  return all;
}

/** With fewer cycles, an Rmax for each leaves kon undetermined. */
const CYCLES_MIN = 3;
/** Cycles whose Rmax differ by less are one surface. */
const RMAX_SAME_FRACTION = 0.97;
/** Cycles whose Rmax differ by more are a warning. */
const RMAX_LEAST_FRACTION = 0.7;

/** `start 0.5 s before and end 2 s after the stated times`. */
function describeShifts({ startS, endS }: TimeZero): string {
  const describe = (shiftS: number): string => `${Math.abs(shiftS)} s ${shiftS < 0 ? 'before' : 'after'}`;
  return `start ${describe(startS)} and end ${describe(endS)} the stated times`;
}

function flagOffset(moved: SolvedFit, stated: SolvedFit, isUsed: boolean): Flag {
  const { startS } = moved.timeZero;
  const change = Math.abs(Math.log(moved.kdM / stated.kdM));
  const found = `The association seems to ${describeShifts(moved.timeZero)}`;
  const message = isUsed
    ? `${found}; these times were used. With the stated ones ${describeOtherKd(stated)}.`
    : `${found}, or even further from them, so the stated ones were used. With the others ${describeOtherKd(moved)}.`;
  const severity = change > KD_CHANGE_MAX ? 'warning' : 'info';
  return createFlag('TIME_ZERO_OFFSET', severity, message, { value: startS, limit: OFFSET_MIN_S });
}

/** Number of parameters of fitted times: start and end. */
const TIMES = 2;
const OFFSET_MIN_S = 0.5;
/** A shift this close to the end of its window may be larger. */
const WINDOW_MARGIN_S = 0.25;
/** A larger change of KD is a warning. */
const KD_CHANGE_MAX = 0.04;

function flagFittedTime({ timeZero: { startS, endS } }: SolvedFit): Flag | null {
  if (startS === 0 && endS === 0) return null;
  const message = `The association was found to ${describeShifts({ startS, endS })}.`;
  return createFlag('TIME_ZERO_OFFSET', 'info', message, { value: startS, limit: OFFSET_MIN_S });
}

function buildFitOptions({ bulkShift, drift, offset }: BindingSettings, rmax: RmaxRule): FitOptions {
  return { rmax, bulkShift, drift: drift === 'free', heldDrift: drift === 'held', offset };
}

/** Fits with the held drift, and again without it where its slopes are no drift. */
function rejectSlopes(curves: readonly ProcessedCurve[], options: FitOptions, solveWith: SolveWith): Solved {
  const fit = solveWith(options);
  if (options.heldDrift !== true) return { fit, options, rejected: null };
  const slopes = listLinearTerms(fit).map(({ drift = 0 }) => drift);
  const doubt = findSlopeDoubt(listSlopes(curves, slopes));
  if (doubt === null) return { fit, options, rejected: null };
  const driftless = { ...options, heldDrift: false };
  return { fit: solveWith(driftless), options: driftless, rejected: { doubt, fit } };
}

const SLOPE_REASONS: Readonly<Record<SlopeDoubt, string>> = {
  grows_with_response: 'grow with the response',
  unseen_elsewhere: 'neither the plate nor the baselines show',
};

/** A rejected slope is a doubt about the model where it would move KD out of its interval. */
export function flagRejectedSlopes(rejected: RejectedSlopes | null, kd: Quantity | null): Flag[] {
  if (rejected === null) return [];
  const { doubt, fit } = rejected;
  const { kdM } = fit;
  const isInside = kdM >= (kd?.ci95Low ?? 0) && kdM <= (kd?.ci95High ?? Number.POSITIVE_INFINITY);
  const message =
    `The curves ask for slopes that ${SLOPE_REASONS[doubt]}, so none was fitted as drift; ` +
    `with them ${describeOtherKd(fit)}.`;
  return [createFlag('SLOPE_NOT_DRIFT', isInside ? 'info' : 'warning', message, { value: kdM })];
}

/** One slope for each curve, in signal/s. */
export function listSlopes(curves: readonly ProcessedCurve[], slopesPerS: readonly number[]): FittedSlope[] {
  return curves.map(({ fit, response, baselineSlope, baselineSlopeSe }, g) => ({
    perS: slopesPerS[g],
    sdPerS: fit.drift?.sdPerS ?? 0,
    baseline: baselineSlope === null ? null : { perS: baselineSlope, se: baselineSlopeSe },
    response,
    isBlankSubtracted: (fit.commonNoise ?? 0) > 0,
  }));
}

/** Returns the curve preceded by its baseline of the last `windowS`, for a start that may move. */
function withBaseline(curve: ProcessedCurve, windowS: number): FitCurve {
  if (curve.baseline === null) return curve.fit;
  const head = keepPoints(curve.baseline, (t) => t >= -windowS - 1 && t < 0);
  return { ...curve.fit, ...joinPhases([head, curve.fit]) };
}

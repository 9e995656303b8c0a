/**
 * Measures the KD of one replicate from its processed curves: which fit is used, how certain it is, and which flags
 * it gets.
 * This folder: from the traces of one replicate to its rates, its KD and its flags. Not here: values of a sequence
 * (`affinity/`, `screening/`).
 */
import type { RelationCases, WithheldCase } from '#core/relations.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import {
  applyDoubts,
  createMeasuredQuantity,
  withholdQuantity,
  type Quantity,
  createMeasuredBetween,
  stateQuantity,
} from '#analysis/quantities/quantity.ts';
import type { BindingSettings } from '../settings.ts';
import { RIVAL_FACTOR, chooseModel, type Choice, type ModelRule } from './evidence.ts';
import { withColumnRoom } from './column-room.ts';
import { clearCurves } from './curve-cache.ts';
import { finishFit, solveKinetics, type FitOptions, type KineticFit, type SolvedFit } from './fit.ts';
import { evaluateChoice, flagTopBelowKd, type Verdict, SE_LN_KD_MAX } from './evaluate.ts';
import type { FitCurve } from './model.ts';
import type { ProcessedCurve } from './process.ts';
import type { RmaxRule } from './local-basis.ts';
import { computeMean, computeMedian, NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { countUpTo } from '#analysis/numerics/search.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import { evaluateBindingEvidence } from './drift-evidence.ts';
import { findSlopeDoubt } from './drift-verdict.ts';
import { raiseToOtherDoses } from './firm-limit.ts';
import { flagInfluentialDose } from './influence.ts';
import { widenIsotherm } from './isotherm-interval.ts';
import { admitMechanisms, admitSecondSites } from './mechanism-verdict.ts';
import { flagRejectedSlopes, listSlopes } from './one-to-one.ts';
import { describeOtherKd } from './other-kd.ts';
import { fitOnSurface } from './regeneration.ts';
import { needsCommonRmax, fitPooledRmax } from './pooled-rmax.ts';
import { fitSteadyState, type SteadyStateFit } from './steady-state.ts';

/** When KD is below the lowest concentration by more than this factor, an isotherm shows little but saturation. */
const LOWEST_TO_KD_MAX = 10;
/** R² that an isotherm must reach before the responses count as dependent on concentration. */
const ISOTHERM_R2_MIN = 0.9;

/**
 * Returns KD from the isotherm; a limit when the highest concentration is below half of KD or the lowest is far above
 * it. Null where the responses do not follow the concentration, or leave KD open on both sides: equal responses fit a
 * saturated surface as well as a refractive-index change.
 */
export function evaluateSteadyState(fit: SteadyStateFit): Quantity | null {
  const top = Math.max(...fit.points.map((point) => point.concentrationM));
  const lowest = Math.min(...fit.points.map((point) => point.concentrationM));
  const kd = createMeasuredBetween(fit.kdM, 'M', fit.interval);
  const { ci95Low: low, ci95High: high } = kd;
  const isAbove = fit.kdM > 2 * top;
  const isBelow = fit.kdM < lowest / LOWEST_TO_KD_MAX;
  const cases = {
    no_dose_response: !(fit.r2 >= ISOTHERM_R2_MIN),
    kd_above_concentrations: isAbove && low !== null,
    kd_below_concentrations: isBelow && high !== null,
    open_on_both_sides:
      (isAbove && low === null) || (isBelow && high === null) || (low === null && high === null),
    open_above: high === null,
    open_below: low === null,
    wide_interval: !(computeSteadyStateHalfWidth(fit) < SE_LN_KD_MAX),
  };
  // Outside the range of the concentrations, the limit is the end of the interval if that is more cautious.
  const limit = isAbove
    ? Math.min(2 * top, low ?? Number.POSITIVE_INFINITY)
    : Math.max(lowest / LOWEST_TO_KD_MAX, high ?? 0);
  return stateQuantity(kd, cases, limit);
}

/** Returns the standard error of ln KD that corresponds to the interval of an isotherm; infinite when it is open. */
function computeSteadyStateHalfWidth({ interval: { low, high } }: SteadyStateFit): number {
  return low === null || high === null ? Number.POSITIVE_INFINITY : Math.log(high / low) / (2 * NORMAL_95);
}

export type FitKind = 'kinetic' | 'steady_state';

export interface Measurement {
  fitKind: FitKind;
  kd: Quantity | null;
  kon: Quantity | null;
  koff: Quantity | null;
  rmax: Quantity | null;
  /** Why nothing is stated, whatever was fitted to the curves. */
  withheld: RelationCases<WithheldCase>;
  /** The flag that says that the curves are no evidence of binding; null where they are. */
  doubt: Flag | null;
  kdSteadyState: Quantity | null;
  kinetic: KineticFit;
  choice: Choice;
  /** The curves as fitted, in the order of `kinetic.curves`. */
  fitted: FitCurve[];
  steadyState: SteadyStateFit | null;
  flags: Flag[];
}

const FLAT_SLOPE_MAX = 0.01;
/** When kobs times the sampling interval exceeds this, the curve is over before it is sampled. */
const UNSAMPLED_MIN = 0.5;
/**
 * On a plateau, the means of the middle and last third of association differ by no more than this fraction of the
 * highest response, beyond noise.
 */
const PLATEAU_CHANGE_MAX = 0.05;

/** `curves` ascend in concentration and show a response. */
export function measure(
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
  surface: { rmax: RmaxRule; signalUnit: string },
): Measurement {
  try {
    return withColumnRoom(() => withholdRates(readFits(curves, settings, surface)));
  } finally {
    clearCurves();
  }
}

/** Removes KD and its rates where a case of the relation table says that nothing is stated. */
export function withholdRates(found: Measurement): Measurement {
  const { kd, kon, koff, withheld } = found;
  return {
    ...found,
    kd: withholdQuantity(kd, withheld),
    kon: withholdQuantity(kon, withheld),
    koff: withholdQuantity(koff, withheld),
  };
}

/** Returns the quantities of the fits, before the relation table decides whether they may be stated. */
function readFits(
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
  surface: { rmax: RmaxRule; signalUnit: string },
): Measurement {
  const { ofOneToOne, choice } = fitModels(curves, settings, surface.rmax);
  const { fitted, fit: oneToOne, options, rejected, offset, isOffsetUnused } = ofOneToOne;
  const kinetic = choice.fit;
  const isModelOpen = settings.model === 'auto';
  const verdict = evaluateFits(curves, { ofOneToOne, choice }, settings);
  const steadyState = fitSteadyState(
    curves.flatMap((curve) => curve.plateaus),
    options,
  );
  const isLevel = onPlateau(curves);
  const flat = isLevel && curves.every((curve) => curve.endSlopeFraction < FLAT_SLOPE_MAX);
  const kdSteadyState = steadyState !== null && flat ? evaluateSteadyState(steadyState) : null;
  const ofWindow = choice.sites.length > 0 ? NO_WINDOW : flagWindow(curves, oneToOne, { settings, options });
  // Where a drift was fitted after all, its flag says what it may be.
  const ofSlopes = choice.model === '1:1_drift' ? [] : flagRejectedSlopes(rejected, verdict.kd);
  const flags = [...verdict.flags, ...ofWindow.flags, ...ofSlopes];
  const { kd, kon, koff } = verdict;
  const fits = { kinetic, choice, fitted, steadyState };
  const found = { ...fits, kd, kon, koff, rmax: null, kdSteadyState, withheld: {}, doubt: null, flags };
  const isAsked = settings.model === 'steady_state';
  const added = evaluateBindingEvidence(fitted, kinetic);
  if (!isAsked && !added.overDrift) {
    const withheld = { drift_describes_curves: true };
    return { ...found, fitKind: 'kinetic', withheld, doubt: createDriftMisfit(curves) };
  }
  const isFast = isUnsampled(curves, oneToOne);
  const isUsed = isAsked || isFast || isSteadyStateBetter(oneToOne, steadyState, flat);
  const ofPlateaus =
    steadyState !== null && isUsed && (isAsked || isLevel) ? evaluateSteadyState(steadyState) : null;
  const ofIsotherm = isModelOpen && !isFast ? widenIsotherm(ofPlateaus, verdict.kd, oneToOne) : ofPlateaus;
  const rmaxMin = settings.limits.rmaxToNoise * computeMedian(curves.map(({ noise }) => noise));
  // If the isotherm only says that the surface is saturated, a visible dissociation says more.
  const saysLess = ofIsotherm?.relation === '<' && added.overSteps && !isAsked;
  if (steadyState !== null && ofIsotherm !== null && !saysLess) {
    const top = curves[curves.length - 1].concentrationM;
    const ofSites = isModelOpen ? admitSecondSites(ofIsotherm, steadyState) : { kd: ofIsotherm, flags: [] };
    const read = readIsotherm(steadyState, ofSites.kd, { top, rmaxMin, ...surface, flags });
    return { ...found, ...read, flags: [...read.flags, ...ofSites.flags] };
  }
  // Without a plateau, only curves that bend as binding does say more than a step.
  if (isAsked || (!added.overSteps && (isFast || verdict.kd === null))) {
    const withheld = { no_kinetics_seen: true };
    return {
      ...found,
      fitKind: 'steady_state',
      kdSteadyState: null,
      withheld,
      doubt: createDoseMisfit(steadyState),
    };
  }
  const raised = EXTENSIONS.has(choice.model) ? raiseToOtherDoses(kd, fitted, choice) : { kd, flags: [] };
  flags.push(...listFaults(ofOneToOne, choice, kd), ...raised.flags);
  const rmax = computeRmax(kinetic, surface.signalUnit);
  return {
    ...found,
    fitKind: 'kinetic',
    kd: applyDoubts(raised.kd, {
      times_in_doubt: isOffsetUnused && offset?.severity === 'warning',
      window_decides: isModelOpen && isWindowDecisive(ofWindow.kdM, kd),
    }),
    rmax: rmax.value > 0 || rmax.value >= rmaxMin ? rmax : null,
    withheld: { rmax_within_noise: !(rmax.value >= rmaxMin) },
  };
}

/**
 * Returns what the chosen fit says of KD and its rates, other mechanisms admitted. Values of the larger part of two kinds of
 * site are estimates where its KD lies above the highest concentration.
 */
function evaluateFits(
  curves: readonly ProcessedCurve[],
  { ofOneToOne, choice }: ReturnType<typeof fitModels>,
  settings: BindingSettings,
): Verdict {
  const ofNoise = evaluateChoice(curves, choice, ofOneToOne.fit, settings);
  const admitted = settings.model === 'auto' ? admitMechanisms(ofNoise, ofOneToOne, choice) : ofNoise;
  const { kd, kon, koff, flags } = admitted;
  const [main] = choice.sites;
  const topM = curves[curves.length - 1].concentrationM;
  const doubt = { site_above_doses: main !== undefined && main.kdM > topM };
  return { kd: applyDoubts(kd, doubt), kon: applyDoubts(kon, doubt), koff: applyDoubts(koff, doubt), flags };
}

/** Flags of wrong times, lost ligand, complex that regeneration left, and a dose that contradicts the others. */
function listFaults(
  { fitted, offset, ligandLoss, leftComplex }: ReturnType<typeof fitOnSurface>,
  { fit, options, sites }: Choice,
  kd: Quantity | null,
): Flag[] {
  const isOpen = sites.length > 0 || kd?.relation !== '=';
  const influential = isOpen ? null : flagInfluentialDose(fitted, fit, options);
  return [offset, ligandLoss, leftComplex, influential].filter((flag) => flag !== null);
}

/** Models with one kind of site, whose Rmax can be pooled. */
const EXTENSIONS: ReadonlySet<string> = new Set(['1:1', '1:1_drift', '1:1_bulk_shift']);

/** Fits the 1:1 model and chooses among it and what the settings allow beside it. */
function fitModels(curves: readonly ProcessedCurve[], settings: BindingSettings, rmax: RmaxRule) {
  const ofOneToOne = fitOnSurface(curves, settings, rmax);
  const { fitted, fit, options, isOffsetUnused } = ofOneToOne;
  // Wrong times look like another mechanism, so no other model is considered while the times are in doubt.
  const rule: ModelRule = {
    model: chooseModelRule(settings, isOffsetUnused),
    bivalentAnalyte: settings.bivalentAnalyte,
    findSlopeDoubt: (slopesPerS) => findSlopeDoubt(listSlopes(curves, slopesPerS)),
  };
  const choice = chooseModel(fitted, fit, options, rule);
  // Cycles that differ by evidence have no Rmax in common.
  const isPooled =
    settings.rmax === 'auto' &&
    ofOneToOne.ligandLoss === null &&
    EXTENSIONS.has(choice.model) &&
    needsCommonRmax(choice.fit, choice.options);
  const pooled = isPooled ? fitPooledRmax(fitted, choice.fit, choice.options) : null;
  return { ofOneToOne, choice: pooled === null ? choice : { ...choice, ...pooled } };
}

/** A KD at equilibrium, which has no rates. */
function readIsotherm(
  isotherm: SteadyStateFit,
  kd: Quantity,
  of: { top: number; rmaxMin: number; signalUnit: string; flags: readonly Flag[] },
) {
  const withheld = { rmax_within_noise: isotherm.rmax < of.rmaxMin };
  const isKept = of.flags.filter(({ code }) => code === 'LOW_SIGNAL' || code === 'DRIFT');
  const rmax = createMeasuredQuantity(isotherm.rmax, of.signalUnit, null);
  return {
    fitKind: 'steady_state' as const,
    kd,
    kon: null,
    koff: null,
    kdSteadyState: withholdQuantity(kd, withheld),
    withheld,
    rmax: applyDoubts(rmax, { kd_not_measured: kd.relation !== '=' }),
    flags: [...flagTopBelowKd(of.top, isotherm.kdM), ...isKept],
  };
}

/** A standard error of ln Rmax above this leaves less than one significant digit. */
const SE_LN_RMAX_MAX = 0.7;

/** Returns the highest Rmax; an estimate where a weaker KD with a higher Rmax fits the curves as well. */
function computeRmax({ curves, widening, profile }: KineticFit, unit: string): Quantity {
  const top = curves.reduce((best, each) => (each.rmax > best.rmax ? each : best));
  const seLn = (top.rmaxSe / top.rmax) * widening.kd;
  const isOpen = profile === 'open' || profile === 'open_high';
  const doubts = { higher_rmax_fits: isOpen, wide_interval: !(seLn < SE_LN_RMAX_MAX) };
  return applyDoubts(createMeasuredQuantity(top.rmax, unit, seLn), doubts);
}

function chooseModelRule(settings: BindingSettings, isOffsetUnused: boolean): ModelRule['model'] {
  if (settings.model === 'steady_state') return '1:1';
  return isOffsetUnused && settings.model === 'auto' ? '1:1' : settings.model;
}

/** Whether association is over within a sample or two at every concentration. */
function isUnsampled(curves: readonly ProcessedCurve[], { kon, koff }: KineticFit): boolean {
  return (kon * curves[0].concentrationM + koff) * curves[0].intervalS > UNSAMPLED_MIN;
}

/** Whether the isotherm determines KD better than curves that are flat and leave the rates open. */
function isSteadyStateBetter(
  kinetic: KineticFit,
  steadyState: SteadyStateFit | null,
  flat: boolean,
): boolean {
  if (steadyState === null || !flat || evaluateSteadyState(steadyState) === null) return false;
  const seKinetic =
    kinetic.profile === 'closed' ? kinetic.seLnKd * kinetic.widening.kd : Number.POSITIVE_INFINITY;
  return computeSteadyStateHalfWidth(steadyState) < seKinetic && seKinetic > 0.3;
}

/**
 * Whether every injection has reached a plateau. The slopes of short ends are mostly noise, so thirds are compared.
 */
function onPlateau(curves: readonly ProcessedCurve[]): boolean {
  const highest = Math.max(...curves.map(({ response }) => response));
  return curves.every(({ fit, responseSe }) => {
    const injections = fit.injections ?? [{ startS: 0, endS: fit.associationS }];
    return injections.every(({ startS, endS }) => {
      const averagePart = (from: number, to: number): number => {
        const [fromS, toS] = [from, to].map((part) => startS + part * (endS - startS));
        return computeMean(fit.signal, countUpTo(fit.timeS, fromS), countUpTo(fit.timeS, toS));
      };
      const change = Math.abs(averagePart(2 / 3, 1) - averagePart(1 / 3, 2 / 3));
      return !(change > PLATEAU_CHANGE_MAX * highest + 3 * responseSe);
    });
  });
}

function createDriftMisfit(curves: readonly ProcessedCurve[]): Flag {
  const value = Math.max(...curves.map(({ response }) => response));
  const message = 'Sensor drift explains the curves as well as binding does, so binding is not shown.';
  return createFlag('DRIFT', 'warning', message, { value });
}

function createDoseMisfit(steadyState: SteadyStateFit | null): Flag {
  const message =
    'The curves show no kinetics, and their responses do not depend on the concentration, so binding is not shown.';
  return createFlag('NO_DOSE_RESPONSE', 'warning', message, { value: steadyState?.r2 ?? Number.NaN });
}

interface Rules {
  settings: BindingSettings;
  options: FitOptions;
}

interface WindowDoubt {
  flags: Flag[];
  /** KD by the first third of dissociation, in M; null where that does not differ. */
  kdM: number | null;
}

const NO_WINDOW: WindowDoubt = { flags: [], kdM: null };

function isWindowDecisive(ofFirstThirdM: number | null, kd: Quantity | null): boolean {
  if (ofFirstThirdM === null || kd === null) return false;
  const isOutside =
    ofFirstThirdM < (kd.ci95Low ?? 0) || ofFirstThirdM > (kd.ci95High ?? Number.POSITIVE_INFINITY);
  return isOutside || Math.abs(Math.log(ofFirstThirdM / kd.value)) > Math.log(RIVAL_FACTOR);
}

/** Compares koff from the first third of dissociation with koff from all of it. */
function flagWindow(
  curves: readonly ProcessedCurve[],
  kinetic: KineticFit,
  { settings, options }: Rules,
): WindowDoubt {
  const shortened = curves.map((curve) => takeFirstThird(curve));
  const lengthS = Math.max(...curves.map((curve) => curve.dissociationS)) / 3;
  if (lengthS < 10) return NO_WINDOW;
  const early = trySolve(shortened, { ...options, timeZero: kinetic.timeZero, start: kinetic });
  if (early === null || early.koff * lengthS < settings.limits.dissociatedFractionMin) return NO_WINDOW;
  const ratio = early.koff / kinetic.koff;
  const limit = settings.limits.koffWindowRatioMax;
  if (!(ratio > limit)) return NO_WINDOW;
  const { seLnKoff, widening } = finishFit(early);
  const se = Math.hypot(seLnKoff * widening.koff, kinetic.seLnKoff * kinetic.widening.koff);
  if (Math.log(ratio) < 2 * se) return NO_WINDOW;
  const message =
    'koff depends on the dissociation window: dissociation is not a single exponential. ' +
    `With its first third alone ${describeOtherKd(early)}.`;
  return {
    flags: [createFlag('WINDOW_DEPENDENT', 'warning', message, { value: ratio, limit })],
    kdM: early.kdM,
  };
}

function takeFirstThird(curve: ProcessedCurve): FitCurve {
  const endS = curve.fit.associationS + curve.dissociationS / 3;
  return { ...curve.fit, ...keepPoints(curve.fit, (t) => t <= endS) };
}

function trySolve(curves: readonly FitCurve[], options: FitOptions): SolvedFit | null {
  try {
    return solveKinetics(curves, options);
  } catch (error) {
    if (error instanceof AnalysisError) return null;
    throw error;
  }
}

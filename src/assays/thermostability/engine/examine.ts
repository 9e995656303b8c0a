/** Examines one curve by itself: derivative, model fit, and whether there is a transition. */
import { PEAK, computeDerivative, findInflectionPoints } from './derivative.ts';
import type { Derivative, InflectionPoint } from './derivative.ts';
import { BASELINE_SHIFT_MAX_C, fitSlopedBaselines } from './dye-baselines.ts';
import type { SlopedFit } from './dye-baselines.ts';
import { addQuenching, addTransitions } from './add-transitions.ts';
import { fitMelt } from './fit.ts';
import type { Curve, MeltFit, Transition } from './fit.ts';
import type { MeltModel } from './model.ts';
import { measureMisfit } from './misfit.ts';
import { evaluatePeaks } from './peaks.ts';
import { findPrecipitation } from './precipitation.ts';
import type { Precipitation } from './precipitation.ts';
import { isWave } from './waves.ts';
import {
  CLEAR,
  computeEvidence,
  computeStepEvidence,
  isDistinct,
  createNoTransition,
  explainNoTransition,
  explainUnusable,
} from './no-transition.ts';
import type { Evidence } from './no-transition.ts';
import type { MeltingSettings } from './settings.ts';
import type { NoTransition } from './types.ts';

export interface Examination {
  curve: Curve;
  /** The part of the curve that the model was fitted to. */
  fittedCurve: Curve;
  derivative: Derivative | null;
  inflections: InflectionPoint[];
  /** Why the highest rejected peak is not a transition. */
  refusedPeak: NoTransition | null;
  /** Evidence for a transition, with free baselines. */
  evidence: Evidence | null;
  fit: MeltFit | null;
  /** For a fit with sloped baselines beyond the maximum: the fit with flat ones up to it, and how far Tm moves. */
  rise: Rise | null;
  /** Tm with baselines of its own, where the fit shares them with other wells. */
  freeTmC: number | null;
  /** Why the model gives no Tm; null when it does. */
  none: NoTransition | null;
  /** What was left out at the end of the curve; null where nothing was. */
  precipitation: Precipitation | null;
}

export interface Rise extends Pick<SlopedFit, 'fromFlatC' | 'byWindowC'> {
  curve: Curve;
  fit: MeltFit;
  /** Each Tm with sloped baselines; null where they leave no plausible transition. */
  slopedTmsC: number[] | null;
  /** The part of the step that is lost again within the width of the transition, with sloped baselines. */
  fallPart: number;
}

const SEGMENT_POINTS_MIN = 12;
const SEGMENT_MIN_C = 6;
/** A dye that loses more of its step than this until the end may have lost some of it within the step. */
const LOST_MAX = 0.5;

export type FittedShape = 'two_state' | 'boltzmann';

function buildModel(shape: FittedShape, settings: MeltingSettings): MeltModel {
  const slopes = settings.fixedSlopes;
  if (shape === 'boltzmann')
    return {
      shape: 'boltzmann',
      transitions: 1,
      baseline: { kind: 'none' },
      deltaCpKcalPerMolK: 0,
      isQuenched: false,
    };
  return {
    shape: 'thermodynamic',
    transitions: 1,
    baseline:
      slopes === null
        ? { kind: 'free' }
        : { kind: 'given', folded: slopes.foldedPerC, unfolded: slopes.unfoldedPerC },
    deltaCpKcalPerMolK: settings.deltaCpKcalPerMolK,
    isQuenched: false,
  };
}

/** How a curve is examined. */
export interface View {
  shape: FittedShape;
  /** A dye becomes brighter as a protein unfolds; intrinsic fluorescence and its ratio rise or fall. */
  isDye: boolean;
}

/**
 * Examines a curve up to where its noise tells that the protein precipitates, if there is a transition until there; else
 * the whole curve.
 */
export function examineUntilPrecipitation(curve: Curve, view: View, settings: MeltingSettings): Examination {
  const precipitation = view.shape === 'two_state' ? findPrecipitation(curve) : null;
  if (precipitation !== null) {
    const end = curve.temperatureC.findIndex((value) => value >= precipitation.fromC);
    const quiet = { temperatureC: curve.temperatureC.slice(0, end), signal: curve.signal.slice(0, end) };
    const found = examine(quiet, view, settings);
    if (found.fit !== null && found.none === null) return { ...found, precipitation };
  }
  return examine(curve, view, settings);
}

export function examine(curve: Curve, view: View, settings: MeltingSettings): Examination {
  const unusable = explainUnusable(curve);
  if (unusable !== null)
    return {
      curve,
      fittedCurve: curve,
      derivative: null,
      inflections: [],
      refusedPeak: null,
      evidence: null,
      fit: null,
      rise: null,
      freeTmC: null,
      none: unusable,
      precipitation: null,
    };
  const slopes = computeDerivative(curve.temperatureC, curve.signal, settings.derivativeHalfWindowC);
  if (view.shape === 'boltzmann' && !view.isDye && doesFall(slopes))
    return turnExamination(examine(turnCurve(curve), { shape: 'boltzmann', isDye: true }, settings));
  const found = examineSlopes(curve, slopes, view, settings);
  const isLost = found.none !== null && found.inflections.length === 0 && doesFall(slopes);
  const isFall = found.none === null && (found.fit?.transitions[0].amplitude ?? 0) < 0;
  if (!view.isDye || !(isLost || isFall)) return found;
  return { ...found, fit: null, none: createNoTransition('dye_falls') };
}

/** Whether the highest step of the curve is a fall. */
function doesFall(slopes: Derivative): boolean {
  return (findInflectionPoints(slopes, [])[0]?.height ?? 0) < 0;
}

function examineSlopes(
  curve: Curve,
  slopes: Derivative,
  { shape, isDye }: View,
  settings: MeltingSettings,
): Examination {
  const fittedCurve = shape === 'boltzmann' ? cutRisingSegment(curve, slopes) : curve;
  const fit = fittedCurve === null ? null : fitTransitions(fittedCurve, slopes, shape, settings);
  const evidence = fittedCurve === null || fit === null ? null : gatherEvidence(curve, fittedCurve, fit);
  const supportedC =
    evidence !== null && isDistinct(evidence, settings.limits)
      ? (fit?.transitions ?? []).map((each) => each.tmC)
      : [];
  const visible = findInflectionPoints(slopes, supportedC, isDye || shape === 'boltzmann' ? 1 : null);
  const isSeen = fit !== null && (shape !== 'boltzmann' || visible.length > 0);
  const none = isSeen
    ? evaluateTransition({ curve, evidence }, fit, settings)
    : createNoTransition('no_inflection');
  const modelC = none === null ? supportedC : [];
  const { peaks: inflections, refused: refusedPeak } = evaluatePeaks(visible, {
    curve,
    slopes,
    modelC,
    isDye,
    limits: settings.limits,
  });
  const found = {
    curve,
    derivative: slopes,
    inflections,
    refusedPeak,
    evidence,
    none,
    rise: null,
    freeTmC: null,
    precipitation: null,
  };
  const whole = shape === 'boltzmann' && none !== null ? fitNoisyWhole(curve, settings) : null;
  if (whole !== null) return { ...found, ...whole, none: null, fittedCurve: curve };
  if (!isSeen || fittedCurve === null) return { ...found, fittedCurve: curve, fit: null };
  if (shape !== 'boltzmann' || none !== null) return { ...found, fittedCurve, fit };
  return { ...found, ...fitBeyondMaximum(curve, fittedCurve, fit) };
}

/**
 * Where noise hides the highest and the lowest point of a dye's rise, one step with sloped baselines over the whole curve
 * has more points to tell it from noise. Returns null where there is no such step, or where noise hides nothing.
 */
function fitNoisyWhole(curve: Curve, settings: MeltingSettings): { fit: MeltFit; evidence: Evidence } | null {
  const fit = fitMelt(curve, { ...buildModel('boltzmann', settings), baseline: { kind: 'free' } });
  const [{ tmC, amplitude }] = fit.transitions;
  const lostUntilEnd = -fit.unfoldedSlopePerC * (curve.temperatureC[curve.temperatureC.length - 1] - tmC);
  if (amplitude < 0 || lostUntilEnd > LOST_MAX * amplitude) return null;
  if (measureMisfit(curve, fit).isStructured) return null;
  const evidence = computeEvidence(curve, fit);
  if (evidence.amplitudeToNoise >= CLEAR.amplitudeToNoise) return null;
  return evaluateTransition({ curve, evidence }, fit, settings) === null ? { fit, evidence } : null;
}

/** Keeps the fit with flat baselines where sloped ones leave no plausible transition. */
function fitBeyondMaximum(
  curve: Curve,
  fittedCurve: Curve,
  flat: MeltFit,
): Pick<Examination, 'fittedCurve' | 'fit' | 'rise'> {
  const sloped = fitSlopedBaselines(curve, fittedCurve, flat);
  const { fromFlatC, byWindowC } = sloped;
  const [fromC, toC] = [sloped.curve.temperatureC[0], sloped.curve.temperatureC[sloped.fit.points - 1]];
  const isPlausible = ({ tmC, seTmC, amplitude, widthAtBound }: Transition): boolean =>
    !widthAtBound && amplitude > 0 && Number.isFinite(seTmC) && tmC > fromC && tmC < toC;
  const isSound = sloped.fit.transitions.every(isPlausible);
  const slopedTmsC = isSound ? sloped.fit.transitions.map(({ tmC }) => tmC) : null;
  const rise = {
    curve: fittedCurve,
    fit: flat,
    fromFlatC,
    byWindowC,
    slopedTmsC,
    fallPart: computeFall(sloped.fit),
  };
  return fromFlatC <= BASELINE_SHIFT_MAX_C && isSound
    ? { fittedCurve: sloped.curve, fit: sloped.fit, rise }
    : { fittedCurve, fit: flat, rise };
}

/** Returns the part of a dye's step that is lost again within the width of the transition, 4 a. */
function computeFall({ transitions, unfoldedSlopePerC }: MeltFit): number {
  const { width, amplitude } = transitions[transitions.length - 1];
  return (-unfoldedSlopePerC * 4 * width) / amplitude;
}

function turnCurve({ temperatureC, signal }: Curve): Curve {
  return { temperatureC, signal: signal.map((value) => -value) };
}

/** Turns the results of the inverted curve back into those of the curve. */
function turnExamination(found: Examination): Examination {
  const { derivative: slopes, fit, rise } = found;
  const negate = (values: Float64Array): Float64Array => values.map((value) => -value);
  return {
    ...found,
    curve: turnCurve(found.curve),
    fittedCurve: turnCurve(found.fittedCurve),
    derivative: slopes && {
      ...slopes,
      smoothed: negate(slopes.smoothed),
      slope: negate(slopes.slope),
      curvature: negate(slopes.curvature),
    },
    inflections: found.inflections.map((each) => ({ ...each, height: -each.height })),
    fit: fit && turnFit(fit),
    rise: rise && { ...rise, curve: turnCurve(rise.curve), fit: turnFit(rise.fit) },
  };
}

function turnFit(fit: MeltFit): MeltFit {
  return {
    ...fit,
    transitions: fit.transitions.map((each) => ({ ...each, amplitude: -each.amplitude })),
    foldedSlopePerC: -fit.foldedSlopePerC,
    unfoldedSlopePerC: -fit.unfoldedSlopePerC,
    fitted: fit.fitted.map((value) => -value),
  };
}

function fitTransitions(
  curve: Curve,
  slopes: Derivative,
  shape: FittedShape,
  settings: MeltingSettings,
): MeltFit {
  const single = fitMelt(curve, buildModel(shape, settings));
  if (shape === 'boltzmann') return withVisible(curve, slopes, single, settings);
  if (settings.baseline === 'shared') return single;
  const peaksC = findInflectionPoints(slopes, 'anywhere').map((each) => each.temperatureC);
  return addTransitions(curve, addQuenching(curve, single), settings.transitionsMax, peaksC);
}

/**
 * With flat baselines any bend looks like a further transition, so for dye curves each one must also be a peak of the
 * derivative.
 */
function withVisible(
  curve: Curve,
  slopes: Derivative,
  single: MeltFit,
  { transitionsMax }: MeltingSettings,
): MeltFit {
  const startsC = findInflectionPoints(slopes, 'anywhere', 1).map((each) => each.temperatureC);
  for (let most = transitionsMax; most > 1; most -= 1) {
    const fit = addTransitions(curve, single, most, startsC);
    const tmsC = fit.transitions.map((each) => each.tmC);
    const peaksC = findInflectionPoints(slopes, tmsC, 1).map((each) => each.temperatureC);
    if (tmsC.every((tmC) => peaksC.some((peakC) => Math.abs(peakC - tmC) < PEAK.fromModelC))) return fit;
  }
  return single;
}

/** Evidence for a transition is computed with free baselines, because imposed slopes leave a misfit of their own. */
function gatherEvidence(whole: Curve, curve: Curve, fit: MeltFit): Evidence {
  const { model } = fit;
  // The rise of a dye is half a wave, and only the whole curve tells the two apart.
  if (model.shape === 'boltzmann') {
    const gainOverWave = isWave(whole, fit) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    return { ...computeStepEvidence(curve, fit), gainOverWave };
  }
  const imposed = model.baseline.kind === 'given';
  return computeEvidence(
    curve,
    imposed ? fitMelt(curve, { ...model, transitions: 1, baseline: { kind: 'free' } }) : fit,
  );
}

/** Applies the rule of no-transition.ts to the fit of an examined curve. */
export function evaluateTransition(
  { curve, evidence }: { curve: Curve; evidence: Evidence | null },
  fit: MeltFit,
  { limits }: MeltingSettings,
): NoTransition | null {
  const t = curve.temperatureC;
  if (evidence === null) return createNoTransition('no_inflection');
  return explainNoTransition(fit, evidence, { fromC: t[0], toC: t[t.length - 1] }, limits);
}

/**
 * For dye data: the segment from the lowest point before the highest to the highest (Niesen 2007); beyond it the dye
 * leaves the aggregate.
 */
function cutRisingSegment({ temperatureC, signal }: Curve, slopes: Derivative): Curve | null {
  const { smoothed } = slopes;
  const findTop = (from: number): number => {
    let top = from;
    for (let i = from + 1; i < smoothed.length; i += 1) if (smoothed[i] > smoothed[top]) top = i;
    return top;
  };
  let top = findTop(0);
  const rises = findInflectionPoints(slopes, 'anywhere', 1);
  // What shines at the start and is quenched is no top, if several rises follow; before a single one it may be dye that leaves.
  if (rises.length > 1 && rises.every((each) => each.temperatureC > temperatureC[top]))
    top = findTop(temperatureC.findIndex((t) => t >= rises[rises.length - 1].temperatureC));
  let bottom = top;
  for (let i = top; i >= 0; i -= 1) if (smoothed[i] < smoothed[bottom]) bottom = i;
  const n = top + 1 - bottom;
  if (n < SEGMENT_POINTS_MIN || temperatureC[top] - temperatureC[bottom] < SEGMENT_MIN_C) return null;
  return { temperatureC: temperatureC.slice(bottom, top + 1), signal: signal.slice(bottom, top + 1) };
}

/**
 * Judges a fit that has a transition: how far each Tm may be off beyond the noise, and what makes it an estimate instead
 * of a measured value.
 */
import type { RelationCases, DoubtCase } from '#core/relations.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { areToldApart } from './add-transitions.ts';
import { compareAlternatives } from './alternatives.ts';
import type { Alternatives } from './alternatives.ts';
import { findBrightnessShifts } from './brightness.ts';
import { BASELINE_SHIFT_MAX_C, BETWEEN_MAX_C } from './dye-baselines.ts';
import type { Examination, Rise } from './examine.ts';
import type { Curve, MeltFit, Transition } from './fit.ts';
import { measureMisfit } from './misfit.ts';
import type { Misfit } from './misfit.ts';
import { CLEAR, computeUnfoldedAt } from './no-transition.ts';
import { KELVIN, R_KCAL } from './model.ts';
import type { Plateau } from './plateaus.ts';
import { FLICKER_MAX, computeFlicker } from './precipitation.ts';
import type { MeltingLimits } from './settings.ts';

/** What moves Tm whatever the shape of the step is: the brightness of the states behind a ratio, and a misfit. In °C. */
export interface BeyondShape {
  shiftC: number;
  seC: number;
}

/** What is said of one transition. */
export interface TransitionVerdict {
  /** Tm, which is not that of the fit where the brightness of the states or a middle of two rules moves it. */
  tmC: number;
  /** Standard error of Tm from what the model leaves out, in °C. */
  systematicSeC: number;
  doubts: RelationCases<DoubtCase>;
}

export interface Verdict {
  /** In the order of `listShown`. */
  transitions: TransitionVerdict[];
  /** What of the first error the shape of the step does not contain, and the shift it makes. */
  beyondShape: BeyondShape;
  flags: Flag[];
}

/**
 * An examined curve with a transition; `light` is the lower one of two wavelengths whose ratio it is, and scattering begins
 * at `aggregatesFromC`, or nowhere.
 */
export type Judged = Examination & {
  fit: MeltFit;
  isRatio: boolean;
  isRatioGuessed: boolean;
  light: Curve | null;
  aggregatesFromC: number;
};

/**
 * A smooth misfit of this part of the amplitude moves the middle of a transition by about 0.2 °C at 100 kcal/mol: more
 * than instruments differ by.
 */
const MISFIT_MAX = 0.02;
/** Quenching by 2 % for each °C, with as much background as step, takes this part of a wide step. */
const FALL_MAX = 0.4;
/** Fraction at which a transition begins and ends. */
const EDGE_FRACTION = 0.05;
/** The part of a transition that may lie outside of the range. */
const MISSING_MAX = 0.05;
/** Noise alone gives this score to one curve in 160. */
const SPLIT_SCORE = 2.5;
/** Transitions that are closer move Tm by less than instruments differ by. */
const SPLIT_MIN_C = 1;
/** Weaker evidence of transitions this far apart is told where the step is clear, and widens the interval; Tm stays measured. */
const FAR_SPLIT = { score: 1, apartC: 3 } as const;

/** The transitions that a result names: those that overlap where the curve tells them apart, else those of the fit. */
export function listShown(fit: MeltFit): readonly Transition[] {
  const { overlapping } = fit;
  return (overlapping !== null && areToldApart(overlapping) ? overlapping : fit).transitions;
}

export function evaluateFit(
  examination: Judged,
  plateaus: readonly Plateau[],
  limits: MeltingLimits,
): Verdict {
  const { fit, fittedCurve, rise, isRatio } = examination;
  const misfit = measureMisfit(fittedCurve, fit);
  const alternatives = rise === null ? compareAlternatives(fittedCurve, fit, isRatio) : null;
  const shape = findShapeFlag(misfit, limits);
  const reversal = findReversalFlag(fit);
  const plateau = findPlateauFlag(fit, plateaus);
  const flicker = findFlickerFlag(examination);
  const isClear = (examination.evidence?.amplitudeToNoise ?? 0) >= CLEAR.amplitudeToNoise;
  const split = alternatives === null ? null : findSplitFlag(alternatives, isClear);
  const short = findShortBaselineFlag(examination);
  const fallsAtOnce = rise !== null && rise.fallPart > FALL_MAX;
  const movesTooFar =
    rise !== null && (Math.max(rise.fromFlatC, rise.byWindowC) > BASELINE_SHIFT_MAX_C || fallsAtOnce);
  const errors = listErrors(examination, misfit, alternatives);
  const splitSeC = split === null ? 0 : (alternatives?.splitC ?? 0) / 2 / NORMAL_95;
  const isIncomplete =
    plateau?.isCut === true ||
    reversal !== null ||
    flicker?.isLeftOut === false ||
    short !== null ||
    (split !== null && alternatives !== null && alternatives.splitScore > SPLIT_SCORE) ||
    fallsAtOnce ||
    fit.overlapping !== null;
  return {
    transitions: errors.map(({ tmC, shapeSeC, beyondShape, sharingC }, k): TransitionVerdict => {
      const between = movesTooFar ? findMiddle(rise, k) : null;
      const baselineC = between?.halfC ?? (rise === null ? 0 : findBaselineShift(rise));
      return {
        tmC: between?.tmC ?? tmC + beyondShape.shiftC,
        systematicSeC: Math.hypot(beyondShape.seC, shapeSeC, splitSeC, sharingC, baselineC / NORMAL_95),
        doubts: {
          melt_unlike_model: shape !== null,
          melt_incomplete: isIncomplete || (movesTooFar && between === null),
        },
      };
    }),
    beyondShape: errors[0].beyondShape,
    flags: [
      ...(shape === null ? [] : [shape]),
      ...(reversal === null ? [] : [reversal]),
      ...(flicker === null ? [] : [flicker.flag]),
      ...(short === null ? [] : [short]),
      ...(split === null ? [] : [split]),
      ...(examination.isRatioGuessed ? [createGuessFlag()] : []),
      ...(plateau === null ? [] : [plateau.flag]),
      ...(movesTooFar ? [createFallFlag(rise.fromFlatC)] : []),
    ],
  };
}

/** How far one Tm may be off, in °C. */
interface TransitionErrors {
  tmC: number;
  /** What the model leaves out of the shape of the steps. */
  shapeSeC: number;
  beyondShape: BeyondShape;
  sharingC: number;
}

function listErrors(
  examination: Judged,
  misfit: Misfit,
  alternatives: Alternatives | null,
): TransitionErrors[] {
  const { fit, fittedCurve, isRatio } = examination;
  const { transitions, overlapping } = fit;
  const blended = overlapping === null ? null : compareAlternatives(fittedCurve, overlapping, isRatio).sesC;
  const brightness = isRatio ? findBrightnessShifts(fit, fittedCurve, examination) : [];
  const sharingC = computeSharingShift(examination);
  const shown = listShown(fit);
  return shown.map(({ tmC }, k) => {
    const own = shown === transitions ? k : findNearest(transitions, tmC);
    const part = shown === transitions ? findPart(fit, k) : k;
    const bright = brightness[own];
    const misfitC = computeMisfitShift(misfit, fit, own);
    return {
      tmC,
      shapeSeC: blended === null ? (alternatives?.sesC[own] ?? 0) : blended[part],
      beyondShape: { shiftC: bright?.shiftC ?? 0, seC: Math.hypot(misfitC, bright?.seC ?? 0) },
      sharingC,
    };
  });
}

/** Returns the first of the overlapping transitions that transition `k` of a fit may be the sum of. */
function findPart({ transitions, overlapping }: MeltFit, k: number): number {
  const parts = overlapping?.transitions ?? [];
  const first = parts.findIndex(({ tmC }) => findNearest(transitions, tmC) === k);
  return first < 0 ? findNearest(parts, transitions[k].tmC) : first;
}

/** Returns the place of the transition with the nearest Tm. */
export function findNearest(transitions: readonly Pick<Transition, 'tmC'>[], tmC: number): number {
  return transitions.reduce(
    (best, each, k) => (Math.abs(each.tmC - tmC) < Math.abs(transitions[best].tmC - tmC) ? k : best),
    0,
  );
}

function findShapeFlag(misfit: Misfit, limits: MeltingLimits): Flag | null {
  const { explained, isStructured, toAmplitude } = misfit;
  if (!isStructured) return null;
  if (explained < limits.r2Min) {
    const message = 'The curve does not follow the model of the experiment.';
    return createFlag('POOR_FIT', 'warning', message, { value: explained, limit: limits.r2Min });
  }
  if (toAmplitude <= MISFIT_MAX) return null;
  const message =
    'The residuals are no noise: the curve bends where the model does not (RMS, part of the step).';
  return createFlag('POOR_FIT', 'warning', message, { value: toAmplitude, limit: MISFIT_MAX });
}

/** A signal that rises and falls in steps shows a second process, which may have begun within the first step. */
function findReversalFlag({ transitions }: MeltFit): Flag | null {
  if (new Set(transitions.map(({ amplitude }) => Math.sign(amplitude))).size < 2) return null;
  const message =
    'The signal steps up and down: a second process, as precipitation, may move the Tm of the first.';
  return createFlag('TM_UNCERTAIN', 'warning', message);
}

/** Says what was left out after precipitation, or that the noise tells of precipitation which could not be left out. */
function findFlickerFlag({ fit, curve, precipitation }: Judged): { flag: Flag; isLeftOut: boolean } | null {
  if (precipitation !== null) {
    const { fromC, ratio } = precipitation;
    const message = `The noise is ${ratio.toFixed(1)} times stronger from ${fromC.toFixed(1)} °C on, as when the protein precipitates: readings from there on were left out.`;
    const flag = createFlag('TM_UNCERTAIN', 'warning', message, { value: ratio, limit: FLICKER_MAX });
    return { flag, isLeftOut: true };
  }
  const ratio = computeFlicker(curve, fit.transitions[0].tmC);
  if (!(ratio > FLICKER_MAX)) return null;
  const message = `The noise is ${ratio.toFixed(1)} times stronger after the transition than before it, as when the protein precipitates: Tm may be off.`;
  const flag = createFlag('TM_UNCERTAIN', 'warning', message, { value: ratio, limit: FLICKER_MAX });
  return { flag, isLeftOut: false };
}

/** A step that is flatter in its middle than one transition is: two that overlap describe it better, and the first is lower. */
function findSplitFlag({ splitC, splitScore }: Alternatives, isClear: boolean): Flag | null {
  const isFar = isClear && splitScore > FAR_SPLIT.score && splitC > FAR_SPLIT.apartC;
  if (!isFar && !(splitScore > SPLIT_SCORE && splitC > SPLIT_MIN_C)) return null;
  const message = `The step has the shape of two overlapping transitions (${splitC.toFixed(1)} °C apart), though one describes it too: the first may be lower than Tm by half of that.`;
  return createFlag('TM_UNCERTAIN', 'warning', message, { value: splitC, limit: SPLIT_MIN_C });
}

/** Tm of a transition that begins before the range, or ends after it, depends on a baseline that nobody saw. */
function findShortBaselineFlag({ fit, fittedCurve: { temperatureC }, rise }: Judged): Flag | null {
  if (rise !== null) return null;
  const atStart = computeUnfoldedAt(fit, fit.transitions[0], temperatureC[0]);
  const last = fit.transitions[fit.transitions.length - 1];
  const atEnd = 1 - computeUnfoldedAt(fit, last, temperatureC[temperatureC.length - 1]);
  const missing = Math.max(atStart, atEnd);
  if (missing <= MISSING_MAX) return null;
  const side = atStart > atEnd ? 'folded' : 'unfolded';
  const message = `The range of temperatures does not reach the baseline of the ${side} protein (${(100 * missing).toFixed(0)} % of the step is missing): Tm depends on an extrapolation.`;
  return createFlag('TM_UNCERTAIN', 'warning', message, { value: missing, limit: MISSING_MAX });
}

/**
 * A dye that falls while the protein still unfolds: a flat top at the maximum takes the maximum for the end of the step, and
 * is too low; a line through what follows it is steeper than the fall within the step was, and is too high. Returns the middle,
 * with an interval to both; null where one of the two is missing, or they are too far apart.
 */
function findMiddle({ fit, slopedTmsC }: Rise, k: number): { tmC: number; halfC: number } | null {
  if (slopedTmsC === null) return null;
  const flatTmC = fit.transitions[k].tmC;
  const apartC = slopedTmsC[k] - flatTmC;
  return apartC > 0 && apartC <= BETWEEN_MAX_C ? { tmC: flatTmC + apartC / 2, halfC: apartC / 2 } : null;
}

/** Where the flat baselines stay, the interval reaches as far as the sloped ones moved Tm. */
function findBaselineShift({ fromFlatC, byWindowC }: Rise): number {
  return Math.max(fromFlatC > BASELINE_SHIFT_MAX_C ? fromFlatC : fromFlatC / 2, byWindowC);
}

function createGuessFlag(): Flag {
  const message =
    'The file names no channel, and its values look like the ratio of two wavelengths, whose midpoint is not Tm where unfolding changes the brightness: the interval contains that. A file with both wavelengths tells Tm.';
  return createFlag('TM_UNCERTAIN', 'warning', message);
}

function createFallFlag(movedC: number): Flag {
  const message = `The dye signal falls before the protein is unfolded: another rule for the baselines moves Tm by ${movedC.toFixed(1)} °C.`;
  return createFlag('TM_UNCERTAIN', 'warning', message, { value: movedC, limit: BASELINE_SHIFT_MAX_C });
}

/** Returns the flag of every curve with readings at a limit, and whether a transition is cut by them. */
export function findPlateauFlag(
  fit: MeltFit | null,
  plateaus: readonly Plateau[],
): { flag: Flag; isCut: boolean } | null {
  if (plateaus.length === 0) return null;
  const places = plateaus.map(
    ({ side, fromC, toC }) => `${side} from ${fromC.toFixed(1)} to ${toC.toFixed(1)} °C`,
  );
  const isCut =
    fit === null ||
    fit.transitions.some((each) => {
      const [fromC, toC] = findExtent(fit, each);
      return plateaus.some((plateau) => plateau.toC > fromC && plateau.fromC < toC);
    });
  const end = isCut
    ? 'the transition is cut off, so that a Tm would be an estimate at best'
    : 'the transition is complete without them';
  const message = `The detector read its ${places.join(', its ')}; these readings were left out, and ${end}.`;
  return { flag: createFlag('SATURATED', 'warning', message), isCut };
}

/** Returns the temperatures between which a transition goes from 1 to 99 %. */
function findExtent({ model }: MeltFit, { tmC, width }: Transition): [number, number] {
  const ln = Math.log((1 - EDGE_FRACTION) / EDGE_FRACTION);
  if (model.shape === 'boltzmann') return [tmC - width * ln, tmC + width * ln];
  const inverse = 1 / (tmC + KELVIN);
  const apart = (R_KCAL * ln) / width;
  return [1 / (inverse + apart) - KELVIN, apart < inverse ? 1 / (inverse - apart) - KELVIN : Infinity];
}

/** A misfit divided by the steepness of the transition is a shift of its middle. */
function computeMisfitShift(
  { isStructured, toAmplitude }: Misfit,
  { model, transitions }: MeltFit,
  k: number,
): number {
  if (!isStructured) return 0;
  const { tmC, width, amplitude } = transitions[k];
  const ofOwn = toAmplitude * Math.abs(transitions[0].amplitude / amplitude);
  return ofOwn * 4 * (model.shape === 'boltzmann' ? width : (R_KCAL * (tmC + KELVIN) ** 2) / width);
}

/** Where shared slopes and those of the curve itself give different Tm, the interval contains both; such a curve has one. */
function computeSharingShift({ fit, freeTmC }: Judged): number {
  return freeTmC === null ? 0 : Math.abs(fit.transitions[0].tmC - freeTmC) / NORMAL_95;
}

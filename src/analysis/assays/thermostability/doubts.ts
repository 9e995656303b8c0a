/**
 * Judges a fit that has a transition: how far Tm may be off beyond the noise, and what makes it an estimate instead of
 * a measured value.
 */
import type { RelationCases, DoubtCase } from '#core/relations.ts';
import { NORMAL_95 } from '../../numerics/quantiles.ts';
import { createFlag } from '../../quality/flags.ts';
import type { Flag } from '../../quality/flags.ts';
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

export interface Verdict {
  /** Tm of each transition, where it is not that of the fit. */
  tmsC: number[];
  /** Standard error of Tm from what the model leaves out, in °C. */
  systematicSeC: number;
  /** What of that the shape of the step does not contain, and the shift it makes. */
  beyondShape: BeyondShape;
  doubts: RelationCases<DoubtCase>;
  flags: Flag[];
}

/**
 * An examined curve with a transition; `light` is the lower one of two wavelengths whose ratio it is, and `hasAggregates`
 * is true where scattering begins before Tm.
 */
export type Judged = Examination & {
  fit: MeltFit;
  isRatio: boolean;
  isRatioGuessed: boolean;
  light: Curve | null;
  hasAggregates: boolean;
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

export function evaluateFit(
  examination: Judged,
  plateaus: readonly Plateau[],
  limits: MeltingLimits,
): Verdict {
  const { fit, fittedCurve, rise, isRatio } = examination;
  const [first] = fit.transitions;
  const misfit = measureMisfit(fittedCurve, fit);
  const alternatives = rise === null ? compareAlternatives(fittedCurve, fit, isRatio) : null;
  const shiftC = rise === null ? 0 : findBaselineShift(rise);
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
  const between = movesTooFar ? findMiddle(rise) : null;
  const brightness = isRatio ? findBrightnessShifts(fit, fittedCurve, examination) : [];
  const misfitC = computeMisfitShift(misfit, first, fit);
  const [bright] = brightness;
  return {
    tmsC: fit.transitions.map(({ tmC }, k) =>
      k === 0 && between !== null ? between.tmC : tmC + (brightness[k]?.shiftC ?? 0),
    ),
    beyondShape: { shiftC: bright?.shiftC ?? 0, seC: Math.hypot(misfitC, bright?.seC ?? 0) },
    systematicSeC: Math.hypot(
      misfitC,
      alternatives?.seC ?? 0,
      split === null ? 0 : (alternatives?.splitC ?? 0) / 2 / NORMAL_95,
      bright?.seC ?? 0,
      computeSharingShift(examination),
      (between?.halfC ?? shiftC) / NORMAL_95,
    ),
    doubts: {
      melt_unlike_model: shape !== null,
      melt_incomplete:
        plateau?.isCut === true ||
        reversal !== null ||
        flicker?.isLeftOut === false ||
        short !== null ||
        (split !== null && alternatives !== null && alternatives.splitScore > SPLIT_SCORE) ||
        fallsAtOnce ||
        (movesTooFar && between === null) ||
        fit.unresolved.length > 0,
    },
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
    const message = `The noise is stronger from ${fromC.toFixed(1)} °C on (times), as when the protein precipitates: readings from there on were left out.`;
    const flag = createFlag('TM_UNCERTAIN', 'warning', message, { value: ratio, limit: FLICKER_MAX });
    return { flag, isLeftOut: true };
  }
  const ratio = computeFlicker(curve, fit.transitions[0].tmC);
  if (!(ratio > FLICKER_MAX)) return null;
  const message =
    'The noise is stronger after the transition than before it (times), as when the protein precipitates: Tm may be off.';
  const flag = createFlag('TM_UNCERTAIN', 'warning', message, { value: ratio, limit: FLICKER_MAX });
  return { flag, isLeftOut: false };
}

/** A step that is flatter in its middle than one transition is: two that overlap describe it better, and the first is lower. */
function findSplitFlag({ splitC, splitScore }: Alternatives, isClear: boolean): Flag | null {
  const isFar = isClear && splitScore > FAR_SPLIT.score && splitC > FAR_SPLIT.apartC;
  if (!isFar && !(splitScore > SPLIT_SCORE && splitC > SPLIT_MIN_C)) return null;
  const message =
    'The step has the shape of two overlapping transitions (°C apart), though one describes it too: the first may be lower than Tm by half of that.';
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
  const message = `The range of temperatures does not reach the baseline of the ${side} protein (part of the step that is missing): Tm depends on an extrapolation.`;
  return createFlag('TM_UNCERTAIN', 'warning', message, { value: missing, limit: MISSING_MAX });
}

/**
 * A dye that falls while the protein still unfolds: a flat top at the maximum takes the maximum for the end of the step, and
 * is too low; a line through what follows it is steeper than the fall within the step was, and is too high. Returns the middle,
 * with an interval to both; null where one of the two is missing, or they are too far apart.
 */
function findMiddle({ fit, slopedTmC }: Rise): { tmC: number; halfC: number } | null {
  if (slopedTmC === null) return null;
  const flatTmC = fit.transitions[0].tmC;
  const apartC = slopedTmC - flatTmC;
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
  const message =
    'The dye signal falls before the protein is unfolded: Tm depends on the rule for the baselines (°C).';
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
    ? 'the transition is cut off, and Tm is an estimate'
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
  { tmC, width }: Transition,
  { model }: MeltFit,
) {
  if (!isStructured) return 0;
  return toAmplitude * 4 * (model.shape === 'boltzmann' ? width : (R_KCAL * (tmC + KELVIN) ** 2) / width);
}

/** Where shared slopes and those of the curve itself give different Tm, the interval contains both. */
function computeSharingShift({ fit, freeTmC }: Judged): number {
  return freeTmC === null ? 0 : Math.abs(fit.transitions[0].tmC - freeTmC) / NORMAL_95;
}

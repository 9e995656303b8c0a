/**
 * Evaluates one well: its melting temperature by the method of the experiment, onset, aggregation, and the reasons
 * for doubt.
 */
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import {
  createMeasuredQuantity,
  applyDoubts,
  createMeasuredWithin,
  createLimit,
  type Quantity,
} from '#analysis/quantities/quantity.ts';
import { findAggregationOnset } from './aggregation.ts';
import type { Aggregation } from './aggregation.ts';
import { findPlateauFlag, evaluateFit, listShown } from './doubts.ts';
import type { Judged } from './doubts.ts';
import { computeDerivative, findInflectionPoints } from './derivative.ts';
import type { Derivative, InflectionPoint } from './derivative.ts';
import type { Examination } from './examine.ts';
import type { Curve, MeltFit, Transition } from './fit.ts';
import { KELVIN, R_KCAL } from './model.ts';
import type { Shape } from './model.ts';
import { createNoTransition } from './no-transition.ts';
import type { MeltingLimits, MeltingSettings, TmMethod } from './settings.ts';
import { stateFitted, statePeak } from './transitions.ts';
import type {
  MeltFitSummary,
  MeltPlotCurve,
  NoTransition,
  ReplicateMelting,
  TransitionSummary,
} from './types.ts';
import { computeInitial } from './wells.ts';
import type { Well } from './wells.ts';

/** Fraction that is unfolded at the onset. */
const ONSET_FRACTION = 0.01;
const LN_ONSET = Math.log((1 - ONSET_FRACTION) / ONSET_FRACTION);
/** Significant digits of stored curve points. */
const CURVE_DIGITS = 7;
const DATA_FAULTS = new Set<NoTransition['reason']>(['too_few_points', 'range_too_short', 'constant_signal']);

export function evaluateWell(
  well: Well,
  examination: Examination | null,
  method: TmMethod,
  settings: MeltingSettings,
): ReplicateMelting {
  const { taggBaselineC: baselineC, limits } = settings;
  const aggregation: Aggregation =
    well.scattering === null
      ? { tagg: null, threshold: null }
      : findAggregationOnset(well.scattering, { baselineC, sd: limits.taggSd });
  const replicate = createEmptyReplicate(well, aggregation.tagg);
  if (examination === null) return { ...replicate, outcome: 'not_tested' };
  const { inflections } = examination;
  replicate.inflectionPoints = inflections;
  replicate.initialSignal = well.curve === null ? null : computeInitial(well.curve);
  if (method === 'derivative') evaluateByDerivative(replicate, examination, well, limits);
  else evaluateByFit(replicate, examination, { method, well, limits });
  if (replicate.noTransition !== null) {
    const isFault = DATA_FAULTS.has(replicate.noTransition.reason);
    replicate.outcome = isFault ? 'failed_qc' : 'measured';
    replicate.flags.push(
      createFlag('NO_TRANSITION', isFault ? 'error' : 'warning', replicate.noTransition.message),
    );
    const plateau = findPlateauFlag(null, well.plateaus);
    if (plateau !== null) replicate.flags.push(plateau.flag);
  }
  replicate.flags = removeDuplicateFlags([...replicate.flags, ...findMisfits(replicate, settings)]);
  replicate.confidence = decideConfidence(replicate);
  if (settings.curves) replicate.curve = plotCurve(well, examination, replicate, aggregation);
  return replicate;
}

/** A signal that is only guessed is not named in figures and records. */
function nameChannel({ channel, isRatioGuessed }: Well): string {
  return isRatioGuessed ? 'unnamed' : channel;
}

function createEmptyReplicate(well: Well, tagg: Quantity | null): ReplicateMelting {
  const { sample, role, replicate, plate, concentrationM, initial330nm } = well;
  return {
    sample,
    role,
    replicate,
    plate,
    well: well.well,
    channel: nameChannel(well),
    concentrationM,
    outcome: 'measured',
    tm: null,
    tmSharedSeC: 0,
    beyondShape: null,
    joint: null,
    tmAll: [],
    inflectionPoints: [],
    tonset: null,
    tagg,
    dh: null,
    noTransition: null,
    initialSignal: null,
    initial330nm,
    fit: null,
    confidence: 'low',
    flags: [],
    curve: null,
    packedCurve: null,
  };
}

function describeSignal(
  { tagg }: ReplicateMelting,
  { isRatio, isRatioGuessed, light }: Well,
): Pick<Judged, 'isRatio' | 'isRatioGuessed' | 'light' | 'aggregatesFromC'> {
  const aggregatesFromC = tagg?.relation === '=' ? tagg.value : Number.POSITIVE_INFINITY;
  return { isRatio, isRatioGuessed, light, aggregatesFromC };
}

function evaluateByDerivative(
  replicate: ReplicateMelting,
  examination: Examination,
  well: Well,
  limits: MeltingLimits,
): void {
  const { curve, inflections, refusedPeak, none, derivative: slopes, fit } = examination;
  if (slopes === null || inflections.length === 0) {
    const isSaid = slopes === null || none?.reason === 'dye_falls';
    replicate.noTransition = isSaid ? none : (refusedPeak ?? createNoTransition('no_inflection'));
    return;
  }
  const isNear = fit?.transitions.some(
    ({ tmC }) => Math.abs(tmC - inflections[0].temperatureC) <= limits.methodsDifferMaxC,
  );
  const isExplained = fit !== null && none === null && isNear === true;
  const judged = isExplained
    ? evaluateFit({ ...examination, fit, ...describeSignal(replicate, well) }, well.plateaus, limits)
    : null;
  const message = 'No model of unfolding describes the curve; Tm is where it is steepest.';
  replicate.flags.push(...(judged?.flags ?? [createFlag('POOR_FIT', 'warning', message)]));
  stateTransitions(
    replicate,
    inflections.map((point) => {
      const shiftC = computeShiftByWindow(curve, point, slopes.halfWindowC);
      return statePeak(point, shiftC, fit, judged, limits);
    }),
  );
}

function stateTransitions(replicate: ReplicateMelting, transitions: TransitionSummary[]): void {
  const [first] = transitions;
  replicate.tmAll = transitions;
  replicate.tm = first.tm;
  replicate.tmSharedSeC = first.sharedSeC;
}

/**
 * Returns how far a peak moves when the window is 1 °C narrower, or wider if it is already narrow: the effect of
 * smoothing.
 */
function computeShiftByWindow(
  { temperatureC, signal }: Curve,
  { temperatureC: tmC, height }: InflectionPoint,
  halfWindowC: number,
): number {
  const other = computeDerivative(temperatureC, signal, halfWindowC < 3 ? halfWindowC + 1 : halfWindowC - 1);
  const points = findInflectionPoints(other, [tmC], height < 0 ? -1 : 1);
  const distances = points.map((each) => Math.abs(each.temperatureC - tmC));
  return Math.min(halfWindowC, ...distances);
}

function evaluateByFit(
  replicate: ReplicateMelting,
  examination: Examination,
  { method, well, limits }: { method: 'two_state' | 'boltzmann'; well: Well; limits: MeltingLimits },
): void {
  const { fit, none, curve } = examination;
  if (fit !== null) replicate.fit = summarizeFit(fit, examination, method);
  if (fit === null || none !== null) {
    replicate.noTransition = none ?? createNoTransition('no_inflection');
    return;
  }
  const isBlend = fit.overlapping !== null;
  const shown = listShown(fit);
  const [first] = shown;
  const hasDh = method === 'two_state' && !isBlend;
  const verdict = evaluateFit(
    { ...examination, fit, ...describeSignal(replicate, well) },
    well.plateaus,
    limits,
  );
  replicate.flags.push(...verdict.flags);
  const transitions = stateFitted({ ...examination, fit }, verdict, hasDh);
  stateTransitions(replicate, transitions);
  replicate.beyondShape = verdict.beyondShape;
  const [{ tmC }] = transitions;
  const [{ doubts }] = verdict.transitions;
  const dh = hasDh ? createMeasuredQuantity(first.width, 'kcal/mol', first.seLnWidth) : null;
  replicate.dh = applyDoubts(dh, doubts);
  if (!isBlend) {
    const onset = computeOnset(fit.model.shape, { ...first, tmC }, curve.temperatureC[0]);
    replicate.tonset = applyDoubts(onset, doubts);
  } else {
    const message =
      shown === fit.transitions
        ? 'The curve has overlapping transitions that cannot be resolved: Tm lies between them, without ΔH and onset.'
        : 'The curve supports transitions that overlap: Tm is an estimate of the first, without ΔH and onset.';
    replicate.flags.push(createFlag('TM_UNCERTAIN', 'warning', message));
  }
}

/**
 * Returns the temperature at which 1 % is unfolded: 1/T_on = 1/Tm + R ln 99/ΔH without heat capacity change, T_on =
 * Tm − a ln 99 for a Boltzmann curve. Below the first temperature it is a limit. The heat capacity change moves ΔG at
 * the onset by less than its own error.
 */
export function computeOnset(
  shape: Shape,
  { tmC, width, seTmC, seLnWidth }: Pick<Transition, 'tmC' | 'width' | 'seTmC' | 'seLnWidth'>,
  firstC: number,
): Quantity {
  let onsetC: number;
  let perLnWidth: number;
  if (shape === 'boltzmann') {
    perLnWidth = -width * LN_ONSET;
    onsetC = tmC + perLnWidth;
  } else {
    const distance = (R_KCAL * LN_ONSET) / width;
    const onsetK = 1 / (1 / (tmC + KELVIN) + distance);
    onsetC = onsetK - KELVIN;
    perLnWidth = onsetK ** 2 * distance;
  }
  if (onsetC < firstC) return createLimit(firstC, '°C', 'onset_before_ramp');
  return createMeasuredWithin(onsetC, '°C', Math.hypot(seTmC, perLnWidth * seLnWidth));
}

function summarizeFit(
  fit: MeltFit,
  { fittedCurve }: Examination,
  method: 'two_state' | 'boltzmann',
): MeltFitSummary {
  const t = fittedCurve.temperatureC;
  const { r2, rms, points, parameters, autocorrelation, converged, foldedSlopePerC, unfoldedSlopePerC } = fit;
  return {
    method,
    r2,
    rms,
    points,
    parameters,
    autocorrelation,
    converged,
    foldedSlopePerC,
    unfoldedSlopePerC,
    fromC: t[0],
    toC: t[t.length - 1],
  };
}

function findMisfits(replicate: ReplicateMelting, { limits }: MeltingSettings): Flag[] {
  const { tm, tmAll, inflectionPoints, tagg } = replicate;
  if (tm === null) return [];
  const flags: Flag[] = [];
  const half = tm.ci95High === null ? 0 : tm.ci95High - tm.value;
  if (half > 1 && !replicate.flags.some(({ code }) => code === 'TM_UNCERTAIN')) {
    const message = 'The 95 % interval of Tm is wider than ±1 °C.';
    flags.push(createFlag('TM_UNCERTAIN', 'warning', message, { value: half, limit: 1 }));
  }
  if (tmAll.length > 1) {
    const message = `The curve has ${tmAll.length} transitions; Tm is that of the first.`;
    flags.push(createFlag('SEVERAL_TRANSITIONS', 'info', message, { value: tmAll.length }));
  }
  const half95 = tm.ci95High === null ? 0 : tm.ci95High - tm.value;
  const apart = Math.min(
    ...inflectionPoints.map(({ temperatureC, seC }) => {
      const noise = Math.hypot(half95, NORMAL_95 * (seC ?? 0));
      return Math.max(0, Math.abs(temperatureC - tm.value) - noise);
    }),
  );
  if (Number.isFinite(apart) && apart > limits.methodsDifferMaxC) {
    const message = 'No peak of the derivative lies near the fitted Tm.';
    flags.push(
      createFlag('TM_METHODS_DISAGREE', 'warning', message, {
        value: apart,
        limit: limits.methodsDifferMaxC,
      }),
    );
  }
  if (tagg !== null && tagg.relation === '=' && tagg.value < tm.value) {
    const message = 'Aggregation starts below Tm: unfolding is not reversible and Tm is apparent.';
    flags.push(createFlag('AGGREGATES_EARLY', 'warning', message, { value: tagg.value, limit: tm.value }));
  }
  return flags;
}

function decideConfidence({
  tm,
  noTransition: none,
  flags,
}: ReplicateMelting): ReplicateMelting['confidence'] {
  if (tm === null) return none === null || DATA_FAULTS.has(none.reason) ? 'low' : 'medium';
  return flags.some((each) => each.severity !== 'info') ? 'medium' : 'high';
}

/** Returns the slopes of the curve as it was recorded, also where readings were left out. */
function computeSlopes({ temperatureC, signal }: Curve, slopes: Derivative): Float64Array {
  const isWhole = slopes.slope.length === temperatureC.length;
  return isWhole ? slopes.slope : computeDerivative(temperatureC, signal, slopes.halfWindowC).slope;
}

function plotCurve(
  well: Well,
  { curve: kept, fittedCurve, derivative: slopes, fit }: Examination,
  { noTransition: none, fit: used }: ReplicateMelting,
  { threshold }: Aggregation,
): MeltPlotCurve {
  const { scattering, curve: recorded } = well;
  const roundValues = (values: ArrayLike<number>): number[] =>
    Array.from(values, (value) => Number(value.toPrecision(CURVE_DIGITS)));
  const shown = none === null && used !== null ? fit : null;
  const curve = recorded ?? kept;
  const fitted = new Map(
    shown === null ? [] : Array.from(fittedCurve.temperatureC, (t, i) => [t, shown.fitted[i]]),
  );
  const getModel = (i: number): number | null => fitted.get(curve.temperatureC[i]) ?? null;
  const points = [...curve.signal.keys()];
  const shorten = (value: number | null): number | null =>
    value === null ? null : Number(value.toPrecision(CURVE_DIGITS));
  const computeResidual = (i: number): number | null => {
    const value = getModel(i);
    return value === null ? null : shorten(curve.signal[i] - value);
  };
  return {
    channel: nameChannel(well),
    temperatureC: roundValues(curve.temperatureC),
    signal: roundValues(curve.signal),
    fit: shown === null ? null : points.map((i) => shorten(getModel(i))),
    residual: shown === null ? null : points.map(computeResidual),
    derivative: slopes === null ? [] : roundValues(computeSlopes(curve, slopes)),
    scattering:
      scattering === null
        ? null
        : {
            temperatureC: roundValues(scattering.temperatureC),
            signal: roundValues(scattering.signal),
            threshold,
          },
  };
}

/** Extracts the interaction from a raw trace: association and dissociation on one clock, aligned to the baseline. */
import { AnalysisError } from '#analysis/failures/errors.ts';
import type { BindingSettings } from '../settings.ts';
import { subtractScaled } from '#analysis/numerics/matrix.ts';
import { fitLine } from '#analysis/numerics/line.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import {
  StepBuilder,
  type StepName,
  type Trace,
  type TraceStep,
  selectSamples,
} from '#analysis/curves/trace.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import { findClipping, type Clipping } from './clipping.ts';
import type { Injection } from './model.ts';

/**
 * Leaves out the seconds in which the valves of an SPR instrument switch: at both ends of an injection the pressure and
 * the refractive index jump, and a reference that is passed a moment later does not cancel it.
 */
type Trims = Pick<BindingSettings, 'trimAssociationS' | 'trimDissociationS' | 'trimBeforeS'>;

/** A phase that would keep fewer samples than this is kept whole. */
const SAMPLES_MIN = 3;

/** Returns the steps without the samples around the start and the end of each injection. */
export function trimSwitches(
  steps: readonly TraceStep[],
  { trimAssociationS, trimDissociationS, trimBeforeS }: Trims,
): TraceStep[] {
  return steps.map((step, i) => {
    const next = steps.at(i + 1);
    const isBeforeSwitch =
      (step.step === 'association' && next !== undefined) ||
      ((step.step === 'baseline' || step.step === 'dissociation') && next?.step === 'association');
    const heads = { association: trimAssociationS, dissociation: trimDissociationS };
    const head = step.step === 'association' || step.step === 'dissociation' ? heads[step.step] : 0;
    const tail = isBeforeSwitch ? trimBeforeS : 0;
    if (head === 0 && tail === 0) return step;
    const fromS = head === 0 ? Number.NEGATIVE_INFINITY : step.startS + head - 1e-9;
    const toS = tail === 0 || next === undefined ? Number.POSITIVE_INFINITY : next.startS - tail + 1e-9;
    const trimmedStep = selectSamples(step, (t) => t >= fromS && t <= toS);
    return trimmedStep.timeS.length < SAMPLES_MIN ? step : trimmedStep;
  });
}

/** A phase of a trace; times in s since the start of association. */
export interface Phase {
  timeS: Float64Array;
  signal: Float64Array;
}

export interface AlignedTrace {
  trace: Trace;
  /** Last baseline before association; null when the file has none. */
  baseline: Phase | null;
  association: Phase;
  dissociation: Phase | null;
  /** Nominal length of association; for single-cycle kinetics up to the end of the last injection. */
  associationS: number;
  /** Injections of single-cycle kinetics; `association` then runs from the first to the last of them. */
  injections: Injection[] | null;
  /** Signal of the baseline that was set to zero. */
  level: number;
  /** Length of the baseline that gave it, in s. */
  zeroS: number;
  /** Signal gained by loading, or null when the trace has no loading step. */
  loading: number | null;
  /** Where the raw signal of the interaction ends at the detector's range; null where it does not. */
  clipping: Clipping | null;
  /** Largest raw signal in the interaction, to detect saturation. */
  rawTop: number;
}

export function alignTrace(trace: Trace, settings: BindingSettings): AlignedTrace {
  const whole = trace.steps.flatMap((step) =>
    step.step === 'unsegmented' ? divideStep(trace, step, settings) : [step],
  );
  const steps = trimSwitches(whole, settings);
  const at = steps.findIndex((step) => step.step === 'association');
  if (at === -1) throw new AnalysisError('steps_missing', `Trace ${trace.id} has no association step.`);
  const until = steps.findLastIndex((step) => step.step === 'association');
  const association = until === at ? steps[at] : joinSteps(steps.slice(at, until + 1));
  assertSeconds(trace, association);
  const dissociation = steps.slice(until + 1).find((step) => step.step === 'dissociation') ?? null;
  const baseline = steps.slice(0, at).findLast((step) => step.step === 'baseline') ?? null;
  const startS = association.startS;
  const lastS = association.timeS[association.timeS.length - 1];
  const endS = dissociation === null ? lastS : dissociation.startS;
  const zeroS = baseline === null ? 0 : findLevelS(baseline, settings.baselineS);
  const zero = baseline === null || zeroS === 0 ? 0 : computeEndMean(baseline, zeroS);
  const alignPhase = (step: TraceStep): Phase => ({
    timeS: lowerValues(step.timeS, startS),
    signal: lowerValues(step.signal, zero),
  });
  return {
    trace,
    baseline: baseline === null ? null : alignPhase(baseline),
    association: alignPhase(association),
    dissociation: dissociation === null ? null : alignPhase(dissociation),
    associationS: endS - startS,
    injections: until === at ? null : listInjections(trace, steps.slice(at, until + 2)),
    level: zero,
    zeroS,
    loading: computeLoading(steps.slice(0, at), Math.min(settings.baselineS, LEVEL_S)),
    clipping: findClipping(steps),
    rawTop: Math.max(
      computeLargest(association.signal),
      dissociation === null ? -Infinity : computeLargest(dissociation.signal),
    ),
  };
}

/** The end of a baseline that slopes is level for this long. */
const LEVEL_S = 5;
/** A slope beyond this many standard errors is one. */
const SLOPE_SE = 2;

/** Returns how much of the end of the baseline gives the zero: as much as asked if it is level, else its last seconds. */
function findLevelS({ timeS, signal }: TraceStep, baselineS: number): number {
  if (baselineS <= LEVEL_S) return baselineS;
  const lastS = timeS[timeS.length - 1];
  const from = Math.max(
    0,
    timeS.findIndex((t) => t > lastS - baselineS),
  );
  const line = fitLine(timeS.subarray(from), signal.subarray(from));
  const isLevel = line !== null && Math.abs(line.slope) <= SLOPE_SE * line.slopeSe;
  return isLevel ? Math.min(baselineS, lastS - timeS[0]) : LEVEL_S;
}

/** Throws for samples closer than any instrument records them, because such times are in minutes or hours. */
function assertSeconds({ id }: Trace, { timeS }: TraceStep): void {
  const n = timeS.length;
  const intervalS = n < 2 ? SAMPLE_INTERVAL_MIN_S : (timeS[n - 1] - timeS[0]) / (n - 1);
  if (intervalS >= SAMPLE_INTERVAL_MIN_S) return;
  const message = `Trace ${id} has a sample every ${Number(intervalS.toPrecision(3))} s, closer than ${SAMPLE_INTERVAL_MIN_S} s: its times are not in seconds.`;
  throw new AnalysisError('values_implausible', message);
}

/** Fast sensors give 40 to 50 samples per second. */
const SAMPLE_INTERVAL_MIN_S = 0.018;

function joinSteps(steps: readonly TraceStep[]): TraceStep {
  const whole = new StepBuilder('association', steps[0].startS);
  for (const { timeS, signal } of steps)
    for (let i = 0; i < timeS.length; i += 1) whole.push(timeS[i], signal[i]);
  return whole.build();
}

/**
 * Returns start, end and concentration of each association of a single cycle; the last step, if any, only marks the
 * end.
 */
function listInjections(trace: Trace, steps: readonly TraceStep[]): Injection[] {
  const zeroS = steps[0].startS;
  return steps.flatMap((step, i) => {
    if (step.step !== 'association') return [];
    const { concentrationM, timeS } = step;
    if (concentrationM === undefined || concentrationM === null) {
      const message = `Trace ${trace.id} has several associations: state their concentrations in assign["${trace.id}"].injections_m.`;
      throw new AnalysisError('steps_unsupported', message);
    }
    const endS = steps[i + 1]?.startS ?? timeS[timeS.length - 1];
    return [{ startS: step.startS - zeroS, endS: endS - zeroS, concentrationM }];
  });
}

/** Cuts a step without a stated end of association at the association length of the settings. */
function divideStep(trace: Trace, step: TraceStep, settings: BindingSettings): TraceStep[] {
  const { associationS } = settings;
  if (associationS === null) {
    const message = `The file does not state how long association lasted (trace ${trace.id}): set association_s.`;
    throw new AnalysisError('association_length_needed', message);
  }
  const startS = settings.associationStartS ?? step.startS;
  const turnS = startS + associationS;
  const endS = step.timeS[step.timeS.length - 1];
  if (turnS > endS) {
    const message = `Trace ${trace.id} ends ${Number((endS - startS).toPrecision(6))} s after its association starts: association_s cannot be ${associationS}. Are its times in seconds?`;
    throw new AnalysisError('settings_invalid', message);
  }
  const cutStep = (name: StepName, from: number, inside: (t: number) => boolean): TraceStep => {
    return { step: name, startS: from, ...keepPoints(step, inside) };
  };
  const parts = [
    cutStep('baseline', step.startS, (t) => t < startS),
    cutStep('association', startS, (t) => t >= startS && t <= turnS),
    cutStep('dissociation', turnS, (t) => t > turnS),
  ];
  return parts.filter((each) => each.timeS.length > 0);
}

function computeEndMean(step: { timeS: Float64Array; signal: Float64Array }, lengthS: number): number {
  return computeMeanOfEnd(step.timeS, step.signal, lengthS);
}

/** Returns the mean of the samples in the last `lengthS` of the given ones (at least one). */
export function computeMeanOfEnd(timeS: Float64Array, signal: Float64Array, lengthS: number): number {
  const last = timeS[timeS.length - 1];
  let from = timeS.length - 1;
  while (from > 0 && timeS[from - 1] > last - lengthS) from -= 1;
  return computeMean(signal, from);
}

function computeLoading(steps: readonly TraceStep[], lengthS: number): number | null {
  const at = steps.findIndex((step) => step.step === 'loading');
  if (at === -1) return null;
  const loading = steps[at];
  const before = steps.slice(0, at).findLast((step) => step.step === 'baseline');
  const start = before === undefined ? loading.signal[0] : computeEndMean(before, lengthS);
  return computeEndMean(loading, lengthS) - start;
}

function computeLargest(values: Float64Array): number {
  let top = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i += 1) top = Math.max(top, values[i]);
  return top;
}

function lowerValues(values: Float64Array, by: number): Float64Array {
  const out = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 1) out[i] = values[i] - by;
  return out;
}

/** Returns `from` minus `what`, which is interpolated linearly at the times of `from`. */
export function subtractTrace(from: AlignedTrace, what: AlignedTrace): AlignedTrace {
  const subtractPhase = (a: Phase | null, b: Phase | null): Phase | null => {
    if (a === null || b === null) return a;
    const signal = a.signal.slice();
    subtractScaled(signal, interpolatePhase(b, a.timeS, { id: what.trace.id }), 1);
    return { timeS: a.timeS, signal };
  };
  const association = subtractPhase(from.association, what.association);
  return {
    ...from,
    baseline: subtractPhase(from.baseline, what.baseline),
    association: association ?? from.association,
    dissociation: subtractPhase(from.dissociation, what.dissociation),
  };
}

/** Returns the mean of several aligned traces at the times of the first. */
export function averageTraces(traces: readonly AlignedTrace[]): AlignedTrace {
  const [first, ...others] = traces;
  if (others.length === 0) return first;
  const averagePhase = (pick: (trace: AlignedTrace) => Phase | null): Phase | null => {
    const base = pick(first);
    if (base === null) return null;
    const signal = base.signal.slice();
    for (const other of others) {
      const values = interpolatePhase(pick(other) ?? base, base.timeS, { id: other.trace.id });
      for (let i = 0; i < signal.length; i += 1) signal[i] += values[i];
    }
    for (let i = 0; i < signal.length; i += 1) signal[i] /= traces.length;
    return { timeS: base.timeS, signal };
  };
  return {
    ...first,
    baseline: averagePhase((trace) => trace.baseline),
    association: averagePhase((trace) => trace.association) ?? first.association,
    dissociation: averagePhase((trace) => trace.dissociation),
  };
}

/** A reference may end up to this many of its sampling intervals before the sample. */
const OVERHANG_INTERVALS = 2;

/** Returns the phase itself, not a copy, where both were sampled at the same times. */
function interpolatePhase(phase: Phase, timeS: Float64Array, source: { id: string }): Float64Array {
  const { timeS: x, signal: y } = phase;
  if (areEqual(x, timeS)) return y;
  const last = x.length - 1;
  const intervalS = last > 0 ? (x[last] - x[0]) / last : 1;
  const slackS = OVERHANG_INTERVALS * intervalS + 1e-9;
  if (timeS.length > 0 && (timeS[timeS.length - 1] > x[last] + slackS || timeS[0] < x[0] - slackS)) {
    const message = `Reference trace ${source.id} does not cover the times of the trace it is subtracted from.`;
    throw new AnalysisError('reference_too_short', message);
  }
  const out = new Float64Array(timeS.length);
  let at = 0;
  for (let i = 0; i < timeS.length; i += 1) {
    const t = timeS[i];
    while (at < last - 1 && x[at + 1] <= t) at += 1;
    if (t <= x[0]) out[i] = y[0];
    else if (t >= x[last]) out[i] = y[last];
    else out[i] = y[at] + ((t - x[at]) / (x[at + 1] - x[at])) * (y[at + 1] - y[at]);
  }
  return out;
}

function areEqual(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/** Evaluates one replicate: whether it was loaded, whether it binds, and how strongly. */
import type { Confidence, Expression, PlotCurve, ReplicateAffinity } from '../../affinity/types.ts';
import { AnalysisError } from '../../../failures/errors.ts';
import { distinctFlags, flag, hasFlag } from '../../../quality/flags.ts';
import type { Flag } from '../../../quality/flags.ts';
import { applyDoubts } from '../../../quantities/quantity.ts';
import type { BindingSettings } from '../settings.ts';
import { computeMedian } from '../../../numerics/robust.ts';
import { contradictionOf, referenceOf, withoutUnloaded } from './doses.ts';
import { curveFlags, nonSpecificFlag } from './curve-flags.ts';
import { doubtOf } from './doubts.ts';
import { measure } from './measure.ts';
import type { Measurement } from './measure.ts';
import { responseThreshold } from './plate-levels.ts';
import type { PlateLevels } from './plate-levels.ts';
import { belowZeroFlag } from './plate-zero.ts';
import type { Plate, ProcessedGroup, ReplicateGroup } from './plate.ts';
import { gradeOf, summaryOf } from './summary.ts';
import type { ProcessedCurve } from './process.ts';
import type { RmaxRule } from './problem.ts';

export interface ReplicateContext {
  plate: Plate;
  levels: PlateLevels;
  settings: BindingSettings;
}

const SCORE = { min: -5, max: 8 } as const;
/** Significant digits of stored curve points: more than any sensor resolves. */
const CURVE_DIGITS = 6;

/** Returns log2 of the response over its threshold, clipped to −5…8. */
export function bindingScore(response: number, threshold: number): number {
  if (response <= 0) return SCORE.min;
  return Math.min(SCORE.max, Math.max(SCORE.min, Math.log2(response / threshold)));
}

export function judgeReplicate(
  group: ReplicateGroup,
  processed: ProcessedGroup | AnalysisError,
  context: ReplicateContext,
): ReplicateAffinity {
  const replicate = emptyReplicate(group, context);
  replicate.flags.push(...group.flags);
  for (const { traceId, reason } of group.unusable) {
    replicate.flags.push(flag('STEPS_UNUSABLE', 'warning', `Trace ${traceId} was left out. ${reason}`));
  }
  if (processed instanceof AnalysisError) {
    replicate.flags.push(flag('STEPS_UNUSABLE', 'error', processed.message));
    return { ...replicate, outcome: 'failed_qc' };
  }
  if (processed.curves.length === 0) {
    const wasTried = group.unusable.length > 0 || group.blanks.length > 0;
    return { ...replicate, outcome: wasTried ? 'failed_qc' : 'not_tested' };
  }
  replicate.referenceRule = processed.rule;
  judgeLoading(replicate, group, context);
  const good = withoutSpikes(replicate, withoutUnloaded(replicate, processed.curves, context.levels));
  if (replicate.expression === 'none') replicate.outcome = 'not_expressed';
  else if (good.length < Math.min(2, processed.curves.length) || good.length === 0)
    replicate.outcome = 'failed_qc';
  else judgeBinding(replicate, good, processed, context);
  if (context.settings.curves) addBareCurves(replicate, processed.curves, good);
  replicate.flags = distinctFlags(replicate.flags);
  replicate.confidence = confidenceOf(replicate);
  return replicate;
}

function emptyReplicate(group: ReplicateGroup, { plate }: ReplicateContext): ReplicateAffinity {
  const traces = [...group.dips, ...group.blanks].map((dip) => dip.trace);
  return {
    sample: group.sample,
    role: group.role,
    replicate: group.replicate,
    plate: plate.name,
    wells: traces.flatMap((trace) => trace.well ?? []),
    traceIds: traces.map((trace) => trace.id),
    concentrationsM: group.dips.map((dip) => dip.trace.concentrationM ?? 0),
    outcome: 'failed_qc',
    binding: 'unknown',
    expression: 'unknown',
    referenceRule: null,
    response: null,
    responseThreshold: null,
    bindingScore: null,
    noise: null,
    loading: null,
    fitKind: null,
    kd: null,
    kon: null,
    koff: null,
    rmax: null,
    kdSteadyState: null,
    fit: null,
    fitQuality: null,
    confidence: 'low',
    flags: [],
    curves: [],
    packedCurves: null,
  };
}

/**
 * Evaluates the loading of a replicate's sensors against the rest of the plate; does nothing without a loading step.
 */
export function judgeLoading(
  replicate: Pick<ReplicateAffinity, 'loading' | 'expression' | 'flags'>,
  group: ReplicateGroup,
  { levels }: Pick<ReplicateContext, 'levels'>,
): void {
  const loadings = [...group.dips, ...group.blanks].flatMap((dip) => dip.loading ?? []);
  if (loadings.length === 0 || levels.expressedMin === null) return;
  const loading = computeMedian(loadings);
  replicate.loading = loading;
  replicate.expression = expressionOf(loading, levels);
  if (replicate.expression === 'none') {
    const message = 'Loading is at background level: the protein was not expressed or not loaded.';
    replicate.flags.push(
      flag('NOT_LOADED', 'error', message, { value: loading, limit: levels.expressedMin }),
    );
  } else if (replicate.expression === 'low') {
    const limit = levels.loadingLow ?? undefined;
    const numbers = limit === undefined ? { value: loading } : { value: loading, limit };
    replicate.flags.push(
      flag('LOADING_LOW', 'warning', 'Loading is low compared with the rest of the plate.', numbers),
    );
  }
}

function expressionOf(loading: number | null, levels: PlateLevels): Expression {
  if (loading === null || levels.expressedMin === null) return 'unknown';
  if (loading <= levels.expressedMin) return 'none';
  return levels.loadingLow !== null && loading < levels.loadingLow ? 'low' : 'expressed';
}

function withoutSpikes(replicate: ReplicateAffinity, curves: readonly ProcessedCurve[]): ProcessedCurve[] {
  const good = curves.filter((curve) => curve.spikes === 0);
  const left = curves.length - good.length;
  if (left > 0) {
    const message = `${left} of ${curves.length} curves have spikes and were left out.`;
    replicate.flags.push(flag('SPIKE', good.length < 2 ? 'error' : 'warning', message, { value: left }));
  }
  return good;
}

const FIT_CURVES_MIN = 2;

function judgeBinding(
  replicate: ReplicateAffinity,
  curves: ProcessedCurve[],
  processed: ProcessedGroup,
  context: ReplicateContext,
): void {
  const { settings, levels, plate } = context;
  const top = curves[curves.length - 1];
  const noise = computeMedian(curves.map((curve) => curve.noise));
  const { threshold, floor } = responseThreshold(levels, { noise, responseSe: top.responseSe }, settings);
  replicate.response = top.response;
  replicate.responseThreshold = threshold;
  replicate.noise = noise;
  replicate.bindingScore = threshold > 0 ? bindingScore(top.response, threshold) : null;
  const contradiction = contradictionOf(curves, levels, settings);
  if (contradiction !== null) replicate.flags.push(contradiction);
  replicate.flags.push(...curveFlags(curves, settings));
  if (contradiction !== null) {
    replicate.outcome = 'failed_qc';
    replicate.bindingScore = null;
    return;
  }
  const nsb = nonSpecificFlag(
    referenceOf(curves, processed),
    { response: top.response, threshold },
    settings,
  );
  if (nsb !== null) replicate.flags.push(nsb);
  if (top.response <= threshold) {
    const below = belowZeroFlag(top.response, floor);
    if (below !== null) replicate.flags.push(below);
    const isFirm = levels.isZeroKnown && below === null;
    replicate.binding = isFirm ? 'non_binder' : 'inconclusive';
    replicate.outcome = isFirm ? 'non_binder' : 'failed_qc';
    return;
  }
  replicate.binding = 'binder';
  replicate.outcome = 'measured';
  const doses = curves.flatMap(({ plateaus }) => plateaus.map(({ concentrationM }) => concentrationM));
  const concentrations = new Set(doses).size;
  if (concentrations < FIT_CURVES_MIN) {
    replicate.flags.push(
      flag('TOO_FEW_CURVES', 'warning', 'KD rests on a single concentration.', { value: concentrations }),
    );
  }
  const rmaxRule = rmaxRuleOf(plate, settings);
  const measurement = measure(curves, settings, {
    rmax: rmaxRule,
    signalUnit: plate.set.signalUnit ?? 'signal',
  });
  const without = weakEvidence(replicate, measurement) ?? measurement.doubt;
  if (without !== null) {
    replicate.flags.push(without);
    replicate.binding = 'inconclusive';
    replicate.outcome = 'non_binder';
    return;
  }
  replicate.flags.push(...measurement.flags);
  const doubt = doubtOf(measurement, curves, settings);
  if (doubt !== null) replicate.flags.push(doubt);
  Object.assign(replicate, valuesOf(measurement, replicate.flags));
  replicate.fit = summaryOf(measurement, curves, { rmaxRule, processed });
  replicate.fitQuality = gradeOf(replicate.fit);
  if (settings.curves) replicate.curves = curves.map((curve, g) => fittedPlot(curve, measurement, g));
}

type Values = Pick<Measurement, 'kd' | 'kon' | 'koff' | 'rmax' | 'kdSteadyState' | 'fitKind'>;

/** Some flags turn every value into an estimate, however well the model fits the curves. */
function valuesOf({ kd, kon, koff, rmax, kdSteadyState, fitKind }: Measurement, flags: Flag[]): Values {
  const doubts = {
    doses_disagree: hasFlag(flags, 'NON_MONOTONIC_DOSE'),
    single_concentration: hasFlag(flags, 'TOO_FEW_CURVES'),
    model_in_doubt: hasFlag(flags, 'MODEL_IN_DOUBT'),
  };
  return {
    kd: applyDoubts(kd, doubts),
    kon: applyDoubts(kon, doubts),
    koff: applyDoubts(koff, doubts),
    rmax: applyDoubts(rmax, doubts),
    kdSteadyState: applyDoubts(kdSteadyState, doubts),
    fitKind,
  };
}

/** Up to twice the threshold a response is not enough evidence: the model must also fit the curves. */
const CLEAR_SCORE = 1;
const MODEL_R2_MIN = 0.5;

function weakEvidence(replicate: ReplicateAffinity, { kinetic, fitKind }: Measurement): Flag | null {
  if ((replicate.bindingScore ?? 0) >= CLEAR_SCORE || fitKind === 'steady_state') return null;
  if (kinetic.r2 >= MODEL_R2_MIN && (kinetic.r2 >= 0.8 || kinetic.profile === 'closed')) return null;
  const message = 'The response is just above the threshold, but the curves do not look like binding.';
  const { response, responseThreshold } = replicate;
  return flag('LOW_SIGNAL', 'warning', message, {
    value: response ?? Number.NaN,
    limit: responseThreshold ?? Number.NaN,
  });
}

function rmaxRuleOf(plate: Plate, settings: BindingSettings): RmaxRule {
  if (settings.rmax !== 'auto') return settings.rmax;
  return plate.set.technique === 'spr' ? 'global' : 'local';
}

function confidenceOf(replicate: ReplicateAffinity): Confidence {
  if (replicate.outcome !== 'measured' && replicate.outcome !== 'non_binder') return 'low';
  if (replicate.fitQuality === 'poor' || replicate.kd?.relation === '~') return 'low';
  const warned = replicate.flags.some((each) => each.severity !== 'info') || hasFlag(replicate.flags, 'NSB');
  return warned ? 'medium' : 'high';
}

function fittedPlot(curve: ProcessedCurve, measurement: Measurement, g: number): PlotCurve {
  const fitted = measurement.fitted[g];
  const result = measurement.kinetic.curves[g];
  const shown = measurement.fitKind === 'kinetic';
  return {
    ...plotOf(curve, { timeS: fitted.timeS, signal: fitted.signal }),
    fit: shown ? compact(result.fitted) : null,
    residual: shown ? compact(result.residual) : null,
    rmax: shown ? result.rmax : null,
  };
}

function addBareCurves(
  replicate: ReplicateAffinity,
  all: readonly ProcessedCurve[],
  good: readonly ProcessedCurve[],
): void {
  const shown = new Set(replicate.curves.map((curve) => curve.traceId));
  for (const curve of all) {
    if (!shown.has(curve.traceId))
      replicate.curves.push({ ...plotOf(curve, curve.fit), excluded: !good.includes(curve) });
  }
  replicate.curves.sort((a, b) => a.concentrationM - b.concentrationM);
}

/** Returns the processed curve without a fit. */
export function barePlot(curve: ProcessedCurve): PlotCurve {
  return plotOf(curve, curve.fit);
}

function plotOf(curve: ProcessedCurve, shown: { timeS: Float64Array; signal: Float64Array }): PlotCurve {
  return {
    traceId: curve.traceId,
    well: curve.well,
    concentrationM: curve.concentrationM,
    timeS: compact(shown.timeS),
    signal: compact(shown.signal),
    fit: null,
    residual: null,
    associationS: curve.fit.associationS,
    rmax: null,
    response: curve.response,
    excluded: false,
  };
}

/**
 * Rounds the values to the stored digits. Neighboring values mostly share a decade, so it is looked up only when it
 * changes.
 */
function compact(values: Float64Array): number[] {
  const found = Array.from<number>({ length: values.length });
  let [least, most, scale] = [0, 0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    const size = Math.abs(value);
    if (!(size >= least && size < most)) {
      const decade = Math.floor(Math.log10(size));
      least = powerOfTen(decade);
      most = powerOfTen(decade + 1);
      scale = powerOfTen(CURVE_DIGITS - 1 - decade);
    }
    found[i] = Number.isFinite(scale) ? Math.round(value * scale) / scale : value;
  }
  return found;
}

/** Largest tabulated exponent of ten; it covers the decades of all signals and times. */
const EXPONENT_MAX = 30;
const POWERS = Float64Array.from({ length: 2 * EXPONENT_MAX + 1 }, (_, i) => 10 ** (i - EXPONENT_MAX));

function powerOfTen(exponent: number): number {
  return Math.abs(exponent) <= EXPONENT_MAX ? POWERS[exponent + EXPONENT_MAX] : 10 ** exponent;
}

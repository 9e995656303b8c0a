/** Evaluates one replicate: whether it was loaded, whether it binds, and how strongly. */
import { formatCount } from '#core/words.ts';
import { isLimit, RELATION_RULES, type RelationCase } from '#core/relations.ts';
import type { Confidence } from '#analysis/assays/analysis-records.ts';
import {
  flagContradiction,
  flagDosesAboveKd,
  selectReferences,
} from '../../binding/engine/kinetics/doses.ts';
import { flagCurves, flagNonSpecific } from '../../binding/engine/kinetics/curve-flags.ts';
import { findMisfit } from '../../binding/engine/kinetics/misfits.ts';
import { measure, withholdRates, type Measurement } from '../../binding/engine/kinetics/measure.ts';
import { findOtherCause } from '../../binding/engine/kinetics/other-causes.ts';
import { findSingleStep } from '../../binding/engine/kinetics/single-step.ts';
import { computeResponseThreshold } from '../../binding/engine/kinetics/plate-levels.ts';
import { flagBelowZero } from '../../binding/engine/kinetics/plate-zero.ts';
import type { Plate, ProcessedGroup, ReplicateGroup } from '../../binding/engine/kinetics/plate.ts';
import type { RmaxRule } from '../../binding/engine/kinetics/local-basis.ts';
import type { ProcessedCurve } from '../../binding/engine/kinetics/process.ts';
import { gradeFit, summarizeMeasurement } from '../../binding/engine/kinetics/summary.ts';
import { flagUnreferenced } from '../../binding/engine/kinetics/unreferenced.ts';
import { plotCurve, roundPoints } from '../../binding/engine/plot-curve.ts';
import { evaluateAbsence } from '../../binding/engine/detectable.ts';
import {
  computeBindingScore,
  startReplicate,
  type ReplicateContext,
} from '../../binding/engine/replicate.ts';
import type { BindingSettings } from '../../binding/engine/settings.ts';
import type { PlotCurve } from '#analysis/curves/packed-curves.ts';
import type { AnalysisError } from '#analysis/failures/errors.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import {
  removeDuplicateFlags,
  createFlag,
  hasFlag,
  type Flag,
  type FlagCode,
} from '#analysis/quality/flags.ts';
import { applyDoubts, withholdQuantity, type Quantity } from '#analysis/quantities/quantity.ts';
import type { ReplicateAffinity } from './types.ts';

/**
 * The flag of each case, in the order in which they are looked for; the first is raised where there is none. Every other
 * case is decided by a flag of its own, whose message gives the reason.
 */
const TOLD_BY: Partial<Record<RelationCase, readonly [FlagCode, ...FlagCode[]]>> = {
  open_above: ['POORLY_IDENTIFIED'],
  open_below: ['POORLY_IDENTIFIED'],
  wide_interval: ['POORLY_IDENTIFIED'],
  near_assay_limit: ['KOFF_BELOW_LIMIT', 'KON_ABOVE_LIMIT'],
  rivals_differ: ['OTHER_MECHANISM', 'MODEL_IN_DOUBT'],
  window_decides: ['WINDOW_DEPENDENT'],
  site_above_doses: ['HETEROGENEOUS_LIGAND'],
  drift_in_doubt: ['DRIFT_FITTED'],
  times_in_doubt: ['TIME_ZERO_OFFSET'],
};

/** Returns the flags, of which one, a warning at least, gives the reason of the relation of KD. */
export function tellRelation(kd: Quantity | null, flags: readonly Flag[]): Flag[] {
  const because = kd?.because ?? null;
  const codes = because === null ? undefined : TOLD_BY[because];
  if (because === null || codes === undefined) return [...flags];
  const sentence = RELATION_RULES[because].because;
  // Other replicates, or the control of the plate, may still make an estimate of a limit, but no limit of an estimate.
  const reason = kd?.relation === '~' ? `KD is an estimate: ${startSmall(sentence)}` : sentence;
  const code = codes.find((each) => hasFlag(flags, each));
  if (code === undefined) return [...flags, createFlag(codes[0], 'warning', reason)];
  return flags.map((flag): Flag => {
    if (flag.code !== code) return flag;
    const severity = flag.severity === 'info' ? 'warning' : flag.severity;
    return { ...flag, severity, message: `${flag.message} ${reason}` };
  });
}

/** A sentence behind a colon; names such as KD keep their spelling. */
function startSmall(sentence: string): string {
  return /^[A-Z]([a-z]| )/.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;
}

export function evaluateReplicate(
  group: ReplicateGroup,
  processed: ProcessedGroup | AnalysisError,
  context: ReplicateContext,
): ReplicateAffinity {
  const { start, found } = startReplicate(group, processed, context);
  const replicate: ReplicateAffinity = {
    ...start,
    responseThreshold: null,
    fitKind: null,
    kd: null,
    kon: null,
    koff: null,
    rmax: null,
    kdSteadyState: null,
    fit: null,
    fitQuality: null,
  };
  if (found === null) return replicate;
  const good = excludeSpikes(
    replicate,
    excludeClipped(replicate, found.loaded, context.plate.set.signalUnit),
  );
  if (replicate.expression === 'none') replicate.outcome = 'not_expressed';
  else if (good.length >= Math.min(2, found.curves.length) && good.length > 0)
    evaluateBinding(replicate, good, found, context);
  if (context.settings.curves) addBareCurves(replicate, [...found.curves, ...found.leftOut], good);
  replicate.flags = removeDuplicateFlags(replicate.flags);
  replicate.confidence = decideConfidence(replicate);
  return replicate;
}

function excludeSpikes(
  replicate: ReplicateAffinity,
  curves: readonly ProcessedCurve[],
): readonly ProcessedCurve[] {
  const good = curves.filter((curve) => curve.spikes === 0);
  const left = curves.length - good.length;
  if (left > 0) {
    const message = `${left} of ${formatCount(curves.length, 'curve')} ${left === 1 ? 'has spikes and was' : 'have spikes and were'} left out.`;
    replicate.flags.push(
      createFlag('SPIKE', good.length < 2 ? 'error' : 'warning', message, { value: left }),
    );
  }
  return good;
}

const FIT_CURVES_MIN = 2;
/** Without clipped curves, so many must remain. */
const UNCLIPPED_MIN = 3;

/** Leaves out curves that end at a ceiling or a floor where enough others remain, and says so in any case. */
function excludeClipped(
  replicate: ReplicateAffinity,
  curves: readonly ProcessedCurve[],
  signalUnit: string | null,
): readonly ProcessedCurve[] {
  const whole = curves.filter(({ clipping }) => clipping === null);
  const [first] = curves.flatMap(({ clipping }) => clipping ?? []);
  if (first === undefined) return curves;
  const isLeftOut = new Set(whole.map(({ concentrationM }) => concentrationM)).size >= UNCLIPPED_MIN;
  const left = curves.length - whole.length;
  const level = [first.level.toPrecision(3), signalUnit].filter((part) => part !== null).join(' ');
  const message =
    `${left} of ${formatCount(curves.length, 'curve')} ${left === 1 ? 'ends' : 'end'} at a ${first.end} of the signal (${level}): ` +
    (isLeftOut
      ? `${left === 1 ? 'it was' : 'they were'} left out.`
      : 'too few others remain, so every value is an estimate.');
  replicate.flags.push(createFlag('SATURATED', 'warning', message, { value: first.level }));
  return isLeftOut ? whole : curves;
}

function evaluateBinding(
  replicate: ReplicateAffinity,
  curves: readonly ProcessedCurve[],
  processed: ProcessedGroup,
  context: ReplicateContext,
): void {
  const { settings, levels, plate } = context;
  const top = curves[curves.length - 1];
  const { threshold, floor } = recordResponse(replicate, curves, context);
  const contradiction = flagContradiction(curves, levels, settings);
  if (contradiction !== null) replicate.flags.push(contradiction);
  replicate.flags.push(...flagCurves(curves, settings));
  if (contradiction !== null) {
    replicate.outcome = 'failed_qc';
    replicate.bindingScore = null;
    return;
  }
  const nsb = flagNonSpecific(
    selectReferences(curves, processed),
    { response: top.response, threshold },
    settings,
  );
  if (nsb !== null) replicate.flags.push(nsb);
  if (top.response <= threshold) {
    evaluateSilence(replicate, curves, { levels, settings, threshold, floor });
    return;
  }
  if (isLikeBareSensors(replicate, top.response, processed.rule, context)) return;
  replicate.binding = 'binder';
  replicate.outcome = 'measured';
  const doses = curves.flatMap(({ plateaus }) => plateaus.map(({ concentrationM }) => concentrationM));
  const concentrations = new Set(doses).size;
  if (concentrations < FIT_CURVES_MIN) {
    const message = 'KD rests on a single concentration.';
    replicate.flags.push(createFlag('TOO_FEW_CURVES', 'warning', message, { value: concentrations }));
  }
  const rmaxRule = chooseRmaxRule(plate, settings);
  // Who asks for an isotherm says that its curves are steps.
  const otherCause =
    settings.model === 'steady_state' ? null : findOtherCause(curves, { threshold, offset: settings.offset });
  if (otherCause !== null) {
    markInconclusive(replicate, otherCause);
    return;
  }
  const found = measure(curves, settings, {
    rmax: rmaxRule,
    signalUnit: plate.set.signalUnit ?? 'signal',
  });
  const measurement = withholdUnlessLike(replicate, found);
  const unlike = measurement.doubt ?? findStepDoubt(measurement, curves);
  if (unlike !== null) {
    markInconclusive(replicate, unlike);
    return;
  }
  replicate.flags.push(...measurement.flags);
  const doubt = findMisfit(measurement, curves, settings);
  if (doubt !== null) replicate.flags.push(doubt);
  const isClipped = curves.some(({ clipping }) => clipping !== null);
  const values = buildValues(measurement, replicate.flags, isClipped);
  const above = findDosesAboveKd({ ...measurement, kd: values.kd }, curves);
  if (above !== null) replicate.flags.push(above);
  Object.assign(replicate, values, { flags: tellRelation(values.kd, replicate.flags) });
  replicate.fit = summarizeMeasurement(measurement, curves, processed);
  replicate.fitQuality = gradeFit(replicate.fit);
  if (settings.curves) replicate.curves = curves.map((curve, g) => plotFitted(curve, measurement, g));
}

/** Records the response at the highest dose, and returns what would count as one. */
function recordResponse(
  replicate: ReplicateAffinity,
  curves: readonly ProcessedCurve[],
  { levels, settings }: ReplicateContext,
): { threshold: number; floor: number } {
  const { response, responseSe } = curves[curves.length - 1];
  const noise = computeMedian(curves.map((curve) => curve.noise));
  const limits = computeResponseThreshold(levels, { noise, responseSe }, settings);
  replicate.response = response;
  replicate.responseThreshold = limits.threshold;
  replicate.noise = noise;
  replicate.bindingScore = limits.threshold > 0 ? computeBindingScore(response, limits.threshold) : null;
  return limits;
}

/** There is no response: it excludes binding where the plate would have shown it. */
function evaluateSilence(
  replicate: ReplicateAffinity,
  curves: readonly ProcessedCurve[],
  { floor, ...evidence }: Parameters<typeof evaluateAbsence>[2] & { floor: number },
): void {
  const below = flagBelowZero(curves[curves.length - 1].response, floor);
  if (below !== null) replicate.flags.push(below);
  const { flag, ...detection } = evaluateAbsence(replicate, curves, evidence);
  Object.assign(replicate, detection);
  if (flag !== null) replicate.flags.push(flag);
  const isFirm = evidence.levels.isZeroKnown && below === null && flag === null;
  replicate.binding = isFirm ? 'non_binder' : 'inconclusive';
  replicate.outcome = replicate.binding;
}

/** Flags a response that no reference was subtracted from; where negative controls respond alike, it is inconclusive. */
function isLikeBareSensors(
  replicate: ReplicateAffinity,
  response: number,
  rule: ProcessedGroup['rule'],
  { plate, levels, settings }: ReplicateContext,
): boolean {
  const { technique } = plate.set;
  const bare = flagUnreferenced({ technique, rule, negatives: levels.negativeResponses, response }, settings);
  if (bare === null) return false;
  const isAlike = bare.isAlike && replicate.role !== 'negative_control';
  if (isAlike) markInconclusive(replicate, bare.flag);
  else replicate.flags.push(bare.flag);
  return isAlike;
}

/** A firm value has a fit that was found good, so no step takes it. */
function findStepDoubt(
  { fitKind, kd, kinetic }: Measurement,
  curves: readonly ProcessedCurve[],
): Flag | null {
  return fitKind === 'kinetic' && kd?.relation !== '=' ? findSingleStep(curves, kinetic.ssr) : null;
}

function findDosesAboveKd(
  { kd, fitKind, kinetic, steadyState }: Measurement,
  curves: readonly ProcessedCurve[],
): Flag | null {
  if (kd === null) return null;
  if (!isLimit(kd.relation)) return flagDosesAboveKd(curves, { kdM: kd.value, isLimit: false });
  const fittedM = fitKind === 'kinetic' ? kinetic.kdM : (steadyState?.kdM ?? Number.NaN);
  return flagDosesAboveKd(curves, { kdM: fittedM, isLimit: true });
}

/** There is a response, and the flag says why it is no sign of binding. */
function markInconclusive(replicate: ReplicateAffinity, why: Flag): void {
  replicate.flags.push(why);
  replicate.binding = 'inconclusive';
  replicate.outcome = 'inconclusive';
}

type Values = Pick<Measurement, 'kd' | 'kon' | 'koff' | 'rmax' | 'kdSteadyState' | 'fitKind'>;

/** Some flags turn every value into an estimate, however well the model fits the curves. */
function buildValues(
  { kd, kon, koff, rmax, kdSteadyState, fitKind, choice }: Measurement,
  flags: Flag[],
  isClipped: boolean,
): Values {
  const doubts = {
    doses_disagree: hasFlag(flags, 'NON_MONOTONIC_DOSE') || hasFlag(flags, 'DOSE_INFLUENTIAL'),
    single_concentration: hasFlag(flags, 'TOO_FEW_CURVES'),
    model_in_doubt: hasFlag(flags, 'MODEL_IN_DOUBT'),
    signal_clipped: isClipped,
    poor_fit: hasFlag(flags, 'POOR_FIT'),
  };
  // A detector that cuts the signal off makes a limit of its own.
  const state = (found: Quantity | null): Quantity | null =>
    withholdQuantity(applyDoubts(found, doubts), {
      limit_of_clipped_signal: isClipped && isLimit(found?.relation),
    });
  const isContradicted = [choice.better, choice.rival].some(
    (model) => model !== null && isBeyondLimit(kd, model.kdM),
  );
  return {
    kd: withholdQuantity(state(kd), { limit_of_one_model: fitKind === 'kinetic' && isContradicted }),
    kon: state(kon),
    koff: state(koff),
    rmax: state(rmax),
    kdSteadyState: state(kdSteadyState),
    fitKind,
  };
}

/** Whether a KD, of which null is not known, contradicts a limit. */
function isBeyondLimit(limit: Quantity | null, kdM: number | null): boolean {
  if (!isLimit(limit?.relation)) return false;
  return kdM === null || (limit.relation === '<' ? kdM > limit.value : kdM < limit.value);
}

/** Up to twice the threshold a response is not enough evidence: the model must also fit the curves. */
const CLEAR_SCORE = 1;
const MODEL_R2_MIN = 0.5;

function withholdUnlessLike(replicate: ReplicateAffinity, found: Measurement): Measurement {
  const { kinetic, fitKind, withheld } = found;
  if ((replicate.bindingScore ?? 0) >= CLEAR_SCORE || fitKind === 'steady_state') return found;
  if (kinetic.r2 >= MODEL_R2_MIN && (kinetic.r2 >= 0.8 || kinetic.profile === 'closed')) return found;
  const message = 'The response is just above the threshold, but the curves do not look like binding.';
  const { response, responseThreshold } = replicate;
  const doubt = createFlag('LOW_SIGNAL', 'warning', message, {
    value: response ?? Number.NaN,
    limit: responseThreshold ?? Number.NaN,
  });
  return withholdRates({ ...found, withheld: { ...withheld, curves_unlike_binding: true }, doubt });
}

function chooseRmaxRule(plate: Plate, settings: BindingSettings): RmaxRule {
  if (settings.rmax !== 'auto') return settings.rmax;
  return plate.set.technique === 'spr' ? 'global' : 'local';
}

function decideConfidence(replicate: ReplicateAffinity): Confidence {
  if (replicate.outcome !== 'measured' && replicate.outcome !== 'non_binder') return 'low';
  if (replicate.fitQuality === 'poor' || replicate.kd?.relation === '~') return 'low';
  const warned = replicate.flags.some((each) => each.severity !== 'info') || hasFlag(replicate.flags, 'NSB');
  return warned ? 'medium' : 'high';
}

function plotFitted(curve: ProcessedCurve, measurement: Measurement, g: number): PlotCurve {
  const fitted = measurement.fitted[g];
  const result = measurement.kinetic.curves[g];
  const shown = measurement.fitKind === 'kinetic';
  return {
    ...plotCurve(curve, fitted),
    fit: shown ? roundPoints(result.fitted) : null,
    residual: shown ? roundPoints(result.residual) : null,
    rmax: shown ? roundPoints(Float64Array.of(result.rmax))[0] : null,
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
      replicate.curves.push({ ...plotCurve(curve), excluded: !good.includes(curve) });
  }
  replicate.curves.sort((a, b) => a.concentrationM - b.concentrationM);
}

/** Evaluates one screened replicate: its response against the threshold of the plate. */
import { formatCount } from '#core/words.ts';
import type { Outcome } from '#analysis/assays/analysis-records.ts';
import type { PlotCurve } from '#analysis/curves/packed-curves.ts';
import type { AnalysisError } from '#analysis/failures/errors.ts';
import { removeDuplicateFlags, createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { flagContradiction, selectReferences } from '../../binding/engine/kinetics/doses.ts';
import { flagCurves, flagNonSpecific } from '../../binding/engine/kinetics/curve-flags.ts';
import { findBaselineJump } from '../../binding/engine/kinetics/other-causes.ts';
import {
  computeResponseThreshold,
  computeScreenThreshold,
} from '../../binding/engine/kinetics/plate-levels.ts';
import { flagBelowZero } from '../../binding/engine/kinetics/plate-zero.ts';
import type { ProcessedGroup, ReplicateGroup } from '../../binding/engine/kinetics/plate.ts';
import type { ProcessedCurve } from '../../binding/engine/kinetics/process.ts';
import { plotCurve } from '../../binding/engine/plot-curve.ts';
import { measure } from '../../binding/engine/kinetics/measure.ts';
import { computeTheoreticalRmax, evaluateAbsence } from '../../binding/engine/detectable.ts';
import {
  computeBindingScore,
  startReplicate,
  type FoundCurves,
  type ReplicateContext,
} from '../../binding/engine/replicate.ts';
import type { BindingSettings } from '../../binding/engine/settings.ts';
import type { Binding } from '../../binding/engine/types.ts';
import { findLikeUnbound, findUnsureThreshold } from './doubtful-binder.ts';
import type { ReplicateScreening } from './types.ts';
import { measureSensorDrift } from '../../binding/engine/kinetics/plate-drift.ts';

/** A response without drift stays below its threshold by chance in one of a thousand sensors. */
const DRIFT_SE = 3;
/** A drift that hides a binder lies beyond this many standard errors in one of forty sensors. */
const HIDDEN_SE = 2;

/**
 * Flags a binder whose response a drift of its sensor explains, and a non-binder whose drift hides a response. What
 * drifts is judged by the slopes of the sensor itself, because the negative controls may be elsewhere on the tray.
 */
function findDriftDoubt(
  binding: Binding,
  curve: ProcessedCurve,
  { threshold, center, sd, floor }: { threshold: number; center: number; sd: number; floor: number },
  settings: BindingSettings,
): Flag | null {
  const drift = measureSensorDrift(curve, settings);
  if (drift === null) return null;
  const { shift, se } = drift;
  const least = Math.max(floor, center + DRIFT_SE * Math.hypot(sd, se));
  const withoutDrift = curve.response - shift;
  if (binding === 'binder' && shift > 0 && withoutDrift <= Math.max(least, threshold)) {
    const message = `The sensor drifts by ${formatShift(shift)} until the end of association, which explains the response.`;
    return createFlag('DRIFT', 'warning', message, { value: shift, limit: curve.response });
  }
  const hidden = withoutDrift + HIDDEN_SE * se;
  if (binding === 'non_binder' && shift < 0 && drift.isClear && hidden > threshold) {
    const message = `The sensor drifts by ${formatShift(shift)} until the end of association, which may hide a response.`;
    return createFlag('DRIFT', 'warning', message, { value: shift, limit: threshold });
  }
  return null;
}

function formatShift(shift: number): string {
  return Number(shift.toPrecision(2)).toString();
}

/** Between this many and three standard deviations the result is inconclusive. */
const INCONCLUSIVE_SD = 2;
const THRESHOLD_SD = 3;
/** A binder must reach this percentage of the theoretical Rmax, where that is known. */
const THEORETICAL_MIN_PCT = 10;

export function screenReplicate(
  group: ReplicateGroup,
  processed: ProcessedGroup | AnalysisError,
  context: ReplicateContext,
): ReplicateScreening {
  const { start, found } = startReplicate(group, processed, context);
  const replicate: ReplicateScreening = {
    ...start,
    threshold: null,
    zScore: null,
    pctTheoreticalRmax: null,
    controlKd: null,
    doses: [],
  };
  if (found !== null) evaluateCurves(replicate, found, context);
  replicate.flags = removeDuplicateFlags(replicate.flags);
  return replicate;
}

function evaluateCurves(replicate: ReplicateScreening, found: FoundCurves, context: ReplicateContext): void {
  const { loaded, leftOut } = found;
  if (context.settings.curves)
    replicate.curves = [...found.curves.map(drawCurve), ...leftOut.map(drawLeftOut)].toSorted(
      (a, b) => a.concentrationM - b.concentrationM,
    );
  const good = loaded.filter((curve) => curve.spikes === 0);
  replicate.doses = good.map(({ concentrationM, response }) => ({ concentrationM, response }));
  if (good.length < loaded.length) {
    const left = loaded.length - good.length;
    replicate.flags.push(
      createFlag(
        'SPIKE',
        good.length === 0 ? 'error' : 'warning',
        `${formatCount(left, 'curve')} ${left === 1 ? 'has spikes and was' : 'have spikes and were'} left out.`,
      ),
    );
  }
  if (replicate.expression === 'none') replicate.outcome = 'not_expressed';
  else if (good.length > 0) evaluateReplicate(replicate, good, found, context);
}

function evaluateReplicate(
  replicate: ReplicateScreening,
  curves: readonly ProcessedCurve[],
  processed: ProcessedGroup,
  { levels, settings, plate }: ReplicateContext,
): void {
  const top = curves[curves.length - 1];
  const limits = computeScreenThreshold(levels, top, settings);
  const least = computeResponseThreshold(levels, top, settings).threshold;
  const center = levels.negativeMedian ?? 0;
  replicate.noise = top.noise;
  replicate.zScore = limits.sd > 0 ? (top.response - center) / limits.sd : null;
  replicate.bindingScore = limits.threshold > 0 ? computeBindingScore(top.response, limits.threshold) : null;
  const scale =
    settings.normalizeToLoading && replicate.loading !== null && replicate.loading > 0
      ? replicate.loading
      : 1;
  replicate.response = top.response / scale;
  replicate.threshold = limits.threshold / scale;
  const contradiction = flagContradiction(curves, levels, settings);
  if (contradiction !== null) replicate.flags.push(contradiction);
  replicate.flags.push(...flagCurves(curves, settings));
  if (contradiction !== null) {
    Object.assign(replicate, { response: null, zScore: null, bindingScore: null });
    return;
  }
  const theoretical = computeTheoreticalRmax(replicate.sample, replicate.loading, settings);
  const call = classifyBinding(top.response, { threshold: limits.threshold, least, center });
  // A positive control cannot be compared with itself; its outcome decides about the plate.
  const isNoise = levels.negativeSd === null && replicate.role !== 'positive_control';
  const full = theoretical ?? levels.positiveMedian;
  replicate.binding = isNoise ? confirmCall(call, top.response, { ...limits, full }) : call;
  const drifted = findDriftDoubt(replicate.binding, top, { ...limits, center }, settings);
  if (drifted !== null) {
    replicate.flags.push(drifted);
    replicate.binding = 'inconclusive';
  }
  checkCall(replicate, curves, { levels, settings }, limits);
  const percent = theoretical === null ? null : (100 * top.response) / theoretical;
  replicate.pctTheoreticalRmax = percent;
  if (replicate.binding === 'binder' && percent !== null && percent < THEORETICAL_MIN_PCT) {
    const message = 'The response is a small part of the theoretical Rmax.';
    replicate.flags.push(
      createFlag('BELOW_THEORETICAL_RMAX', 'warning', message, {
        value: percent,
        limit: THEORETICAL_MIN_PCT,
      }),
    );
    replicate.binding = 'inconclusive';
  }
  const nsb = flagNonSpecific(
    selectReferences(curves, processed),
    { response: top.response, threshold: limits.threshold },
    settings,
  );
  if (nsb !== null) replicate.flags.push(nsb);
  if (top.response > least && replicate.role === 'sample')
    replicate.flags.push(...findUnsureThreshold(top, { levels, settings }));
  if (replicate.binding === 'binder' && replicate.role === 'sample')
    replicate.flags.push(...findLikeUnbound(top, { plate, levels, rule: processed.rule, limits, settings }));
  replicate.outcome = getOutcome(replicate.binding);
  if (replicate.binding === 'binder' && hasKnownKd(replicate, settings))
    replicate.controlKd = measureControlKd(curves, settings, plate.set.signalUnit);
  const isDoubtful = isNoise || replicate.flags.some((each) => each.severity !== 'info');
  if (replicate.binding !== 'inconclusive') replicate.confidence = isDoubtful ? 'medium' : 'high';
}

/** A non-binder needs a known zero and a plate that would have shown a binder; a binder responds without a jump. */
function checkCall(
  replicate: ReplicateScreening,
  curves: readonly ProcessedCurve[],
  { levels, settings }: Pick<ReplicateContext, 'levels' | 'settings'>,
  { threshold, floor }: { threshold: number; floor: number },
): void {
  const top = curves[curves.length - 1];
  const below = flagBelowZero(top.response, floor);
  if (below !== null) replicate.flags.push(below);
  let flag: Flag | null = null;
  if (replicate.binding === 'binder') flag = findBaselineJump(top, threshold);
  if (replicate.binding === 'non_binder') {
    if (!levels.isZeroKnown || below !== null) {
      replicate.binding = 'inconclusive';
      return;
    }
    const { flag: open, ...detection } = evaluateAbsence(replicate, curves, { levels, settings, threshold });
    Object.assign(replicate, detection);
    flag = open;
  }
  if (flag === null) return;
  replicate.flags.push(flag);
  replicate.binding = 'inconclusive';
}

function measureControlKd(
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
  signalUnit: string | null,
): Quantity | null {
  const rmax = settings.rmax === 'auto' ? 'local' : settings.rmax;
  return measure(curves, settings, { rmax, signalUnit: signalUnit ?? 'signal' }).kd;
}

/**
 * Only such a control is fitted: its curves show whether the plate finds its KD, within a factor that one or two
 * concentrations allow.
 */
function hasKnownKd({ role, sample }: ReplicateScreening, settings: BindingSettings): boolean {
  if (role !== 'positive_control') return false;
  return settings.controlKdM[sample] !== undefined || settings.targetControlKdM !== null;
}

/** Returns the outcome of a replicate, or of a sequence, that was judged. */
export function getOutcome(binding: Binding): Outcome {
  return binding === 'non_binder' || binding === 'inconclusive' ? binding : 'measured';
}

/** `least` is the threshold that many controls with the same scatter would give. */
function classifyBinding(
  response: number,
  at: { threshold: number; least: number; center: number },
): Binding {
  if (response > at.threshold) return 'binder';
  const lower = at.center + (INCONCLUSIVE_SD / THRESHOLD_SD) * (at.least - at.center);
  return response > lower ? 'inconclusive' : 'non_binder';
}

/**
 * Without negative controls a call is firm only if the full response is known and a tenth of it would exceed the
 * threshold; a binder must also reach that tenth. The noise does not show how strongly a plate responds to sequences
 * that do not bind.
 */
function confirmCall(
  call: Binding,
  response: number,
  at: { threshold: number; full: number | null },
): Binding {
  const least = at.full === null ? 0 : (THEORETICAL_MIN_PCT / 100) * at.full;
  const isSeen = least >= at.threshold;
  return isSeen && (call === 'non_binder' || response >= least) ? call : 'inconclusive';
}

function drawLeftOut(curve: ProcessedCurve): PlotCurve {
  return { ...plotCurve(curve), excluded: true };
}

function drawCurve(curve: ProcessedCurve): PlotCurve {
  return { ...plotCurve(curve), excluded: curve.spikes > 0 };
}

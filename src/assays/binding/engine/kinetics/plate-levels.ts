/** Levels of a plate that are set before any sample is evaluated: response threshold, noise, loading levels. */
import { computeTheoreticalRmax } from '../detectable.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import type { TraceRole } from '#analysis/curves/trace.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import { MAD_TO_SD, computeMedian, computeMedianAbsoluteDeviation } from '#analysis/numerics/statistics.ts';
import {
  ZERO_TO_FLOOR_MAX,
  flagPlateBelowZero,
  flagNegativeControls,
  flagDeadReferences,
  flagLoadedReferences,
} from './plate-zero.ts';
import { computeScatterLimit } from './scatter-limit.ts';
import { computeUnboundResponse } from './plate-drift.ts';
import { computeNoiseFloor } from './process.ts';
import type { Plate, ProcessedPlate, ReplicateGroup } from './plate.ts';

export interface PlateLevels {
  /** Responses of the negative controls at their highest concentration. */
  negativeResponses: number[];
  negativeMedian: number | null;
  /** Their largest response, drift included; null without one. */
  negativeMost: number | null;
  /** Robust standard deviation (1.4826 × MAD) of the negative controls. */
  negativeSd: number | null;
  /** Median response of the positive controls at their highest concentration. */
  positiveMedian: number | null;
  /** Median loading of the positive controls; null where they have none. */
  positiveLoading: number | null;
  /** Median noise of single samples on processed curves. */
  noise: number;
  /** Loading up to this is no expression; null when the plate has no loading steps. */
  expressedMin: number | null;
  /** Loading below this is low. */
  loadingLow: number | null;
  /** Whether the controls show the response without binding; if not, no sequence is a firm non-binder. */
  isZeroKnown: boolean;
  flags: Flag[];
}

/** The scatter of fewer negative controls says nothing. */
const NEGATIVES_MIN = 3;

/** `decidesBinding`: only the threshold decides what binds, without a fit of the curves. */
export function computePlateLevels(
  plate: Plate,
  processed: ProcessedPlate,
  { settings, decidesBinding }: { settings: BindingSettings; decidesBinding: boolean },
): PlateLevels {
  const negatives: number[] = [];
  const positives: number[] = [];
  const theoretical: number[] = [];
  const noises: number[] = [];
  const floors: number[] = [];
  const tops: { role: TraceRole; response: number; floor: number }[] = [];
  for (const [group, each] of processed) {
    if (each instanceof AnalysisError || each.curves.length === 0) continue;
    noises.push(...each.curves.map((curve) => curve.noise));
    floors.push(...each.curves.map((curve) => computeNoiseFloor(curve, settings)));
    const top = each.curves[each.curves.length - 1];
    const { response } = top;
    tops.push({ role: group.role, response, floor: computeNoiseFloor(top, settings) });
    if (group.role === 'negative_control')
      negatives.push(decidesBinding ? computeUnboundResponse(top, settings) : response);
    if (group.role === 'positive_control') positives.push(response);
    if (group.role === 'sample') theoretical.push(...listTheoretical(group, settings));
  }
  const floor = floors.length === 0 ? 0 : computeMedian(floors);
  const { loadedMin, ...loading } = computeLoadingLevels(plate, settings, floor);
  const ofZero = [
    ...flagLoadedReferences(plate, loadedMin),
    ...flagNegativeControls(negatives, {
      floor,
      full: findFullResponse(positives, theoretical, floor),
      decidesBinding,
    }),
    ...flagPlateBelowZero(tops),
  ];
  const flags = [...ofZero, ...flagDeadReferences(plate)];
  const { negativeControlsMin } = settings.limits;
  const n = negatives.length;
  const enough = n >= NEGATIVES_MIN;
  if (n < negativeControlsMin) {
    const rests = enough
      ? `the response threshold should rest on ${negativeControlsMin}.`
      : `below ${NEGATIVES_MIN} the response threshold uses only the noise; it should rest on ${negativeControlsMin}.`;
    const message = `The plate has ${n} negative control${n === 1 ? '' : 's'}: ${rests}`;
    const severity = decidesBinding && !enough ? 'warning' : 'info';
    flags.push(
      createFlag('FEW_NEGATIVE_CONTROLS', severity, message, { value: n, limit: negativeControlsMin }),
    );
  }
  if (plate.references.length === 0 && settings.reference !== 'none') {
    flags.push(createFlag('NO_REFERENCE', 'info', 'The plate has no reference sensors.'));
  }
  if (plate.loadedReferences.length > 0) {
    const list = plate.loadedReferences.map(({ trace }) => trace.id).join(', ');
    const message = `Reference sensors that loaded protein like the samples were left out (${list}): they may be swapped with sample sensors.`;
    flags.push(createFlag('NO_REFERENCE', 'warning', message, { value: plate.loadedReferences.length }));
  }
  return {
    negativeResponses: negatives,
    negativeMedian: enough ? computeMedian(negatives) : null,
    negativeMost: findNegativeMost(tops),
    negativeSd: enough ? MAD_TO_SD * computeMedianAbsoluteDeviation(negatives) : null,
    positiveMedian: positives.length === 0 ? null : computeMedian(positives),
    noise: noises.length === 0 ? 0 : computeMedian(noises),
    ...loading,
    isZeroKnown: ofZero.length === 0,
    flags,
  };
}

function findNegativeMost(tops: readonly { role: TraceRole; response: number }[]): number | null {
  const responses = tops.flatMap(({ role, response }) => (role === 'negative_control' ? response : []));
  return responses.length === 0 ? null : Math.max(...responses);
}

function listTheoretical({ sample, dips }: ReplicateGroup, settings: BindingSettings): number[] {
  return dips.flatMap(({ loading }) => computeTheoreticalRmax(sample, loading, settings) ?? []);
}

/** A measured response is preferred to a calculated one; of a control that does not respond, nothing is learned. */
function findFullResponse(
  positives: readonly number[],
  theoretical: readonly number[],
  floor: number,
): number | null {
  const measured = positives.length === 0 ? 0 : computeMedian(positives);
  if (measured > floor) return measured;
  return theoretical.length === 0 ? null : computeMedian(theoretical);
}

/** `loadedMin`: a reference sensor with a higher loading has protein on it. */
function computeLoadingLevels(
  plate: Plate,
  settings: BindingSettings,
  floor: number,
): Pick<PlateLevels, 'expressedMin' | 'loadingLow' | 'positiveLoading'> & { loadedMin: number | null } {
  const listLoadings = (groups: readonly ReplicateGroup[]): number[] => {
    return groups.flatMap((group) => [...group.dips, ...group.blanks]).flatMap((dip) => dip.loading ?? []);
  };
  const loaded = listLoadings(plate.groups.filter((group) => group.role !== 'negative_control'));
  if (loaded.length === 0)
    return { expressedMin: null, loadingLow: null, loadedMin: null, positiveLoading: null };
  const positive = listLoadings(plate.groups.filter((group) => group.role === 'positive_control'));
  const positiveLoading = positive.length === 0 ? null : computeMedian(positive);
  const { loadingExpressedFraction, loadingLowFraction } = settings.limits;
  const full = positiveLoading ?? Math.max(...loaded);
  const loadedMin = Math.max(loadingLowFraction * full, ZERO_TO_FLOOR_MAX * floor);
  const all = plate.references.flatMap((reference) => reference.loading ?? []);
  const bare = all.filter((loading) => loading <= loadedMin);
  // Without an empty and a loaded sensor the data cannot show whether all sensors have protein or none.
  if (all.length > 0 && bare.length === 0 && positive.length === 0)
    return { expressedMin: null, loadingLow: null, loadedMin, positiveLoading };
  const bareTop =
    bare.length > 0 ? computeMedian(bare) + 3 * MAD_TO_SD * computeMedianAbsoluteDeviation(bare) : 0;
  return {
    expressedMin: Math.max(bareTop, loadingExpressedFraction * full),
    loadingLow: loadingLowFraction * (positive.length > 0 ? full : computeMedian(loaded)),
    loadedMin,
    positiveLoading,
  };
}

const THRESHOLD_SD = 3;
/**
 * A response without binding exceeds each of the two limits of the scatter of negative controls with this probability, and
 * so the smaller one with half a percent.
 */
const SCREEN_PROBABILITY = 1 - 0.0035;

/**
 * Returns the median + 3 robust SD of the negative controls, at least the noise floor; `sd` is the unit of the z-score.
 */
export function computeResponseThreshold(
  levels: PlateLevels,
  own: { noise: number; responseSe: number },
  settings: BindingSettings,
): { threshold: number; floor: number; sd: number } {
  const floor = computeNoiseFloor(own, settings);
  const sd = Math.max(levels.negativeSd ?? 0, own.responseSe);
  const byControls = levels.negativeMedian === null ? 0 : levels.negativeMedian + THRESHOLD_SD * sd;
  return { threshold: Math.max(byControls, floor), floor, sd };
}

/**
 * Returns the threshold where it alone decides what binds: few controls leave their scatter open, so that a response needs
 * more SD.
 */
export function computeScreenThreshold(
  levels: PlateLevels,
  own: { noise: number; responseSe: number },
  settings: BindingSettings,
): { threshold: number; floor: number; sd: number } {
  const usual = computeResponseThreshold(levels, own, settings);
  if (levels.negativeMedian === null) return usual;
  const rise = computeScatterLimit(levels.negativeResponses, SCREEN_PROBABILITY, own.responseSe);
  return { ...usual, threshold: Math.max(levels.negativeMedian + rise, usual.floor) };
}

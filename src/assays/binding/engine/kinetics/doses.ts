/** Checks whether the doses of a replicate agree with one another, and which of its sensors were loaded. */
import { formatCount } from '#core/words.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { Expression } from '../types.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import { computeLevelSe } from './level-error.ts';
import { computeResponseThreshold } from './plate-levels.ts';
import type { PlateLevels } from './plate-levels.ts';
import type { ProcessedGroup } from './plate.ts';
import type { ProcessedCurve } from './process.ts';

/**
 * In 1:1 binding the highest dose gives the largest response; the capacities of one replicate's sensors do not differ
 * by this factor.
 */
const TOP_TO_LARGEST_MIN = 0.5;
/** A response counts as lower only beyond this many standard errors. */
const DROP_SE = 3;

/**
 * Returns an error flag where a lower dose binds and the highest one does not, or much less: an empty, fallen-off or
 * mixed-up sensor, or aggregates. Such a series supports no result. `curves` ascend in concentration.
 */
export function flagContradiction(
  curves: readonly ProcessedCurve[],
  levels: PlateLevels,
  settings: BindingSettings,
): Flag | null {
  const top = curves[curves.length - 1];
  const getThreshold = (curve: ProcessedCurve): number =>
    computeResponseThreshold(levels, curve, settings).threshold;
  const largest = curves.reduce((best, each) => (each.response > best.response ? each : best));
  if (largest.concentrationM >= top.concentrationM || largest.response <= getThreshold(largest)) return null;
  const drop = largest.response - top.response;
  if (drop <= DROP_SE * Math.hypot(computeLevelSe(largest), computeLevelSe(top))) return null;
  const least = Math.max(getThreshold(top), TOP_TO_LARGEST_MIN * largest.response);
  if (top.response > least) return null;
  const message = `The highest concentration gives ${top.response.toPrecision(2)}, ${formatConcentration(largest.concentrationM)} gives ${largest.response.toPrecision(2)}: the doses contradict one another, so binding cannot be evaluated.`;
  return createFlag('NON_MONOTONIC_DOSE', 'error', message, { value: top.response, limit: least });
}

/** Returns the curves of loaded sensors; flags and leaves out unloaded sensors if others were loaded. */
export function excludeUnloaded(
  replicate: { expression: Expression; flags: Flag[] },
  curves: readonly ProcessedCurve[],
  { expressedMin }: PlateLevels,
): ProcessedCurve[] {
  if (expressedMin === null || replicate.expression === 'none') return [...curves];
  const loaded = curves.filter(({ loading }) => loading === null || loading > expressedMin);
  const bare = curves.filter((curve) => !loaded.includes(curve));
  if (bare.length > 0) {
    const list = bare.map(({ traceId }) => traceId).join(', ');
    const least = Math.min(...bare.flatMap(({ loading }) => loading ?? []));
    const message = `${bare.length} of ${formatCount(curves.length, 'sensor')} ${bare.length === 1 ? 'has loading at background level and was' : 'have loading at background level and were'} left out (${list}).`;
    replicate.flags.push(
      createFlag('NOT_LOADED', loaded.length < 2 ? 'error' : 'warning', message, {
        value: least,
        limit: expressedMin,
      }),
    );
  }
  return loaded;
}

/** Returns the reference responses of these curves. */
export function selectReferences(
  curves: readonly ProcessedCurve[],
  { reference }: ProcessedGroup,
): ProcessedGroup['reference'] {
  return reference.filter(({ traceId }) => curves.some((curve) => curve.traceId === traceId));
}

/** Above this multiple of KD a dose saturates the surface. */
const DOSE_TO_KD_MAX = 10;

/**
 * Returns a flag where every dose saturates the surface, so that the responses say nothing of KD. `kdM` is the stated KD,
 * or the fitted one below an upper limit.
 */
export function flagDosesAboveKd(
  curves: readonly ProcessedCurve[],
  { kdM, isLimit }: { kdM: number; isLimit: boolean },
): Flag | null {
  const lowestM = Math.min(
    ...curves.flatMap(({ plateaus }) => plateaus.map(({ concentrationM }) => concentrationM)),
  );
  const limit = DOSE_TO_KD_MAX * kdM;
  if (!(lowestM > limit)) return null;
  const message = isLimit
    ? `The fit puts KD below a tenth of every concentration: all saturate the surface, so a limit is stated.`
    : `Every concentration is more than ${DOSE_TO_KD_MAX} times KD: all saturate the surface, so KD rests on the rates alone.`;
  return createFlag('DOSES_ABOVE_KD', 'warning', message, { value: lowestM, limit });
}

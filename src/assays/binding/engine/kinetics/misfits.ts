/** Evidence against the chosen model although it fits the curves. */
import { formatConcentration } from '#core/number-words.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import { computeBaselineGrowth, findGrowth } from './drift-verdict.ts';
import { EVIDENCE_MIN } from './evidence.ts';
import type { Choice } from './evidence.ts';
import type { Measurement } from './measure.ts';
import { listSlopes } from './one-to-one.ts';
import { describeRivals } from './other-kd.ts';
import type { ProcessedCurve } from './process.ts';

/** A drift is real if the baselines show more than this fraction of it. */
const SHOWN_MAX = 0.5;

/** Returns null without a doubt, and for isotherms, which do not depend on the kinetic model. */
export function findMisfit(
  { choice, fitKind }: Measurement,
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
): Flag | null {
  if (fitKind !== 'kinetic') return null;
  const { better, rival, fit, options } = choice;
  if (better !== null) {
    const name = better.model.replaceAll('_', ' ');
    const other = better.kdM === null ? '' : ` and gives a KD of ${formatConcentration(better.kdM)}`;
    const message = `Another model (${name}) describes the curves far better${other}, but it was rejected: ${better.reason ?? 'refused'}. The KD of ${formatConcentration(fit.kdM)} is an estimate from a model that is too simple.`;
    return createFlag('MODEL_IN_DOUBT', 'warning', message, { value: better.deltaBic ?? undefined });
  }
  if (rival !== null) {
    const [name, chosen] = [rival, choice].map(({ model }) => model.replaceAll('_', ' '));
    const other = rival.kdM === null ? 'another KD' : `a KD of ${formatConcentration(rival.kdM)}`;
    const message = `The curves do not tell ${chosen} from ${name}, which describes them about as well and gives ${other}. ${describeRivals(listNearKds(choice))} The KD of ${formatConcentration(fit.kdM)} is an estimate: more doses and a longer dissociation tell them apart.`;
    return createFlag('MODEL_IN_DOUBT', 'warning', message, { value: rival.deltaBic ?? undefined });
  }
  return options.drift ? findDriftMisfit(fit, curves, settings) : null;
}

/** KD in M of the models over which the evidence for the chosen one is not very strong, and of the chosen one. */
function listNearKds({ candidates, fit }: Choice): number[] {
  const chosen = candidates.find(({ accepted }) => accepted)?.deltaBic ?? 0;
  const near = candidates.filter(
    ({ deltaBic }) => (deltaBic ?? Number.POSITIVE_INFINITY) < chosen + EVIDENCE_MIN,
  );
  return [fit.kdM, ...near.flatMap(({ kdM }) => kdM ?? [])];
}

/**
 * A drift of the sensor does not depend on what is bound. A fitted drift that correlates with the response, and that
 * the baselines do not show, compensates for a second kind of site or for rebinding, and KD is biased. It matters
 * once it exceeds the fraction of Rmax that a drift may have.
 */
function findDriftMisfit(
  fit: Measurement['kinetic'],
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
): Flag | null {
  const drifts = fit.curves.map(({ linear }) => linear.drift ?? 0);
  const slopes = listSlopes(curves, drifts);
  const growth = findGrowth(slopes);
  if (growth === null || computeBaselineGrowth(slopes) / growth > SHOWN_MAX) return null;
  const lengthS = Math.max(...curves.map((curve) => curve.fit.associationS + curve.dissociationS));
  const rmax = Math.max(...fit.curves.map((curve) => curve.rmax));
  const responses = curves.map(({ response }) => response);
  const range = Math.max(...responses) - Math.min(...responses);
  const value = (Math.abs(growth) * range * lengthS) / rmax;
  const limit = settings.limits.driftFractionMax;
  if (value <= limit) return null;
  const message = `The fitted drift is correlated with the response (${(100 * value).toPrecision(2)} % of Rmax), unlike sensor drift: the 1:1 model is too simple, and KD is an estimate.`;
  return createFlag('MODEL_IN_DOUBT', 'warning', message, { value, limit });
}

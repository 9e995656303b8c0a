/**
 * The levels of curves in a 1:1 fit: a baseline is known to the noise of its last seconds, and a sensor that changes its
 * well may jump by as much. A drift, a step or an Rmax of its own would take up such an error, and KD with it.
 */
import type { BindingSettings } from '../settings.ts';
import { buildOutline, solveKinetics } from './fit.ts';
import type { SolvedFit } from './fit.ts';
import type { OneToOne } from './one-to-one.ts';

/** Residuals up to this multiple of the noise of the baselines are noise; from the other one on they are not. */
const OVER_NOISE = { ordinary: 2, misfit: 4 } as const;

/** Whether levels may be held: a stated model is fitted as stated. */
export function areLevelsHeld({ model, drift }: Pick<BindingSettings, 'model' | 'drift'>): boolean {
  return model === 'auto' && drift === 'held';
}

/**
 * Fits again with levels that are held within their errors. Residuals beyond the noise
 * show that the model misses something else, which the levels would take up; the more they exceed it, the less the levels
 * may move.
 */
export function holdLevels(
  found: OneToOne<SolvedFit>,
  settings: Pick<BindingSettings, 'model' | 'drift'>,
): OneToOne<SolvedFit> {
  if (!areLevelsHeld(settings)) return found;
  const hold = (heldLevels: number): OneToOne<SolvedFit> => {
    const options = { ...found.options, heldLevels };
    return { ...found, options, fit: solveKinetics(found.fitted, { ...options, start: found.fit }) };
  };
  const held = hold(1);
  const over = computeOverNoise(held.fit);
  if (!(over > OVER_NOISE.ordinary)) return held;
  const part = (OVER_NOISE.misfit - over) / (OVER_NOISE.misfit - OVER_NOISE.ordinary);
  return part > 0 ? hold(part) : found;
}

/** Returns by which factor the residuals, as independent points, exceed the noise of the baselines. */
function computeOverNoise(fit: SolvedFit): number {
  const { correlationFactor, ssr, n, p } = buildOutline(fit);
  const expected = fit.problem.curves.reduce(
    (sum, { meanSe = 0, timeS }) => sum + (meanSe * timeS.length) ** 2,
    0,
  );
  return correlationFactor * Math.sqrt((ssr * n) / Math.max(1, n - p) / expected);
}

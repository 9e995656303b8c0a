/** Sensors that are subtracted from others, and whether they are what they are taken for. */
import type { BindingSettings } from '../settings.ts';
import { computeMedian } from '../../../numerics/robust.ts';
import type { AlignedTrace } from './align.ts';
import { noiseFloor } from './process.ts';
import type { ProcessedCurve } from './process.ts';

/**
 * Which of several sensors in buffer respond as those in analyte do: more than the lowest dose by what noise cannot do, and more
 * than the part of the largest response that non-specific signal may have, while the doses do differ. `responses` are theirs, and
 * `subtracted` what was taken off `curves`; all referenced alike.
 */
export function respondingBlanks(
  curves: readonly ProcessedCurve[],
  responses: readonly number[],
  subtracted: number,
  settings: BindingSettings,
): boolean[] {
  const none = responses.map(() => false);
  if (curves.length < 2) return none;
  const floor = Math.max(...curves.map((curve) => noiseFloor(curve, settings)));
  const doses = curves.map(({ response }) => response + subtracted);
  const [lowest, largest] = [Math.min(...doses), Math.max(...doses, ...responses)];
  if (Math.max(...doses) - lowest <= floor) return none;
  return responses.map(
    (response) => response - lowest > floor && response > settings.limits.nsbFractionMax * largest,
  );
}

/** Reference sensors that took up protein as the samples' did, while references on the whole did not. */
export function loadedReferences(
  references: readonly AlignedTrace[],
  samples: readonly AlignedTrace[],
  settings: BindingSettings,
): AlignedTrace[] {
  const loadings = (traces: readonly AlignedTrace[]): number[] =>
    traces.flatMap(({ loading }) => loading ?? []);
  const [bare, loaded] = [loadings(references), loadings(samples)];
  if (bare.length === 0 || loaded.length === 0) return [];
  const limit = settings.limits.loadingLowFraction * computeMedian(loaded);
  if (computeMedian(bare) >= limit) return [];
  return references.filter(({ loading }) => loading !== null && loading >= limit);
}

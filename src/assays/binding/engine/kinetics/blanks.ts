/** Checks whether the sensors that are subtracted from others are really blanks and references. */
import type { BindingSettings } from '../settings.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import type { AlignedTrace } from './align.ts';
import { computeNoiseFloor } from './process.ts';
import type { ProcessedCurve } from './process.ts';

/**
 * Returns which of several sensors in buffer respond as if they were in analyte: they exceed the lowest dose by more
 * than the noise and exceed the fraction of the largest response allowed for non-specific signal, while the doses
 * differ. `responses` are theirs, and `subtracted` is what was taken off `curves`; all are referenced alike.
 */
export function findRespondingBlanks(
  curves: readonly ProcessedCurve[],
  responses: readonly number[],
  subtracted: number,
  settings: BindingSettings,
): boolean[] {
  const none = responses.map(() => false);
  if (curves.length < 2) return none;
  const floor = Math.max(...curves.map((curve) => computeNoiseFloor(curve, settings)));
  const doses = curves.map(({ response }) => response + subtracted);
  const [lowest, largest] = [Math.min(...doses), Math.max(...doses, ...responses)];
  if (Math.max(...doses) - lowest <= floor) return none;
  return responses.map(
    (response) => response - lowest > floor && response > settings.limits.nsbFractionMax * largest,
  );
}

/** Returns the reference sensors that loaded protein like the samples, while most references did not. */
export function selectLoadedReferences(
  references: readonly AlignedTrace[],
  samples: readonly AlignedTrace[],
  settings: BindingSettings,
): AlignedTrace[] {
  const listLoadings = (traces: readonly AlignedTrace[]): number[] =>
    traces.flatMap(({ loading }) => loading ?? []);
  const [bare, loaded] = [listLoadings(references), listLoadings(samples)];
  if (bare.length === 0 || loaded.length === 0) return [];
  const limit = settings.limits.loadingLowFraction * computeMedian(loaded);
  if (computeMedian(bare) >= limit) return [];
  return references.filter(({ loading }) => loading !== null && loading >= limit);
}

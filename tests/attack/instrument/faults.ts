/** Faults of instruments and samples that add to a recorded signal, or take from it. Heights are in signal units. */
import type { Random } from '../physics/random.ts';
import { shiftBetween, type Curve } from './record.ts';

/** Adds a function of the seconds since the first sample. */
export function addOverTime(curve: Curve, change: (elapsedS: number) => number): void {
  const startS = curve.timesS[0] ?? 0;
  for (const [index, timeS] of curve.timesS.entries())
    curve.signal[index] = (curve.signal[index] ?? 0) + change(timeS - startS);
}

export function findDurationS(curve: Curve): number {
  return (curve.timesS.at(-1) ?? 0) - (curve.timesS[0] ?? 0);
}

/**
 * Adds the step of a refractive index during each association. Analyte needs `mixingS` to replace the buffer in the flow
 * cell, so the step has rounded shoulders (Taylor dispersion).
 */
export function addBulkStep(curve: Curve, heights: readonly number[], mixingS: number): void {
  const injections = curve.steps.filter(({ name }) => name === 'association');
  for (const [index, timeS] of curve.timesS.entries()) {
    let added = 0;
    for (const [injection, { startS, endS }] of injections.entries()) {
      const height = heights[injection] ?? 0;
      if (timeS > startS) added += height * (1 - Math.exp(-(timeS - startS) / mixingS));
      if (timeS > endS) added -= height * (1 - Math.exp(-(timeS - endS) / mixingS));
    }
    curve.signal[index] = (curve.signal[index] ?? 0) + added;
  }
}

/** A step that stays to the end of the run: a sensor that was touched, a pressure change. */
export function addJump(curve: Curve, atS: number, height: number): void {
  shiftBetween(curve, atS, Number.POSITIVE_INFINITY, height);
}

/** One or two wrong samples. */
export function addSpike(curve: Curve, height: number, random: Random): void {
  const at = random.drawInteger(0, curve.signal.length - 2);
  const width = random.drawInteger(1, 2);
  for (let index = at; index < at + width; index += 1)
    curve.signal[index] = (curve.signal[index] ?? 0) + height;
}

/** An air bubble: the signal leaves at once, stays away for `lengthS`, and returns over a few seconds. */
export function addBubble(curve: Curve, height: number, lengthS: number, random: Random): void {
  const atS = random.draw(0, findDurationS(curve) - lengthS) + (curve.timesS[0] ?? 0);
  const returnS = random.draw(0.5, 5);
  for (const [index, timeS] of curve.timesS.entries()) {
    if (timeS < atS) continue;
    const share = timeS < atS + lengthS ? 1 : Math.exp(-(timeS - atS - lengthS) / returnS);
    curve.signal[index] = (curve.signal[index] ?? 0) + height * share;
  }
}

/** The detector cannot report more than its ceiling. */
export function clipSignal(curve: Curve, ceiling: number): void {
  for (const [index, value] of curve.signal.entries()) curve.signal[index] = Math.min(value, ceiling);
}

/** Keeps the samples that pass; their times and values stay as they are. */
export function keepSamples(curve: Curve, keeps: (index: number, timeS: number) => boolean): void {
  const kept = [...curve.timesS.keys()].filter((index) => keeps(index, curve.timesS[index] ?? 0));
  const { timesS, signal } = curve;
  curve.timesS = kept.map((index) => timesS[index] ?? 0);
  curve.signal = Float64Array.from(kept, (index) => signal[index] ?? 0);
}

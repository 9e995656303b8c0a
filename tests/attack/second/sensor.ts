/** What a detector adds to the physics: noise, wander, smoothing, rounding is left to the writer. */
import type { Dice } from './dice.ts';

/** White noise and a slow wander of a third of it that forgets within a minute. */
export function addNoise(dice: Dice, signals: readonly number[], noise: number, hz: number): number[] {
  const memory = Math.exp(-1 / (60 * hz));
  const fresh = noise * 0.33 * Math.sqrt(1 - memory * memory);
  let wander = dice.normal(noise * 0.33);
  return signals.map((signal) => {
    wander = memory * wander + dice.normal(fresh);
    return signal + wander + dice.normal(noise);
  });
}

export function computeMovingAverage(signals: readonly number[], width: number): number[] {
  const half = Math.floor(width / 2);
  return signals.map((_, index) => {
    const part = signals.slice(Math.max(0, index - half), index + half + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

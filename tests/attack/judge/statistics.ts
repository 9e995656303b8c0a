/**
 * This folder: what a result says against what is true, and the rates of that over many runs.
 * Not here: how the runs are made.
 */

/** ln Γ(x) for x > 0 by Stirling's series, after raising x above ten. */
function computeLogGamma(x: number): number {
  let shifted = x;
  let correction = 0;
  while (shifted < 10) {
    correction -= Math.log(shifted);
    shifted += 1;
  }
  const inverse = 1 / (shifted * shifted);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / shifted;
  return correction + (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series;
}

/** The probability of at least `count` of `trials` events of this probability, summed term by term. */
export function computeUpperTail(count: number, trials: number, probability: number): number {
  if (count <= 0) return 1;
  if (probability <= 0) return 0;
  if (probability >= 1) return 1;
  let sum = 0;
  for (let events = count; events <= trials; events += 1) {
    const ways =
      computeLogGamma(trials + 1) - computeLogGamma(events + 1) - computeLogGamma(trials - events + 1);
    const log = ways + events * Math.log(probability) + (trials - events) * Math.log1p(-probability);
    sum += Math.exp(log);
  }
  return Math.min(1, sum);
}

const HALVINGS = 60;

/** The exact one-sided lower limit of a rate (Clopper & Pearson 1934, Biometrika 26, 404). */
export function computeLowerLimit(count: number, trials: number, confidence = 0.95): number {
  if (count === 0 || trials === 0) return 0;
  let [low, high] = [0, 1];
  for (let index = 0; index < HALVINGS; index += 1) {
    const middle = (low + high) / 2;
    if (computeUpperTail(count, trials, middle) > 1 - confidence) high = middle;
    else low = middle;
  }
  return low;
}

export function computeUpperLimit(count: number, trials: number, confidence = 0.95): number {
  return 1 - computeLowerLimit(trials - count, trials, confidence);
}

export function findMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

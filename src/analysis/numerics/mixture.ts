/** Quantiles of a mixture of normal distributions whose two sides may differ in width. */
import { computeNormalProbability } from './quantiles.ts';
import { bisect } from './search.ts';

/** Half of the probability of a component lies below its middle, spread by `sd.low`, and half above it, by `sd.high`. */
export interface MixtureComponent {
  readonly weight: number;
  readonly middle: number;
  readonly sd: { readonly low: number; readonly high: number };
}

/** Components with less than this fraction of the weight move no quantile that is reported. */
const NEGLIGIBLE = 1e-5;
/** No quantile that is reported lies further from the middle of every component than this many standard deviations. */
const REACH_SD = 6;
/** Halvings of the range, which leave a millionth of it. */
const STEPS = 20;

/** Returns the value below which a number from the mixture lies with `probability`; NaN without a component. */
export function computeMixtureQuantile(components: readonly MixtureComponent[], probability: number): number {
  const total = components.reduce((sum, { weight }) => sum + weight, 0);
  const used = components
    .filter(({ weight }) => weight > NEGLIGIBLE * total)
    .sort((a, b) => b.weight - a.weight);
  if (used.length === 0) return Number.NaN;
  const counted = used.reduce((sum, { weight }) => sum + weight, 0);
  const needed = probability * counted;
  // Columns, because numbers in objects would be boxed and followed for each of them.
  const [weights, middles, below, above] = toColumns(used);
  const isBelow = (x: number): boolean => {
    // The heaviest components mostly decide before all are summed. In a loop of its own, because it runs for each halving.
    let sum = 0;
    let left = counted;
    for (let k = 0; k < weights.length; k += 1) {
      const weight = weights[k];
      const middle = middles[k];
      sum += weight * computeNormalProbability((x - middle) / (x < middle ? below[k] : above[k]));
      left -= weight;
      if (sum >= needed) return false;
      if (sum + left < needed) return true;
    }
    return sum < needed;
  };
  const inside = Math.min(...used.map(({ middle, sd }) => middle - REACH_SD * sd.low));
  const outside = Math.max(...used.map(({ middle, sd }) => middle + REACH_SD * sd.high));
  const end = bisect(isBelow, { inside, outside, steps: STEPS });
  return (end.inside + end.outside) / 2;
}

function toColumns(
  components: readonly MixtureComponent[],
): [Float64Array, Float64Array, Float64Array, Float64Array] {
  const n = components.length;
  const weights = new Float64Array(n);
  const middles = new Float64Array(n);
  const below = new Float64Array(n);
  const above = new Float64Array(n);
  for (let k = 0; k < n; k += 1) {
    const { weight, middle, sd } = components[k];
    weights[k] = weight;
    middles[k] = middle;
    below[k] = sd.low;
    above[k] = sd.high;
  }
  return [weights, middles, below, above];
}

/**
 * What curves of a weak signal say about one transition, weighed with what proteins and instruments usually show. Where
 * noise hides much of a step, the least squares alone may take a bend of the baseline for a wide step, or two readings for
 * a steep one: no protein has such a ΔH. So Tm is the mean over all steps that the data permit, not the one that is best.
 */
import { averageBlocks, chooseStride } from '#analysis/numerics/thinning.ts';
import { appendDirection, projectOut, computeDot } from '#analysis/numerics/matrix.ts';
import type { Curve } from './fit.ts';
import { KELVIN, R_KCAL, computeFractionUnfolded } from './model.ts';

export interface WeakCurve {
  curve: Curve;
  /** Variance of an independent reading. */
  variance: number;
  /** Whether heat quenches the signal: light, and not the ratio of two wavelengths. */
  isLight: boolean;
}

export interface WeakStep {
  tmC: number;
  sdTmC: number;
  /** Median of ΔH in kcal/mol, and the standard deviation of its logarithm. */
  dhKcalPerMol: number;
  sdLnDh: number;
}

/**
 * ΔH of unfolding in kcal/mol: 0.7 for each residue at 60 °C (Robertson & Murphy 1997) are 50 to 250 for most proteins,
 * two standard deviations to each side.
 */
const LN_DH = { mean: Math.log(110), sd: 0.4 } as const;
/**
 * Change of the slope on unfolding, as a part of the step for each °C. Clear curves of published plates (ratio, 330 nm, 350 nm
 * and dye) show −3 to +1.75 %.
 */
const SLOPE_CHANGE = { mean: -0.005, sd: 0.012 } as const;
/** A normal distribution as equal steps, in standard deviations: finer than curves tell the slope. */
const NODES = Array.from({ length: 13 }, (_, k) => {
  const at = (k - 6) * 0.4;
  return { at, weight: Math.exp(-(at ** 2) / 2) };
});
/** Light that heat takes, for each °C: collisions quench by 0 to 1.5 % (Gauss–Legendre). */
const QUENCH_PER_C = [0.0017, 0.0075, 0.0133] as const;
/** ΔH at 60 °C divided by ΔCp, in K; the heat capacity change lies anywhere between none and that. */
const DH_TO_DCP_K = 50;
const HEAT_CAPACITY = { middle: [0.5], both: [0.21, 0.79] } as const;

/** Points of a curve: no transition of a protein is narrower than several of them. */
const POINTS = 160;
const TM_STEP_C = 1.5;
const TM_NODES = 40;
const LN_DH_NODES = { coarse: 6, fine: 11 } as const;
const LN_DH_REACH = 2.5;
/** What is this many times e less likely than the most likely step adds nothing. */
const NEGLIGIBLE = 9;

interface Prepared {
  kelvin: Float64Array;
  /** For each rate of quenching. */
  views: View[];
  variance: number;
  /** Variance of the height of a step before it was seen: no step exceeds the range of the signal. */
  heightVariance: number;
}

interface View {
  shade: Float64Array;
  fixed: Float64Array[];
  data: Float64Array;
  /** Sum of squares that the baseline leaves. */
  rest: number;
}

interface Step {
  tmC: number;
  lnDh: number;
  logWeight: number;
}

/** Returns what all curves together say; Tm lies `fromEndC` within the range that all of them have. */
export function averageSteps(curves: readonly WeakCurve[], fromEndC: number): WeakStep {
  const prepared = curves.map(prepareCurve);
  const lowC = Math.max(...curves.map(({ curve }) => curve.temperatureC[0])) + fromEndC;
  const highC = Math.min(...curves.map(({ curve: { temperatureC: t } }) => t[t.length - 1])) - fromEndC;
  const coarse = listSteps(prepared, HEAT_CAPACITY.middle, {
    tmsC: spread(lowC, highC, Math.ceil((highC - lowC) / TM_STEP_C) + 1),
    heights: spread(-LN_DH_REACH, LN_DH_REACH, LN_DH_NODES.coarse),
  });
  const top = Math.max(...coarse.map(({ logWeight }) => logWeight));
  const likelyC = coarse.filter(({ logWeight }) => logWeight > top - NEGLIGIBLE).map(({ tmC }) => tmC);
  const fromC = Math.max(lowC, Math.min(...likelyC) - TM_STEP_C);
  const toC = Math.min(highC, Math.max(...likelyC) + TM_STEP_C);
  return summarizeSteps(
    listSteps(prepared, HEAT_CAPACITY.both, {
      tmsC: spread(fromC, toC, TM_NODES),
      heights: spread(-LN_DH_REACH, LN_DH_REACH, LN_DH_NODES.fine),
    }),
  );
}

/** Returns this many values from `low` to `high`, equally far apart. */
function spread(low: number, high: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
}

function listSteps(
  curves: readonly Prepared[],
  heatCapacities: readonly number[],
  { tmsC, heights }: { tmsC: readonly number[]; heights: readonly number[] },
): Step[] {
  return tmsC.flatMap((tmC) =>
    heights.map((z): Step => {
      const lnDh = LN_DH.mean + z * LN_DH.sd;
      const place = { tmK: tmC + KELVIN, dh: Math.exp(lnDh) };
      return { tmC, lnDh, logWeight: computeLogEvidence(curves, place, heatCapacities) - z ** 2 / 2 };
    }),
  );
}

function summarizeSteps(found: readonly Step[]): WeakStep {
  const top = found.reduce((most, { logWeight }) => Math.max(most, logWeight), Number.NEGATIVE_INFINITY);
  const weights = found.map(({ logWeight }) => Math.exp(logWeight - top));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const average = (valueOf: (k: number) => number): number =>
    weights.reduce((sum, weight, k) => sum + weight * valueOf(k), 0) / whole;
  const tmC = average((k) => found[k].tmC);
  const lnDh = average((k) => found[k].lnDh);
  return {
    tmC,
    sdTmC: Math.sqrt(average((k) => (found[k].tmC - tmC) ** 2)),
    dhKcalPerMol: Math.exp(lnDh),
    sdLnDh: Math.sqrt(average((k) => (found[k].lnDh - lnDh) ** 2)),
  };
}

function prepareCurve({ curve, variance, isLight }: WeakCurve): Prepared {
  const stride = chooseStride(curve.signal.length, POINTS);
  const blocks = Math.floor(curve.signal.length / stride);
  const average = (values: Float64Array): Float64Array =>
    averageBlocks(values, { length: blocks * stride, blocks });
  const temperatureC = average(curve.temperatureC);
  const signal = average(curve.signal);
  const [first, last] = [temperatureC[0], temperatureC[blocks - 1]];
  const [centerC, halfC] = [(first + last) / 2, (last - first) / 2];
  const x = temperatureC.map((value) => (value - centerC) / halfC);
  const views = (isLight ? QUENCH_PER_C : [0]).map((quench): View => {
    const shade = x.map((value) => Math.exp(-quench * halfC * value));
    const fixed: Float64Array[] = [];
    appendDirection(fixed, shade);
    appendDirection(
      fixed,
      shade.map((value, i) => value * x[i]),
    );
    const data = Float64Array.from(signal);
    projectOut(fixed, data);
    return { shade, fixed, data, rest: computeDot(data, data) };
  });
  const coarse = averageBlocks(signal, { length: blocks, blocks: Math.min(20, blocks) });
  const range = Math.max(...coarse) - Math.min(...coarse);
  return {
    kelvin: temperatureC.map((value) => value + KELVIN),
    views,
    variance: variance / stride,
    heightVariance: range ** 2,
  };
}

interface Place {
  tmK: number;
  dh: number;
}

/**
 * Returns the logarithm of how likely all curves are with this step, over all rates of quenching, changes of the slope and
 * of the heat capacity, which replicates share.
 */
function computeLogEvidence(
  curves: readonly Prepared[],
  place: Place,
  heatCapacities: readonly number[],
): number {
  const logs: number[] = [];
  for (const part of heatCapacities) {
    const fractions = curves.map(({ kelvin }) => computeFractions(kelvin, place, part));
    for (const v of curves[0].views.keys()) {
      const sums = NODES.map(({ weight }) => Math.log(weight));
      for (const [k, curve] of curves.entries()) {
        const logLikelihoods = computeLogLikelihoods(curve, curve.views[v], fractions[k], place.tmK);
        for (const [at, each] of logLikelihoods.entries()) sums[at] += each;
      }
      logs.push(...sums);
    }
  }
  const top = Math.max(...logs);
  return top + Math.log(logs.reduce((sum, each) => sum + Math.exp(each - top), 0) / logs.length);
}

function computeFractions(kelvin: Float64Array, { tmK, dh }: Place, part: number): Float64Array {
  const dcp = (part * dh) / DH_TO_DCP_K;
  return kelvin.map((t) =>
    computeFractionUnfolded(
      (dh / R_KCAL) * (1 / t - 1 / tmK) - (dcp / (R_KCAL * t)) * (tmK - t + t * Math.log(t / tmK)),
    ),
  );
}

/**
 * Returns the logarithm of the likelihood for each change of the slope. The height of the step is integrated, with a normal
 * distribution around none before the data; a step whose slope changes is the sum of two columns.
 */
function computeLogLikelihoods(
  { kelvin, variance, heightVariance }: Prepared,
  { shade, fixed: [level, slope], data, rest }: View,
  fraction: Float64Array,
  tmK: number,
): number[] {
  let [aa, ab, bb, ay, by] = [0, 0, 0, 0, 0];
  let [a0, a1, b0, b1] = [0, 0, 0, 0];
  for (let i = 0; i < kelvin.length; i += 1) {
    const a = shade[i] * fraction[i];
    const b = a * (kelvin[i] - tmK);
    aa += a * a;
    ab += a * b;
    bb += b * b;
    ay += a * data[i];
    by += b * data[i];
    a0 += a * level[i];
    a1 += a * slope[i];
    b0 += b * level[i];
    b1 += b * slope[i];
  }
  aa -= a0 * a0 + a1 * a1;
  ab -= a0 * b0 + a1 * b1;
  bb -= b0 * b0 + b1 * b1;
  return NODES.map(({ at }) => {
    const change = SLOPE_CHANGE.mean + at * SLOPE_CHANGE.sd;
    const own = aa + 2 * change * ab + change ** 2 * bb;
    const pull = ay + change * by;
    const gain = (heightVariance * pull ** 2) / (variance + heightVariance * own);
    return (gain - rest) / (2 * variance) - Math.log(1 + (heightVariance * own) / variance) / 2;
  });
}

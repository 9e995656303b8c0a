/**
 * Binding models beside 1:1, each as a response with unit Rmax, so that amplitudes stay linear and are eliminated.
 *
 * - `mass_transport`: quasi-steady two compartments (Myszka 1998), dr/dt = (u(1 − r) − koff·r) / (1 + (kon/kt)(1 − r)), with the
 *   transport coefficient kt in M⁻¹s⁻¹ per unit of Rmax: with Rmax four parameters.
 * - `heterogeneous_ligand`: two kinds of independent 1:1 sites in the ratio f : 1 − f.
 * - `bivalent_analyte`: one analyte bridges two sites, da/dt = 2u·l − koff·a − k₂·a·l + 2k₋₂·b and db/dt = k₂·a·l − 2k₋₂·b with
 *   free sites l = 1 − a − 2b; the signal is a + b.
 *
 * All parameters are natural logarithms; the last one of the heterogeneous ligand is ln(f/(1 − f)).
 */
import { NOMINAL_TIME, addResponse, listStretches, writeShape } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';

export type AlternativeModel = 'mass_transport' | 'heterogeneous_ligand' | 'bivalent_analyte';

interface Rates {
  kon: number;
  koff: number;
}

export interface AlternativeShape {
  /** Number of nonlinear parameters. */
  readonly size: number;
  /** Starting points near a 1:1 fit. */
  readonly getStarts: (fit: Rates) => number[][];
  /** Writes the unit-Rmax response of one curve into `out`, zeros before, from index `offset` on. */
  readonly write: Writer<Float64Array>;
  /** Writes its derivative with respect to each parameter; numerically where there is no closed form. */
  readonly derive?: Writer<readonly Float64Array[]>;
}

type Writer<Out> = (
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Out,
  offset: number,
) => void;

export const ALTERNATIVES: Readonly<Record<AlternativeModel, AlternativeShape>> = {
  mass_transport: { size: 3, getStarts: buildTransportStarts, write: writeTransport },
  heterogeneous_ligand: {
    size: 5,
    getStarts: buildHeterogeneousStarts,
    write: writeHeterogeneous,
    derive: deriveHeterogeneous,
  },
  bivalent_analyte: { size: 4, getStarts: buildBivalentStarts, write: writeBivalent },
};

function buildTransportStarts({ kon, koff }: Rates): number[][] {
  // Transport limitation lowers both apparent rates by the same factor.
  const factor = 4;
  return [[Math.log(factor * kon), Math.log(factor * koff), Math.log(2 * kon)]];
}

function buildHeterogeneousStarts({ kon, koff }: Rates): number[][] {
  const start = (a: number, d: number, logit: number): number[] => [
    Math.log(kon),
    Math.log(koff / 2),
    Math.log(a * kon),
    Math.log(d * koff),
    logit,
  ];
  return [start(1, 6, 0.8), start(3, 3, 0), start(0.2, 1, 0.5)];
}

function buildBivalentStarts({ kon, koff }: Rates): number[][] {
  return [1, 10].map((factor) => [
    Math.log(kon / 2),
    Math.log(3 * factor * koff),
    Math.log(3 * factor * koff),
    Math.log(koff),
  ]);
}

function writeHeterogeneous(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Float64Array,
  offset: number,
): void {
  const [kon, koff, kon2, koff2] = theta.map(Math.exp);
  const fraction = 1 / (1 + Math.exp(-theta[4]));
  addResponse(curve, { kon, koff }, { time, weight: fraction }, out, offset);
  addResponse(curve, { kon: kon2, koff: koff2 }, { time, weight: 1 - fraction }, out, offset);
}

function deriveHeterogeneous(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: readonly Float64Array[],
  offset: number,
): void {
  const n = curve.timeS.length;
  const fraction = 1 / (1 + Math.exp(-theta[4]));
  const views = out.map((column) => column.subarray(offset, offset + n));
  const shape = new Float64Array(n);
  const byLogit = views[4].fill(0);
  for (const site of [0, 1]) {
    const part = site === 0 ? fraction : 1 - fraction;
    const slope = (site === 0 ? 1 : -1) * fraction * (1 - fraction);
    const rates = { kon: Math.exp(theta[2 * site]), koff: Math.exp(theta[2 * site + 1]) };
    const [byLnKon, byLnKoff] = [views[2 * site], views[2 * site + 1]];
    writeShape(curve, rates, time, { shape, byLnKon, byLnKoff }, 0);
    for (let i = 0; i < n; i += 1) {
      byLnKon[i] *= part;
      byLnKoff[i] *= part;
      byLogit[i] += slope * shape[i];
    }
  }
}

/** The equations of both mechanisms that need numerical integration: with free sites l = 1 − a − 2b, */
interface System {
  kon: number;
  koff: number;
  valence: 1 | 2;
  /** kon/kt. */
  limit: number;
  k2: number;
  koff2: number;
}

function writeTransport(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Float64Array,
  offset: number,
): void {
  const [kon, koff, kt] = theta.map(Math.exp);
  integrate({ kon, koff, valence: 1, limit: kon / kt, k2: 0, koff2: 0 }, { curve, time }, out, offset);
}

function writeBivalent(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Float64Array,
  offset: number,
): void {
  const [kon, koff, k2, koff2] = theta.map(Math.exp);
  integrate({ kon, koff, valence: 2, limit: 0, k2, koff2 }, { curve, time }, out, offset);
}

/** Largest product of fastest rate and step: the error of classical Runge–Kutta stays below 1e-5. */
const STEP_MAX = 0.25;
/** Systems faster than this resolves are rejected: their response is NaN. */
const STEPS_PER_INTERVAL_MAX = 64;

/** Fourth-order Runge–Kutta from sample to sample, stopping at every change of concentration. */
function integrate(
  system: System,
  { curve, time }: { curve: FitCurve; time: TimeZero },
  out: Float64Array,
  offset: number,
): void {
  const { timeS } = curve;
  const stretches = listStretches(curve, time);
  const spreadS = computeSpread(curve);
  const state = new Float64Array(2);
  let i = 0;
  for (; i < timeS.length && timeS[i] <= stretches[0].startS; i += 1) out[offset + i] = 0;
  let at = stretches[0].startS;
  for (const { endS, concentrationM } of stretches) {
    const u = system.kon * concentrationM;
    for (; i < timeS.length && timeS[i] <= endS; i += 1) {
      const aheadS = Math.max(at, timeS[i] - spreadS);
      advance(system, state, u, aheadS - at);
      const before = state[0] + state[1];
      // At equal distances before and after the mean time, within the stretch.
      at = Math.min(endS, 2 * timeS[i] - aheadS);
      advance(system, state, u, at - aheadS);
      out[offset + i] = (before + state[0] + state[1]) / 2;
    }
    if (i === timeS.length) return;
    advance(system, state, u, endS - at);
    at = endS;
  }
}

/**
 * Returns the distance s for which the mean of any cubic over the samples of a point equals that of its values at the
 * mean time ± s.
 */
function computeSpread({ averaging }: FitCurve): number {
  if (averaging === undefined) return 0;
  return averaging.intervalS * Math.sqrt((averaging.samples ** 2 - 1) / 12);
}

/** Advances the state by classical Runge–Kutta steps. */
function advance(system: System, state: Float64Array, u: number, lengthS: number): void {
  if (lengthS <= 0) return;
  const { koff, k2, koff2 } = system;
  const rate = system.valence * u;
  const fastest = rate + koff + 4 * k2 + 2 * koff2;
  const steps = Math.ceil((fastest * lengthS) / STEP_MAX);
  if (steps > STEPS_PER_INTERVAL_MAX * Math.max(1, lengthS)) {
    state.fill(Number.NaN);
    return;
  }
  const grid = { steps, h: lengthS / steps };
  if (system.valence === 1) advanceTransport(system, state, rate, grid);
  else advanceBivalent(system, state, rate, grid);
}

interface Grid {
  steps: number;
  /** Length of a step in s. */
  h: number;
}

/** These two are the inner loops of all such fits, so they use plain numbers only and write out the four stages. */
function advanceTransport(
  { koff, limit }: System,
  state: Float64Array,
  rate: number,
  { steps, h }: Grid,
): void {
  let a = state[0];
  for (let step = 0; step < steps; step += 1) {
    const first = computeTransportSlope(a, rate, koff, limit);
    const second = computeTransportSlope(a + (h / 2) * first, rate, koff, limit);
    const third = computeTransportSlope(a + (h / 2) * second, rate, koff, limit);
    const fourth = computeTransportSlope(a + h * third, rate, koff, limit);
    a += (h / 6) * (first + 2 * second + 2 * third + fourth);
  }
  state[0] = a;
}

function computeTransportSlope(a: number, rate: number, koff: number, limit: number): number {
  const free = 1 - a;
  return (rate * free - koff * a) / (1 + limit * free);
}

function advanceBivalent(
  { koff, k2, koff2 }: System,
  state: Float64Array,
  rate: number,
  { steps, h }: Grid,
): void {
  let a = state[0];
  let b = state[1];
  for (let step = 0; step < steps; step += 1) {
    let free = 1 - a - 2 * b;
    const b1 = k2 * a * free - 2 * koff2 * b;
    const a1 = rate * free - koff * a - b1;
    let x = a + (h / 2) * a1;
    let y = b + (h / 2) * b1;
    free = 1 - x - 2 * y;
    const b2 = k2 * x * free - 2 * koff2 * y;
    const a2 = rate * free - koff * x - b2;
    x = a + (h / 2) * a2;
    y = b + (h / 2) * b2;
    free = 1 - x - 2 * y;
    const b3 = k2 * x * free - 2 * koff2 * y;
    const a3 = rate * free - koff * x - b3;
    x = a + h * a3;
    y = b + h * b3;
    free = 1 - x - 2 * y;
    const b4 = k2 * x * free - 2 * koff2 * y;
    const a4 = rate * free - koff * x - b4;
    a += (h / 6) * (a1 + 2 * a2 + 2 * a3 + a4);
    b += (h / 6) * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  state[0] = a;
  state[1] = b;
}

/** Returns the signal of a model at unit Rmax and nominal times, for simulations. */
export function computeAlternativeResponse(
  model: AlternativeModel,
  curve: FitCurve,
  theta: readonly number[],
): Float64Array {
  const out = new Float64Array(curve.timeS.length);
  ALTERNATIVES[model].write(curve, theta, NOMINAL_TIME, out, 0);
  return out;
}

/**
 * The binding models without a closed form, integrated from sample to sample by classical Runge–Kutta steps: transport to
 * the surface, and an analyte that bridges two sites. `alternatives.ts` states their equations.
 */
import { listStretches } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';

/** Largest product of fastest rate and step: the error of classical Runge–Kutta stays below 1e-5. */
const STEP_MAX = 0.25;
/** Systems faster than so many steps per second resolve are rejected: their response is NaN. */
const STEPS_PER_S_MAX = 64;
/**
 * The limit for two bridged sites: at 4 per s they are at equilibrium within a sample, so that faster rates change no
 * curve, and a search along them would take most of the time of all fits.
 */
const BRIDGED_STEPS_PER_S_MAX = 16;

interface System {
  /** The occupied fractions, with their derivatives by parameters where these are asked for. */
  readonly state: Float64Array;
  /** Returns the fastest rate in analyte of a concentration, per s. */
  readonly computeFastest: (concentrationM: number) => number;
  /** Default `STEPS_PER_S_MAX`. */
  readonly stepsPerSMax?: number;
  /** Advances the state in analyte of a concentration by `steps` steps of `h` seconds. */
  readonly advance: (concentrationM: number, steps: number, h: number) => void;
  /** Adds half of the signal, and of its derivatives, to point `i` of the output. */
  readonly addHalf: (i: number) => void;
}

/** Writes the occupied fraction of sites that analyte reaches by slow transport; parameters as in `alternatives.ts`. */
export function writeTransport(
  curve: FitCurve,
  [lnKon, lnKoff, lnKt]: readonly number[],
  time: TimeZero,
  out: Float64Array,
  offset: number,
): void {
  const [kon, koff] = [Math.exp(lnKon), Math.exp(lnKoff)];
  const limit = kon / Math.exp(lnKt);
  const state = new Float64Array(1);
  integrate(curve, time, [out.subarray(offset, offset + curve.timeS.length)], {
    state,
    computeFastest: (concentrationM) => kon * concentrationM + koff,
    advance: (concentrationM, steps, h) =>
      advanceTransport(state, kon * concentrationM, koff, limit, steps, h),
    addHalf: (i) => {
      out[offset + i] += state[0] / 2;
    },
  });
}

/** Writes the derivatives of `writeTransport` by its three parameters: those of the steps themselves, so exact. */
export function deriveTransport(
  curve: FitCurve,
  [lnKon, lnKoff, lnKt]: readonly number[],
  time: TimeZero,
  out: readonly Float64Array[],
  offset: number,
): void {
  const [kon, koff] = [Math.exp(lnKon), Math.exp(lnKoff)];
  const limit = kon / Math.exp(lnKt);
  const state = new Float64Array(4);
  const views = out.map((column) => column.subarray(offset, offset + curve.timeS.length));
  const [byKon, byKoff, byKt] = views;
  integrate(curve, time, views, {
    state,
    computeFastest: (concentrationM) => kon * concentrationM + koff,
    advance: (concentrationM, steps, h) =>
      advanceTransportSlopes(state, kon * concentrationM, koff, limit, steps, h),
    addHalf: (i) => {
      byKon[i] += state[1] / 2;
      byKoff[i] += state[2] / 2;
      byKt[i] += state[3] / 2;
    },
  });
}

/** Writes the signal of an analyte that bridges two sites; parameters as in `alternatives.ts`. */
export function writeBivalent(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Float64Array,
  offset: number,
): void {
  const [kon, koff, k2, koff2] = theta.map(Math.exp);
  const state = new Float64Array(2);
  integrate(curve, time, [out.subarray(offset, offset + curve.timeS.length)], {
    state,
    computeFastest: (concentrationM) => 2 * kon * concentrationM + koff + 4 * k2 + 2 * koff2,
    stepsPerSMax: BRIDGED_STEPS_PER_S_MAX,
    advance: (concentrationM, steps, h) =>
      advanceBivalent({ rate: 2 * kon * concentrationM, koff, k2, koff2 }, state, { steps, h }),
    addHalf: (i) => {
      out[offset + i] += (state[0] + state[1]) / 2;
    },
  });
}

/** Goes from sample to sample and stops at every change of concentration. A point is the mean of two places. */
function integrate(
  curve: FitCurve,
  time: TimeZero,
  out: readonly Float64Array[],
  { state, computeFastest, stepsPerSMax = STEPS_PER_S_MAX, advance, addHalf }: System,
): void {
  const { timeS } = curve;
  const stretches = listStretches(curve, time);
  const spreadS = computeSpread(curve);
  for (const column of out) column.fill(0);
  let i = 0;
  while (i < timeS.length && timeS[i] <= stretches[0].startS) i += 1;
  let at = stretches[0].startS;
  for (const { endS, concentrationM } of stretches) {
    const fastest = computeFastest(concentrationM);
    const advanceBy = (lengthS: number): void => {
      if (lengthS <= 0) return;
      const steps = Math.ceil((fastest * lengthS) / STEP_MAX);
      if (steps > stepsPerSMax * Math.max(1, lengthS)) state.fill(Number.NaN);
      else advance(concentrationM, steps, lengthS / steps);
    };
    for (; i < timeS.length && timeS[i] <= endS; i += 1) {
      const aheadS = Math.max(at, timeS[i] - spreadS);
      advanceBy(aheadS - at);
      addHalf(i);
      // At equal distances before and after the mean time, within the stretch.
      at = Math.min(endS, 2 * timeS[i] - aheadS);
      advanceBy(at - aheadS);
      addHalf(i);
    }
    if (i === timeS.length) return;
    advanceBy(endS - at);
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

// These three are the inner loops of all such fits, so they use plain numbers only and write out the four stages.

/** `limit` is kon/kt. */
function advanceTransport(
  state: Float64Array,
  rate: number,
  koff: number,
  limit: number,
  steps: number,
  h: number,
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

/**
 * Advances a and its derivatives by ln kon, ln koff and ln kt: with f the slope of a, each derivative follows
 * d′ = ∂f/∂a·d + ∂f/∂parameter. They enter all four stages of each step, as a itself does.
 */
function advanceTransportSlopes(
  state: Float64Array,
  rate: number,
  koff: number,
  limit: number,
  steps: number,
  h: number,
): void {
  let a = state[0];
  let byKon = state[1];
  let byKoff = state[2];
  let byKt = state[3];
  for (let step = 0; step < steps; step += 1) {
    let sumA = 0;
    let sumKon = 0;
    let sumKoff = 0;
    let sumKt = 0;
    let slopeA = 0;
    let slopeKon = 0;
    let slopeKoff = 0;
    let slopeKt = 0;
    for (let stage = 0; stage < 4; stage += 1) {
      const ahead = stage === 0 ? 0 : stage === 3 ? h : h / 2;
      const x = a + ahead * slopeA;
      const free = 1 - x;
      const over = 1 / (1 + limit * free);
      const f = (rate * free - koff * x) * over;
      const fByA = (limit * f - rate - koff) * over;
      const fByLimit = -f * limit * free * over;
      slopeKon = fByA * (byKon + ahead * slopeKon) + rate * free * over + fByLimit;
      slopeKoff = fByA * (byKoff + ahead * slopeKoff) - koff * x * over;
      slopeKt = fByA * (byKt + ahead * slopeKt) - fByLimit;
      slopeA = f;
      const weight = stage === 0 || stage === 3 ? 1 : 2;
      sumA += weight * slopeA;
      sumKon += weight * slopeKon;
      sumKoff += weight * slopeKoff;
      sumKt += weight * slopeKt;
    }
    a += (h / 6) * sumA;
    byKon += (h / 6) * sumKon;
    byKoff += (h / 6) * sumKoff;
    byKt += (h / 6) * sumKt;
  }
  state[0] = a;
  state[1] = byKon;
  state[2] = byKoff;
  state[3] = byKt;
}

interface BivalentRates {
  rate: number;
  koff: number;
  k2: number;
  koff2: number;
}

function advanceBivalent(
  { rate, koff, k2, koff2 }: BivalentRates,
  state: Float64Array,
  { steps, h }: { steps: number; h: number },
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

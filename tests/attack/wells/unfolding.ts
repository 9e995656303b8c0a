/**
 * Thermal unfolding from thermodynamics: equilibria of one or more domains, and irreversible loss while the sample is
 * heated.
 * This folder: simulated assays of wells with their faults, and the rate at which their results mislead. Not here:
 * assays of binding, code of the analysis or of the sandbox.
 */
const GAS_CONSTANT = 0.001987204; // kcal/(mol K)
const ZERO_C_IN_K = 273.15;

export interface Transition {
  readonly tmC: number;
  /** Van 't Hoff enthalpy at Tm. */
  readonly dhKcal: number;
  readonly dcpKcalPerK: number;
}

/** Computes K = [U]/[N] by the Gibbs–Helmholtz equation with a constant heat capacity. */
function computeUnfoldingConstant(temperatureC: number, transition: Transition): number {
  const t = temperatureC + ZERO_C_IN_K;
  const tm = transition.tmC + ZERO_C_IN_K;
  const dh = transition.dhKcal + transition.dcpKcalPerK * (t - tm);
  const ds = transition.dhKcal / tm + transition.dcpKcalPerK * Math.log(t / tm);
  return Math.exp(-(dh - t * ds) / (GAS_CONSTANT * t));
}

export function computeUnfoldedFraction(temperatureC: number, transition: Transition): number {
  const k = computeUnfoldingConstant(temperatureC, transition);
  return Number.isFinite(k) ? k / (1 + k) : 1;
}

/** The temperature over which K grows e-fold at Tm. */
export function computeWidthC({ tmC, dhKcal }: Transition): number {
  return (GAS_CONSTANT * (tmC + ZERO_C_IN_K) ** 2) / dhKcal;
}

/** Populations of N, I1, I2 … U that follow one another: each state is K of its step times the one before. */
export function computePopulations(temperatureC: number, steps: readonly Transition[]): number[] {
  const weights = [1];
  for (const step of steps)
    weights.push(Math.min(1e100, (weights.at(-1) ?? 1) * computeUnfoldingConstant(temperatureC, step)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

export interface Loss {
  /** Rate of U → aggregate per minute at `atC`. */
  readonly perMinute: number;
  readonly atC: number;
  readonly activationKcal: number;
}

export interface LossyMelt {
  readonly native: readonly number[];
  readonly unfolded: readonly number[];
  readonly lost: readonly number[];
}

/** Integrates N ⇌ U → A along the temperatures at a scan rate (Lumry and Eyring): what is lost never returns. */
export function integrateLoss(
  temperaturesC: readonly number[],
  transition: Transition,
  loss: Loss,
  scanCPerMinute: number,
): LossyMelt {
  const computeSlope = (temperatureC: number) => {
    const t = temperatureC + ZERO_C_IN_K;
    const reference = loss.atC + ZERO_C_IN_K;
    const rate = loss.perMinute * Math.exp((loss.activationKcal / GAS_CONSTANT) * (1 / reference - 1 / t));
    return (rate * computeUnfoldedFraction(temperatureC, transition)) / scanCPerMinute;
  };
  let exponent = 0;
  let before = temperaturesC[0] ?? 0;
  const folded: number[] = [];
  const unfolded: number[] = [];
  const lost: number[] = [];
  for (const temperatureC of temperaturesC) {
    exponent += integrateSlope(computeSlope, before, temperatureC);
    before = temperatureC;
    const kept = Math.exp(-exponent);
    const fraction = computeUnfoldedFraction(temperatureC, transition);
    folded.push(kept * (1 - fraction));
    unfolded.push(kept * fraction);
    lost.push(1 - kept);
  }
  return { native: folded, unfolded, lost };
}

const FINEST_C = 0.02;

/** Simpson's rule in steps fine enough for a steep rate. */
function integrateSlope(slope: (temperatureC: number) => number, from: number, to: number): number {
  const pieces = Math.max(1, Math.ceil((to - from) / FINEST_C));
  const width = (to - from) / pieces;
  let sum = 0;
  for (let i = 0; i < pieces; i += 1) {
    const left = from + i * width;
    sum += ((slope(left) + 4 * slope(left + width / 2) + slope(left + width)) * width) / 6;
  }
  return sum;
}

/** Finds the temperature at which half of the protein is no longer native; null where that is outside the curve. */
export function findHalfC(temperaturesC: readonly number[], native: readonly number[]): number | null {
  const after = native.findIndex((fraction) => fraction <= 0.5);
  if (after <= 0) return null;
  const [t0 = 0, t1 = 0] = temperaturesC.slice(after - 1);
  const [y0 = 0, y1 = 0] = native.slice(after - 1);
  return t0 + ((t1 - t0) * (y0 - 0.5)) / (y0 - y1);
}

/** Signals of a protein that is heated: intrinsic fluorescence of its states, and a dye that binds what is unfolded. */
import type { Random } from './random.ts';
import {
  computePopulations,
  computeWidthC,
  findHalfC,
  integrateLoss,
  type Loss,
  type Transition,
} from './unfolding.ts';

export interface Scan {
  readonly temperaturesC: readonly number[];
  readonly scanCPerMinute: number;
}

export function createScan(startC: number, endC: number, stepC: number, scanCPerMinute: number): Scan {
  const count = Math.floor((endC - startC) / stepC + 1e-9) + 1;
  return { temperaturesC: Array.from({ length: count }, (_, i) => startC + i * stepC), scanCPerMinute };
}

export function drawScan(random: Random, steps: readonly number[] = [0.2, 0.3, 0.5, 1]): Scan {
  return createScan(random.pick([20, 25]), random.pick([90, 95]), random.pick(steps), random.uniform(0.5, 2));
}

/** The steepest and the flattest transitions that are drawn, in kcal/mol. */
const DH_KCAL = [60, 180] as const;

/** Draws a transition whose shoulders lie within the scan. */
export function drawTransition(
  random: Random,
  scan: Scan,
  [lowestDh, highestDh]: readonly [number, number] = DH_KCAL,
): Transition {
  const dhKcal = random.uniform(lowestDh, highestDh);
  const shoulderC = 8 + 3 * computeWidthC({ tmC: 60, dhKcal, dcpKcalPerK: 0 });
  const { lowC, highC } = findRange(scan);
  const tmC = random.uniform(Math.max(35, lowC + shoulderC), highC - shoulderC);
  return { tmC, dhKcal, dcpKcalPerK: drawHeatCapacity(random, dhKcal) };
}

/** Larger proteins have more of both. */
export function drawHeatCapacity(random: Random, dhKcal: number): number {
  return (random.uniform(0.4, 1.6) * dhKcal) / 100;
}

export function findRange({ temperaturesC }: Scan) {
  return { lowC: temperaturesC[0] ?? Number.NaN, highC: temperaturesC.at(-1) ?? Number.NaN };
}

/** What one detector sees of the states of a protein. */
export interface Optics {
  readonly channel: string;
  readonly rises: boolean;
  /** Height of the whole step, at 60 °C, in the unit of the signal. */
  readonly stepHeight: number;
  /** Signal of a state; 0 is native, 1 fully unfolded, between them intermediates. */
  readonly shine: (unfoldedness: number, temperatureC: number) => number;
}

export type IntrinsicChannel = 'ratio' | '330nm' | '350nm';

export function drawIntrinsic(
  random: Random,
  channel: IntrinsicChannel = random.pick<IntrinsicChannel>(['ratio', '330nm', '350nm']),
  rises: boolean | null = null,
): Optics {
  if (channel === 'ratio') return drawRatio(random, rises ?? random.chance(0.85));
  const isUp = rises ?? random.chance(channel === '330nm' ? 0.25 : 0.6);
  const counts = random.logUniform(1500, 20_000);
  const change = isUp ? random.uniform(1.2, 2.2) : random.uniform(0.3, 0.8);
  // Collisions with water quench more as it gets warmer, by some tenths of a percent to 1.5 % for each °C.
  const quench = random.uniform(0.003, 0.015);
  const dim = (temperatureC: number) => Math.exp(-quench * (temperatureC - 25));
  return {
    channel,
    rises: isUp,
    stepHeight: Math.abs(change - 1) * counts * dim(60),
    shine: (unfoldedness, temperatureC) => counts * (1 + (change - 1) * unfoldedness) * dim(temperatureC),
  };
}

/** A ratio whose denominator does not change when the protein unfolds, so that it is linear in the populations. */
function drawRatio(random: Random, rises: boolean): Optics {
  const base = random.uniform(0.5, 1.1);
  const height = random.uniform(0.08, 0.45);
  const native = random.uniform(-0.002, 0.004) * height;
  const unfolded = random.uniform(-0.006, 0.004) * height;
  const sign = rises ? 1 : -1;
  return {
    channel: 'ratio',
    rises,
    stepHeight: height,
    shine(unfoldedness, temperatureC) {
      const slope = native * (1 - unfoldedness) + unfolded * unfoldedness;
      return base + sign * height * unfoldedness + slope * (temperatureC - 60);
    },
  };
}

/**
 * Computes the signal of states in equilibrium; `weights` are the parts of the step that belong to each transition, 1
 * together.
 */
export function computeEquilibriumSignal(
  { temperaturesC }: Scan,
  steps: readonly Transition[],
  optics: Optics,
  weights: readonly number[] = [1],
): number[] {
  const levels = [0];
  for (const weight of weights) levels.push((levels.at(-1) ?? 0) + weight);
  return temperaturesC.map((temperatureC) =>
    computePopulations(temperatureC, steps).reduce(
      (sum, share, i) => sum + share * optics.shine(levels[i] ?? 1, temperatureC),
      0,
    ),
  );
}

export interface Dye {
  /** Signal of dye on unfolded protein at 60 °C. */
  readonly counts: number;
  /** Dye on native protein and in the buffer, of that. */
  readonly background: number;
  /** Brightness lost for each °C. */
  readonly dimming: number;
  /** What an aggregate binds of what unfolded protein does. */
  readonly onAggregate: number;
}

export function drawDye(random: Random): Dye {
  return {
    counts: random.logUniform(500, 40_000),
    background: random.uniform(0.03, 0.25),
    dimming: random.uniform(0.003, 0.02),
    onAggregate: random.uniform(0.1, 0.6),
  };
}

export interface DyeMelt {
  readonly signal: number[];
  /** Where half of the protein is no longer native. */
  readonly halfC: number | null;
}

/** Computes the light of a dye on protein that unfolds and then aggregates. */
export function computeDyeSignal(scan: Scan, transition: Transition, loss: Loss, dye: Dye): DyeMelt {
  const melt = integrateLoss(scan.temperaturesC, transition, loss, scan.scanCPerMinute);
  const signal = scan.temperaturesC.map((temperatureC, i) => {
    const bound = (melt.unfolded[i] ?? 0) + dye.onAggregate * (melt.lost[i] ?? 0);
    return dye.counts * (dye.background + bound) * Math.exp(-dye.dimming * (temperatureC - 60));
  });
  return { signal, halfC: findHalfC(scan.temperaturesC, melt.native) };
}

/** Aggregation slow enough to begin well above Tm. */
export function drawSlowLoss(random: Random, tmC: number): Loss {
  return {
    perMinute: random.logUniform(0.01, 0.1),
    atC: tmC + random.uniform(10, 20),
    activationKcal: random.uniform(20, 60),
  };
}

/** Wide transitions are known less well: 2 °C instead of 1 °C above a width of 3 °C. */
export function chooseToleranceC(transition: Transition): number {
  return computeWidthC(transition) > 3 ? 2 : 1;
}

/**
 * Binding at a sensor by its rate equations, integrated step by step (classical Runge–Kutta of the fourth order).
 * Occupancies are fractions of the sites of the sensor; concentrations are in M.
 */
export interface Chemistry {
  readonly konPerMS: number;
  readonly koffPerS: number;
  /** The second arm of a dimer binds a free neighbor at this rate per fraction of free sites. */
  readonly crosslinkPerS?: number;
  /** Sites over transport: kon · sites / transport coefficient. Above about 0.3 analyte rebinds before it leaves. */
  readonly damkohler?: number;
  /** Sites of the sensor in the volume of a well, in M: what binds is missing in the well. */
  readonly sitesM?: number;
  /** Seconds by which the flow cell rounds a step of concentration. */
  readonly dispersionS?: number;
  /** Growth of the concentration in a well by evaporation, per s. */
  readonly evaporationPerS?: number;
  /** Aggregates among the analyte: they deposit in proportion to the concentration and partly stay. */
  readonly aggregates?: {
    readonly depositPerMS: number;
    readonly leavePerS: number;
    readonly stayingShare: number;
  };
  /** Ligand that leaves the sensor, per s, with what is bound to it. */
  readonly leachPerS?: number;
  /** Factors of kon and koff at a time of the run. */
  readonly warm?: (timeS: number) => { readonly kon: number; readonly koff: number };
}

export interface Bath {
  readonly seconds: number;
  readonly concentrationM: number;
}

/** Analyte in solution (M), bound by one arm, by two, deposited aggregates that leave, those that stay. */
export type SurfaceState = readonly [number, number, number, number, number];
export const EMPTY: SurfaceState = [0, 0, 0, 0, 0];

function computeRates(chemistry: Chemistry, state: SurfaceState, feedM: number, timeS: number): SurfaceState {
  const [solution, one, two, leaving] = state;
  const warm = chemistry.warm?.(timeS) ?? { kon: 1, koff: 1 };
  const [kon, koff] = [chemistry.konPerMS * warm.kon, chemistry.koffPerS * warm.koff];
  const arms = chemistry.crosslinkPerS === undefined ? 1 : 2;
  const free = Math.max(0, 1 - one - two * 2);
  const damkohler = chemistry.damkohler ?? 0;
  const near = (solution + damkohler * (koff / kon) * one) / (1 + arms * damkohler * free);
  const landing = arms * kon * near * free - koff * one;
  const crossing = (chemistry.crosslinkPerS ?? 0) * one * free - 2 * koff * two;
  const leach = chemistry.leachPerS ?? 0;
  const found = chemistry.aggregates;
  const deposit = found === undefined ? 0 : found.depositPerMS * solution;
  let change = (chemistry.evaporationPerS ?? 0) * solution;
  if (chemistry.sitesM !== undefined) change -= chemistry.sitesM * landing;
  if (chemistry.dispersionS !== undefined) change += (feedM - solution) / chemistry.dispersionS;
  return [
    change,
    landing - crossing - leach * one,
    crossing - leach * two,
    deposit * (1 - (found?.stayingShare ?? 0)) - (found?.leavePerS ?? 0) * leaving,
    deposit * (found?.stayingShare ?? 0),
  ];
}

function move(state: SurfaceState, rates: SurfaceState, seconds: number): SurfaceState {
  return [
    state[0] + rates[0] * seconds,
    state[1] + rates[1] * seconds,
    state[2] + rates[2] * seconds,
    state[3] + rates[3] * seconds,
    state[4] + rates[4] * seconds,
  ];
}

function computeNextState(
  chemistry: Chemistry,
  state: SurfaceState,
  feedM: number,
  timeS: number,
  seconds: number,
) {
  const first = computeRates(chemistry, state, feedM, timeS);
  const second = computeRates(chemistry, move(state, first, seconds / 2), feedM, timeS + seconds / 2);
  const third = computeRates(chemistry, move(state, second, seconds / 2), feedM, timeS + seconds / 2);
  const fourth = computeRates(chemistry, move(state, third, seconds), feedM, timeS + seconds);
  const mean = (index: 0 | 1 | 2 | 3 | 4) =>
    (first[index] + 2 * second[index] + 2 * third[index] + fourth[index]) / 6;
  return move(state, [mean(0), mean(1), mean(2), mean(3), mean(4)], seconds);
}

/** Integrates one bath and returns the state at every sample, from time zero of the bath. */
export function computeBath(
  chemistry: Chemistry,
  begin: SurfaceState,
  bath: Bath,
  hz: number,
  startS = 0,
): { readonly samples: readonly SurfaceState[]; readonly end: SurfaceState } {
  const fresh = chemistry.dispersionS === undefined ? bath.concentrationM : begin[0];
  let state: SurfaceState = [fresh, begin[1], begin[2], begin[3], begin[4]];
  const strongest = Math.max(bath.concentrationM, begin[0]);
  const fastest =
    2 * chemistry.konPerMS * strongest +
    3 * chemistry.koffPerS +
    (chemistry.crosslinkPerS ?? 0) +
    (chemistry.sitesM ?? 0) * chemistry.konPerMS +
    (chemistry.dispersionS === undefined ? 0 : 1 / chemistry.dispersionS);
  const interval = 1 / hz;
  const parts = Math.max(1, Math.ceil(interval * fastest * 1.2));
  const count = Math.round(bath.seconds * hz);
  const samples: SurfaceState[] = [];
  for (let index = 0; index < count; index += 1) {
    samples.push(state);
    for (let part = 0; part < parts; part += 1) {
      const timeS = startS + (index + part / parts) * interval;
      state = computeNextState(chemistry, state, bath.concentrationM, timeS, interval / parts);
    }
  }
  return { samples, end: state };
}

/** Occupancy as the sensor sees it: every bound molecule weighs the same, aggregates as what they deposit. */
export function readMass(state: SurfaceState): number {
  return state[1] + state[2] + state[3] + state[4];
}

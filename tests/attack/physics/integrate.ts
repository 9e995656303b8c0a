/**
 * This folder: binding at a sensor as rate equations, integrated step by step.
 * Not here: closed solutions. They appear only in tests, as an oracle of the integration.
 */

/** Rate equations of the states of one sensor surface. Signals are in units of the response. */
export interface BindingModel {
  /** The states at the start of the run. */
  readonly start: readonly number[];
  /** Writes the change per second of each state at this bulk concentration. */
  derive(state: Float64Array, concentrationM: number, change: Float64Array): void;
  readSignal(state: Float64Array): number;
  /** An upper bound of the fastest relaxation in 1/s, from which the step follows. */
  findFastestRate(concentrationM: number): number;
}

/** The concentration over the surface: what flows from `startS` on. Ascending, the first from the start of the run. */
export interface Exposure {
  readonly startS: number;
  readonly concentrationM: number;
}

/** Fraction of the fastest relaxation time that one step covers; the error of a step is then below 1e-6. */
const STEP_FRACTION = 0.15;
const STEP_MAX_S = 2;

/** Fourth-order Runge-Kutta with buffers that are made once. */
function createStepper(model: BindingModel) {
  const size = model.start.length;
  const [k1, k2, k3, k4, moved] = Array.from({ length: 5 }, () => new Float64Array(size));
  if (!k1 || !k2 || !k3 || !k4 || !moved) throw new Error('The buffers were not made.');
  const move = (state: Float64Array, slope: Float64Array, dtS: number) => {
    for (let index = 0; index < size; index += 1)
      moved[index] = (state[index] ?? 0) + dtS * (slope[index] ?? 0);
    return moved;
  };
  return (state: Float64Array, concentrationM: number, dtS: number) => {
    model.derive(state, concentrationM, k1);
    model.derive(move(state, k1, dtS / 2), concentrationM, k2);
    model.derive(move(state, k2, dtS / 2), concentrationM, k3);
    model.derive(move(state, k3, dtS), concentrationM, k4);
    for (let index = 0; index < size; index += 1) {
      const slope = (k1[index] ?? 0) + 2 * (k2[index] ?? 0) + 2 * (k3[index] ?? 0) + (k4[index] ?? 0);
      state[index] = (state[index] ?? 0) + (dtS * slope) / 6;
    }
  };
}

/** Integrates the model along the exposures and returns its signal at each time. Times ascend. */
export function integrateSignal(
  model: BindingModel,
  exposures: readonly Exposure[],
  timesS: readonly number[],
): Float64Array {
  const signal = new Float64Array(timesS.length);
  const state = Float64Array.from(model.start);
  const step = createStepper(model);
  let atS = Math.min(timesS[0] ?? 0, exposures[0]?.startS ?? 0);
  let phase = 0;
  const advanceTo = (endS: number, concentrationM: number) => {
    const span = endS - atS;
    if (span <= 0) return;
    const longest = Math.min(STEP_MAX_S, STEP_FRACTION / model.findFastestRate(concentrationM));
    const steps = Math.ceil(span / longest);
    for (let index = 0; index < steps; index += 1) step(state, concentrationM, span / steps);
    atS = endS;
  };
  for (const [index, timeS] of timesS.entries()) {
    for (;;) {
      const next = exposures[phase + 1];
      if (next === undefined || next.startS > timeS) break;
      advanceTo(next.startS, exposures[phase]?.concentrationM ?? 0);
      phase += 1;
    }
    advanceTo(timeS, exposures[phase]?.concentrationM ?? 0);
    signal[index] = model.readSignal(state);
  }
  return signal;
}

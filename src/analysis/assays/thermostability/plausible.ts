/** Whether transitions that the data support are those of a protein. */
import type { Curve, MeltFit, Transition } from './fit.ts';
import { KELVIN, R_KCAL } from './model.ts';
import type { Shape } from './model.ts';

/** A further transition whose Tm has a larger standard error is not accepted. */
const SE_TM_MAX_C = 2;

export function isResolved({ model: { shape }, transitions }: MeltFit): boolean {
  return transitions.every((each, k) => {
    const before = transitions[k - 1];
    const apart = before === undefined ? Number.POSITIVE_INFINITY : each.tmC - before.tmC;
    return apart > (computePeakWidthC(before ?? each, shape) + computePeakWidthC(each, shape)) / 2;
  });
}

export function isPlausible({ temperatureC: t }: Curve, fit: MeltFit): boolean {
  const { shape } = fit.model;
  const largest = Math.max(...fit.transitions.map(({ amplitude }) => Math.abs(amplitude)));
  return fit.transitions.every((each) => {
    return (
      !each.widthAtBound &&
      Math.abs(each.amplitude) > Math.max(0.1 * largest, 5 * fit.rms) &&
      each.seTmC < SE_TM_MAX_C &&
      each.tmC > t[0] + 3 &&
      each.tmC < t[t.length - 1] - 3 &&
      // A dye only becomes brighter as a protein unfolds.
      (shape !== 'boltzmann' || each.amplitude > 0)
    );
  });
}

/**
 * Returns the full width at half maximum of the derivative: 3.53 RT²/ΔH of a two-state transition, 3.53 a of a
 * Boltzmann curve. Closer transitions are not resolved.
 */
export function computePeakWidthC({ tmC, width }: Pick<Transition, 'tmC' | 'width'>, shape: Shape): number {
  return 3.5255 * (shape === 'boltzmann' ? width : (R_KCAL * (tmC + KELVIN) ** 2) / width);
}

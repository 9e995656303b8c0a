/**
 * The ratio of two wavelengths weighs each state of a protein by its light at the lower one: its midpoint is not that of
 * the protein, if unfolding makes the protein brighter or dimmer or if aggregates scatter. The light at that wavelength
 * says by how much.
 */
import { computeCorrelationInflation, computeLagOne } from '#analysis/numerics/autocorrelation.ts';
import { computeDot, invertPositive } from '#analysis/numerics/matrix.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import type { Curve, MeltFit, Transition } from './fit.ts';
import { KELVIN, R_KCAL } from './model.ts';
import type { Shape } from './model.ts';
import { computeUnfoldedAt } from './no-transition.ts';

/** How a transition of a ratio differs from that of the protein. */
export interface BrightnessShift {
  /** Tm of the protein minus the midpoint of the ratio, in °C. */
  shiftC: number;
  seC: number;
}

/**
 * Standard deviation of the logarithm of what unfolding does to the light at the lower wavelength: proteins show a loss
 * of half as well as a gain of half.
 */
const UNKNOWN_LN = 0.5;
/** Both baselines of the inverse light have a level and a slope, and one bend in common. */
const BASELINE_COLUMNS = 3;

/**
 * Returns the shift of each transition of a ratio; without the light, or where it tells nothing, how large it may be. How
 * much of the light aggregates scatter while the protein unfolds is unknown, so their interval reaches from no shift to
 * twice of what was found.
 */
export function findBrightnessShifts(
  fit: MeltFit,
  curve: Curve,
  { light, aggregatesFromC }: { light: Curve | null; aggregatesFromC: number },
): BrightnessShift[] {
  const { shape } = fit.model;
  const read = light === null || shape === 'boltzmann' ? null : selectTemperatures(light, curve);
  const found = read === null ? null : computeBrightnessShifts(fit, curve, read);
  if (found !== null)
    return found.map(({ shiftC, seC }, k) => {
      const hasAggregates = aggregatesFromC < fit.transitions[k].tmC;
      return { shiftC, seC: hasAggregates ? Math.hypot(seC, shiftC / NORMAL_95) : seC };
    });
  return fit.transitions.map((each) => ({ shiftC: 0, seC: computeUnknownSe(each, shape) }));
}

/** Returns the standard error of the Tm of a ratio whose light is unknown, in °C. */
export function computeUnknownSe(transition: Pick<Transition, 'tmC' | 'width'>, shape: Shape): number {
  return UNKNOWN_LN * convertToC(transition, shape);
}

function selectTemperatures(light: Curve, { temperatureC }: Curve): Float64Array {
  if (light.signal.length === temperatureC.length) return light.signal;
  const kept = new Set(temperatureC);
  return light.signal.filter((_, i) => kept.has(light.temperatureC[i]));
}

/**
 * Returns the shift of each transition; null where the light does not tell it. `light` is the lower wavelength at the
 * temperatures of the fit. Its inverse, 1/B, is linear in the fractions that the ratio sees: (1 − f)/B_N + f/B_U.
 */
function computeBrightnessShifts(
  fit: MeltFit,
  { temperatureC }: Curve,
  light: Float64Array,
): BrightnessShift[] | null {
  const n = temperatureC.length;
  if (light.length !== n || light.some((value) => !(value > 0))) return null;
  const half = (temperatureC[n - 1] - temperatureC[0]) / 2;
  const scale = (value: number): number => (value - temperatureC[0]) / half - 1;
  const x = temperatureC.map(scale);
  const unfolded = fit.transitions.map((each) => temperatureC.map((t) => computeUnfoldedAt(fit, each, t)));
  const count = unfolded.length;
  const columns = [
    x.map(() => 1),
    x,
    x.map((value) => value ** 2),
    ...unfolded,
    x.map((value, i) => (value * unfolded.reduce((sum, each) => sum + each[i], 0)) / count),
  ];
  const inverse = light.map((value) => 1 / value);
  const covariance = invertPositive(columns.map((a) => columns.map((b) => computeDot(a, b))));
  if (covariance === null) return null;
  const pull = columns.map((each) => computeDot(each, inverse));
  const found = covariance.map((row) => computeDot(row, pull));
  const residual = inverse.map(
    (value, i) => value - columns.reduce((sum, each, p) => sum + each[i] * found[p], 0),
  );
  const variance = computeDot(residual, residual) / Math.max(1, n - columns.length);
  const sd = Math.sqrt(variance) * computeCorrelationInflation(computeLagOne(residual));
  const shifts = fit.transitions.map(({ tmC, width }, k): BrightnessShift => {
    const at = scale(tmC);
    const before = columns.map((_, p) => {
      if (p < BASELINE_COLUMNS) return at ** p;
      if (p < BASELINE_COLUMNS + count) return p < BASELINE_COLUMNS + k ? 1 : 0;
      return (k * at) / count;
    });
    const after = before.map((value, p) => {
      if (p === BASELINE_COLUMNS + k) return 1;
      return p === columns.length - 1 ? ((k + 1) * at) / count : value;
    });
    const [folded, open] = [computeDot(before, found), computeDot(after, found)];
    const lnBrighter = Math.log(folded / open);
    const gradient = before.map((value, p) => value / folded - after[p] / open);
    const seLn =
      sd *
      Math.sqrt(
        computeDot(
          gradient,
          covariance.map((row) => computeDot(row, gradient)),
        ),
      );
    const perLn = convertToC({ tmC, width }, fit.model.shape);
    return { shiftC: shiftTm(tmC, width, lnBrighter), seC: perLn * seLn };
  });
  return shifts.every(({ shiftC, seC }) => Number.isFinite(shiftC) && Number.isFinite(seC)) ? shifts : null;
}

/** K of the ratio is that of the protein times the brightness of the unfolded state. */
function shiftTm(tmC: number, dhKcalPerMol: number, lnBrighter: number): number {
  const kelvin = tmC + KELVIN;
  return 1 / (1 / kelvin - (R_KCAL * lnBrighter) / dhKcalPerMol) - kelvin;
}

/** Returns by how many °C a change of ln K moves Tm. */
function convertToC({ tmC, width }: Pick<Transition, 'tmC' | 'width'>, shape: Shape): number {
  return shape === 'boltzmann' ? width : (R_KCAL * (tmC + KELVIN) ** 2) / width;
}

/** Compares two series of doses as series: which are missing, which are too many, or one factor between all of them. */

export interface SeriesDifference {
  /** Both in M, without blanks, from the highest dose. */
  readonly measured: readonly number[];
  readonly ordered: readonly number[];
  /** Measured over ordered where one factor explains every measured dose; else null. */
  readonly factor: number | null;
  /** The factor is one between units of concentration, and it explains the whole series. */
  readonly isUnit: boolean;
  /** Measured doses that were not ordered. */
  readonly extra: readonly number[];
  /** Ordered doses that were not measured. */
  readonly missing: readonly number[];
}

/** A prepared dose may deviate from the intended one by this fraction. */
const TOLERANCE = 0.2;
/** With more than this fraction of the doses as ordered, the others are single doses, not a factor. */
const AS_ORDERED_MAX = 0.5;
/** Doses of one common factor agree with it within this fraction, however far each is from the order. */
const FACTOR_TOLERANCE = 0.1;
/** Between M, mM, µM, nM and pM. */
const UNIT_STEP = 1e3;
const UNIT_STEPS_MAX = 4;

/** Returns null where every dose of either series has its match in the other, and where none was ordered. */
export function compareSeries(
  measuredM: readonly number[],
  orderedM: readonly number[],
): SeriesDifference | null {
  const measured = sortDoses(measuredM);
  const ordered = sortDoses(orderedM);
  if (measured.length === 0 || ordered.length === 0) return null;
  const extra = measured.filter((dose) => !ordered.some((each) => isNear(dose, each, TOLERANCE)));
  const missing = ordered.filter((dose) => !measured.some((each) => isNear(dose, each, TOLERANCE)));
  if (extra.length === 0 && missing.length === 0) return null;
  const isListed = extra.length < AS_ORDERED_MAX * measured.length || extra.length === 0;
  const factor = isListed ? null : findFactor(measured, ordered);
  const isUnit = factor !== null && measured.length === ordered.length && isUnitFactor(factor);
  return { measured, ordered, factor, isUnit, extra, missing };
}

function sortDoses(molar: readonly number[]): number[] {
  return [...new Set(molar.filter((dose) => dose > 0))].sort((a, b) => b - a);
}

function isNear(a: number, b: number, tolerance: number): boolean {
  return Math.max(a / b, b / a) <= 1 + tolerance;
}

/**
 * Returns the factor under which each measured dose is another ordered one; null where there is none, and where several
 * are possible because doses of a series in equal steps are missing.
 */
function findFactor(measured: readonly number[], ordered: readonly number[]): number | null {
  const found: number[] = [];
  for (let shift = 0; shift + measured.length <= ordered.length; shift += 1) {
    const ratios = measured.map((dose, i) => Math.log(dose / ordered[i + shift]));
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    const isCommon = ratios.every((ratio) => Math.abs(ratio - mean) <= Math.log(1 + FACTOR_TOLERANCE));
    if (isCommon) found.push(Math.exp(mean));
  }
  return found.length === 1 ? found[0] : null;
}

function isUnitFactor(factor: number): boolean {
  const steps = Math.round(Math.log(factor) / Math.log(UNIT_STEP));
  return steps !== 0 && Math.abs(steps) <= UNIT_STEPS_MAX && isNear(factor, UNIT_STEP ** steps, TOLERANCE);
}

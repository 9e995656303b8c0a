/**
 * Precision by ISO 5725-2: repeatability within a run and reproducibility between runs, from one-way analysis of variance.
 */
export interface Precision {
  /** Standard deviation within a run. */
  readonly repeatabilitySd: number;
  /** Standard deviation between runs alone, 0 where the scatter within runs explains it. */
  readonly betweenRunsSd: number;
  /** Of one value of any run: the square root of the sum of both variances. */
  readonly reproducibilitySd: number;
  /** Two values of one run differ by more in about 5 % of the cases. */
  readonly repeatabilityLimit: number;
  /** Two values of different runs differ by more in about 5 % of the cases. */
  readonly reproducibilityLimit: number;
  readonly nRuns: number;
  readonly nValues: number;
}

/** 1.96 √2, rounded as the standard does. */
const LIMIT_FACTOR = 2.8;

/**
 * Computes the precision of values on a scale on which they scatter evenly (log10 for a KD).
 * @param runs the values of each run.
 * @returns null unless there are two runs, and one of them has two values.
 */
export function computePrecision(runs: readonly (readonly number[])[]): Precision | null {
  const filled = runs.filter(({ length }) => length > 0);
  const nValues = filled.reduce((sum, { length }) => sum + length, 0);
  const nRuns = filled.length;
  if (nRuns < 2 || nValues <= nRuns) return null;
  const means = filled.map((values) => values.reduce((sum, each) => sum + each, 0) / values.length);
  const grand = filled.reduce((sum, values, run) => sum + values.length * (means[run] ?? 0), 0) / nValues;
  let within = 0;
  let between = 0;
  for (const [run, values] of filled.entries()) {
    const mean = means[run] ?? 0;
    between += values.length * (mean - grand) ** 2;
    for (const value of values) within += (value - mean) ** 2;
  }
  const withinSquare = within / (nValues - nRuns);
  const squares = filled.reduce((sum, { length }) => sum + length ** 2, 0);
  const perRun = (nValues - squares / nValues) / (nRuns - 1);
  const betweenSquare = Math.max(0, (between / (nRuns - 1) - withinSquare) / perRun);
  const reproducibilitySd = Math.sqrt(withinSquare + betweenSquare);
  return {
    repeatabilitySd: Math.sqrt(withinSquare),
    betweenRunsSd: Math.sqrt(betweenSquare),
    reproducibilitySd,
    repeatabilityLimit: LIMIT_FACTOR * Math.sqrt(withinSquare),
    reproducibilityLimit: LIMIT_FACTOR * reproducibilitySd,
    nRuns,
    nValues,
  };
}

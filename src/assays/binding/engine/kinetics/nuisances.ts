/**
 * Nuisance parameters: what a fit takes as exact although it is known only with an error, such as the times of
 * injections, the doses, the levels of the curves and a drift too small to be seen.
 *
 * Each has a normal prior around the value that the fit assumed. The curves narrow it, or show that the value is off: the
 * posterior follows from the linearized model, with free rates and amplitudes, on the innovations of first-order noise.
 * Its second moment around the assumed value, times the derivative of the least-squares rates, is the error that the
 * nuisance parameters leave in the rates. So precise curves are not widened by errors that they exclude, and curves that
 * contradict a dose or a time are widened by what it moves.
 */
import {
  computeDots,
  invertPositive,
  computeDot,
  subtractScaled,
  scaleInPlace,
  type Matrix,
} from '#analysis/numerics/matrix.ts';
import { takeColumn, takeCopy, takeScaled, takeZeros } from './column-room.ts';
import { reduceByHeldAgain, restoreByHeld } from './held-column.ts';
import { reduceByHeldRmax } from './held-rmax.ts';
import { computeLagOneWithin, takeInnovations } from './innovations.ts';
import { countUpTo } from '#analysis/numerics/search.ts';
import { addResponse, listStretches } from './model.ts';
import type { FitCurve, Injection, TimeZero } from './model.ts';
import type { Evaluation, FitProblem } from './problem.ts';
import { drawLevels } from './uncertain-levels.ts';

interface Range {
  from: number;
  to: number;
}

/** A column over the points `from … to` of all curves: of all of them, or of one. */
interface Column extends Range {
  values: Float64Array;
}

/** (kon, both, koff), of the natural logarithms. */
export type RateCovariance = readonly [number, number, number];

/** Steps of the numerical derivatives: of times in s, and of the fraction left in the buffer. */
const TIME_STEP_S = 0.25;
const LEFTOVER_STEP = 1e-4;
const DOSE_STEP = 0.01;
/** Time around a turn that says nothing about levels, in s. */
const TURN_S = 1.5;
/** Further than rounding moves a time, in s. */
const ROUNDING_S = 1e-6;
/** Relative addition to the diagonal of free columns, which may span one another. */
const RIDGE = 1e-10;

/** Returns what the nuisance parameters add to the covariance; `problem` must be evaluated at `at`. */
export function computeNuisanceCovariance(problem: FitProblem, at: Evaluation): RateCovariance | null {
  const nuisances = listNuisances(problem, at);
  if (nuisances.length === 0) return [0, 0, 0];
  const moment = computeSecondMoment(problem, at, nuisances);
  const effects = computeEffects(problem, at, nuisances);
  if (moment === null || effects === null) return null;
  const [byKon, byKoff] = effects;
  const multiply = (left: readonly number[], right: readonly number[]): number =>
    moment.reduce((sum, row, i) => sum + left[i] * computeDot(row, right), 0);
  const found = [multiply(byKon, byKon), multiply(byKon, byKoff), multiply(byKoff, byKoff)] as const;
  return found.every(Number.isFinite) ? found : null;
}

/** Lists the columns of the nuisance parameters, each scaled by the standard deviation of its prior. */
function listNuisances(problem: FitProblem, at: Evaluation): Column[] {
  return [...listLevelColumns(problem), ...listDoseColumns(problem, at), ...listSharedColumns(problem, at)];
}

/** Levels and held drifts of each curve; the part that a common blank brings moves all curves together. */
function listLevelColumns({ curves, offsets, locals }: FitProblem): Column[] {
  const found: Column[] = [];
  const together = new Map<string, Float64Array>();
  for (const [g, curve] of curves.entries()) {
    const [from, to] = [offsets[g], offsets[g + 1]];
    const common = curve.commonNoise ?? 0;
    const add = (name: string, column: Float64Array): void => {
      found.push({ from, to, values: takeScaled(column, Math.sqrt(1 - common)) });
      if (common === 0) return;
      const all = together.get(name) ?? takeZeros(offsets[curves.length]);
      subtractScaled(all.subarray(from, to), column, -Math.sqrt(common));
      together.set(name, all);
    };
    for (const { name, column } of drawLevels(curve)) add(name, column);
    const { drift } = locals[g].held;
    if (drift !== null) add('drift', drift);
  }
  return [...found, ...[...together.values()].map((values) => ({ from: 0, to: values.length, values }))];
}

/** A dose of its own for each curve, or for each injection of a single cycle. */
function listDoseColumns(problem: FitProblem, at: Evaluation): Column[] {
  return problem.curves.flatMap((curve, g) => {
    const [from, to] = [problem.offsets[g], problem.offsets[g + 1]];
    const { injections, doseSe = 0 } = curve;
    if (doseSe === 0) return [];
    // A curve of one injection depends on its dose as on kon.
    const derivatives =
      injections === undefined
        ? [takeCopy(problem.buffers.byLnKon, from, to)]
        : injections.map((_, i) => {
            const scale = (factor: number) =>
              withInjection(curve, i, ({ concentrationM }) => ({ concentrationM: concentrationM * factor }));
            const difference = computeDifference(problem, at, scale(1 + DOSE_STEP), scale(1 - DOSE_STEP));
            return takeScaled(difference, 1 / (2 * DOSE_STEP));
          });
    return derivatives.map((column) => ({ from, to, values: takeScaled(column, at.rmax[g] * doseSe) }));
  });
}

/** Returns the difference of the responses of two variants of a curve at unit Rmax, in zeros that may be given. */
function computeDifference(
  { time }: FitProblem,
  at: Evaluation,
  later: { curve: FitCurve; time?: TimeZero },
  earlier: { curve: FitCurve; time?: TimeZero },
  difference = takeZeros(later.curve.timeS.length),
): Float64Array {
  const rates = { kon: Math.exp(at.lnKon), koff: Math.exp(at.lnKoff) };
  addResponse(later.curve, rates, { time: later.time ?? time, weight: 1 }, difference, 0);
  addResponse(earlier.curve, rates, { time: earlier.time ?? time, weight: -1 }, difference, 0);
  return difference;
}

function withInjection(
  curve: FitCurve,
  index: number,
  change: (injection: Injection) => Partial<Injection>,
): { curve: FitCurve } {
  const injections = curve.injections?.map((each, i) => (i === index ? { ...each, ...change(each) } : each));
  return { curve: { ...curve, injections } };
}

/** The times of start and end, and the analyte left in the buffer, are the same for all curves. */
function listSharedColumns(problem: FitProblem, at: Evaluation): Column[] {
  const { curves, offsets, time } = problem;
  const n = offsets[curves.length];
  const found: Column[] = [];
  const add = (
    sd: number,
    derive: (curve: FitCurve) => [{ curve: FitCurve; time?: TimeZero }, { curve: FitCurve; time?: TimeZero }],
  ): void => {
    if (!(sd > 0)) return;
    const values = takeZeros(n);
    for (const [g, curve] of curves.entries()) {
      const part = values.subarray(offsets[g], offsets[g + 1]);
      const [later, earlier] = derive(curve);
      scaleInPlace(computeDifference(problem, at, later, earlier, part), sd * at.rmax[g]);
    }
    found.push({ from: 0, to: n, values });
  };
  const timeSe = Math.max(...curves.map(({ timeSe: se = 0 }) => se));
  for (const end of ['startS', 'endS'] as const)
    add(timeSe / (2 * TIME_STEP_S), (curve) => [
      { curve, time: { ...time, [end]: time[end] + TIME_STEP_S } },
      { curve, time: { ...time, [end]: time[end] - TIME_STEP_S } },
    ]);
  const leftoverSd = Math.max(...curves.map(({ leftoverSd: sd = 0 }) => sd));
  add(leftoverSd / LEFTOVER_STEP, (curve) => [
    { curve: { ...curve, leftoverFraction: (curve.leftoverFraction ?? 0) + LEFTOVER_STEP } },
    { curve },
  ]);
  return found;
}

/** Returns the second moment of the posterior of the nuisance parameters, in units of their priors. */
function computeSecondMoment(
  problem: FitProblem,
  at: Evaluation,
  nuisances: readonly Column[],
): Matrix | null {
  const { curves, offsets } = problem;
  const n = offsets[curves.length];
  const residual = takeColumn(n);
  for (const [g] of curves.entries()) residual.set(takeRestored(problem, g, problem.residual), offsets[g]);
  const rho = computeLagOneWithin(residual, offsets);
  const turns = findTurns(problem);
  const ends = [...offsets];
  const takeInnovated = ({ from, to, values }: Column): Column => {
    const own = to - from === n ? ends : [0, to - from];
    const innovations = takeInnovations(values, own, rho);
    for (const turn of turns)
      if (turn.from >= from && turn.to <= to) innovations.fill(0, turn.from - from, turn.to - from);
    return { from, to, values: innovations };
  };
  const free = listFreeColumns(problem, at).filter(({ values }) => values.some((value) => value !== 0));
  const known = [...nuisances, ...listHeldColumns(problem, at)];
  const columns = [...known, ...free].map(takeInnovated);
  const left = takeInnovated({ from: 0, to: n, values: residual }).values;
  const variance = computeDot(left, left) / Math.max(1, n - free.length);
  if (!(variance > 0)) return null;
  const q = nuisances.length;
  const normal = multiplyAll(columns);
  for (const [i, row] of normal.entries()) row[i] += i < known.length ? variance : RIDGE * row[i];
  const inverse = invertPositive(normal, q);
  if (inverse === null) return null;
  const along = columns.map(({ from, values }) => computeDot(values, left.subarray(from)));
  const mean = inverse.map((row) => computeDot(row, along));
  return mean.map((one, i) => mean.map((other, j) => variance * inverse[i][j] + one * other));
}

/**
 * Returns the points around the turns: at which point a level changes there is not known to the second, and a change that
 * is expected one point too late would count as seen to be absent.
 */
function findTurns({ curves, offsets, time }: FitProblem): Range[] {
  return curves.flatMap((curve, g) => {
    const { timeS } = curve;
    return listStretches(curve, time).map(({ startS }) => {
      let from = countUpTo(timeS, startS - TURN_S - ROUNDING_S);
      while (from < timeS.length && !(timeS[from] - startS > -TURN_S)) from += 1;
      let to = from;
      while (to < timeS.length && timeS[to] - startS < 2 * TURN_S) to += 1;
      return { from: offsets[g] + from, to: offsets[g] + to };
    });
  });
}

/** Returns the products of all pairs of columns. */
function multiplyAll(columns: readonly Column[]): Matrix {
  const found: Matrix = columns.map(() => []);
  for (const [i, one] of columns.entries())
    for (let j = 0; j <= i;) {
      // Columns that follow each other mostly cover the same points, and are then multiplied together.
      const { from, to } = findOverlap(one, columns[j]);
      let end = j + 1;
      while (end <= i && isSameRange(findOverlap(one, columns[end]), { from, to })) end += 1;
      const parts = columns.slice(j, end).map((other) => cutColumn(other, from, to));
      for (const product of computeDots(cutColumn(one, from, to), parts)) {
        found[i][j] = product;
        found[j][i] = product;
        j += 1;
      }
    }
  return found;
}

/** Returns the points that two columns share; those of an empty range are none. */
function findOverlap(one: Range, other: Range): Range {
  const from = Math.max(one.from, other.from);
  return { from, to: Math.max(from, Math.min(one.to, other.to)) };
}

function isSameRange(one: Range, other: Range): boolean {
  return one.from === other.from && one.to === other.to;
}

function cutColumn({ from, values }: Column, start: number, end: number): Float64Array {
  return values.subarray(start - from, end - from);
}

/** Lists the columns of the parameters without a prior: rates, amplitudes and local terms. */
function listFreeColumns(problem: FitProblem, at: Evaluation): Column[] {
  const { curves, offsets, buffers, locals, remainder, terms } = problem;
  const n = offsets[curves.length];
  const local = locals.flatMap(({ basis }, g) =>
    basis.map((values) => ({ from: offsets[g], to: offsets[g + 1], values })),
  );
  const restore = (column: Float64Array): Column[] =>
    curves.map((_, g) => ({
      from: offsets[g],
      to: offsets[g + 1],
      values: takeRestored(problem, g, column),
    }));
  const join = (parts: readonly Column[]): Column[] => {
    const values = takeColumn(n);
    for (const part of parts) values.set(part.values, part.from);
    return [{ from: 0, to: n, values }];
  };
  const shapes = restore(buffers.shape);
  const scaled = shapes.map((each, g) => ({ ...each, values: takeScaled(each.values, at.rmax[g]) }));
  return [
    ...local,
    ...(terms.heldRmax !== undefined ? join(scaled) : terms.rmax === 'local' ? shapes : join(shapes)),
    ...join(restore(scaleRates(problem, at, buffers.byLnKon, remainder?.byLnKon))),
    ...join(restore(scaleRates(problem, at, buffers.byLnKoff, remainder?.byLnKoff))),
  ];
}

/** Lists what the Rmax of each curve adds to the common one, where its prior holds it. */
function listHeldColumns(
  { curves, offsets, buffers, terms: { heldRmax } }: FitProblem,
  { rmax }: Evaluation,
): Column[] {
  if (heldRmax === undefined) return [];
  return curves.map((_, g) => ({
    from: offsets[g],
    to: offsets[g + 1],
    values: takeScaled(buffers.shape.subarray(offsets[g], offsets[g + 1]), heldRmax.sd * rmax[g]),
  }));
}

/** Like `restoreResidual` with what is held left in it, for the time of a fit. */
function takeRestored({ offsets, locals }: FitProblem, g: number, whitened: Float64Array): Float64Array {
  const restored = takeCopy(whitened, offsets[g], offsets[g + 1]);
  restoreByHeld(locals[g].held.columns, restored);
  return restored;
}

function scaleRates(
  { curves, offsets }: FitProblem,
  at: Evaluation,
  column: Float64Array,
  left: Float64Array | undefined,
): Float64Array {
  const out = takeCopy(column);
  for (const [g] of curves.entries())
    for (let i = offsets[g]; i < offsets[g + 1]; i += 1) out[i] = at.rmax[g] * column[i] + (left?.[i] ?? 0);
  return out;
}

/** Returns by how much each nuisance parameter moves the least-squares ln kon and ln koff. */
function computeEffects(
  problem: FitProblem,
  at: Evaluation,
  nuisances: readonly Column[],
): [number[], number[]] | null {
  const { curves, offsets, buffers, locals, remainder, terms } = problem;
  const n = offsets[curves.length];
  const inverse = invertPositive([
    [at.aa, at.ad],
    [at.ad, at.dd],
  ]);
  if (inverse === null) return null;
  const spans = terms.rmax === 'local' ? curves.map((_, g) => [offsets[g], offsets[g + 1]]) : [[0, n]];
  const rates = [
    scaleRates(problem, at, buffers.byLnKon, remainder?.byLnKon),
    scaleRates(problem, at, buffers.byLnKoff, remainder?.byLnKoff),
  ];
  const { heldRmax } = terms;
  const reduced = rates.map((rate) =>
    heldRmax ? reduceByHeldRmax(problem, heldRmax, { column: rate, rmax: at.rmax }).values : rate,
  );
  for (const rate of reduced) {
    for (const [from, to] of heldRmax ? [] : spans) {
      const shape = buffers.shape.subarray(from, to);
      const square = computeDot(shape, shape);
      const times = square > 0 ? computeDot(shape, rate.subarray(from, to)) / square : 0;
      for (let i = from; i < to; i += 1) rate[i] -= times * buffers.shape[i];
    }
    // The fit compares whitened columns with whitened data, so the errors enter by columns that are whitened twice.
    for (const [g, { held }] of locals.entries()) reduceByHeldAgain(held.columns, rate, offsets[g]);
  }
  const moved = nuisances.map(({ from, values }) =>
    computeDots(
      values,
      reduced.map((rate) => rate.subarray(from)),
    ),
  );
  return [
    moved.map(([a, d]) => inverse[0][0] * a + inverse[0][1] * d),
    moved.map(([a, d]) => inverse[1][0] * a + inverse[1][1] * d),
  ];
}

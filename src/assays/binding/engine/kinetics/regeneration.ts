/**
 * Complex that an incomplete regeneration leaves on the surface: it is the start of the next curve and dissociates in it.
 * The level of each baseline above the lowest one says how much there is, unless the baseline drifts; the curves decide.
 */
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { BindingSettings } from '../settings.ts';
import { EVIDENCE_MIN } from './evidence.ts';
import { finishFit, solveKinetics } from './fit.ts';
import type { KineticFit, SolvedFit } from './fit.ts';
import { computeGain, solveOneToOne } from './one-to-one.ts';
import type { OneToOne } from './one-to-one.ts';
import { describeOtherKd } from './other-kd.ts';
import type { RmaxRule } from './local-basis.ts';
import type { ProcessedCurve } from './process.ts';

export interface OnSurface<Fit = KineticFit> extends OneToOne<Fit> {
  /** What complex left of the cycle before asks for; null where there is none. */
  leftComplex: Flag | null;
}

/** Levels that differ by less than this, in standard errors, are the same. */
const LEVEL_SE_MIN = 5;
/** Less complex than this fraction of the highest response moves nothing. */
const LEFT_FRACTION_MIN = 2e-3;
/** A fit that is exact to rounding leaves nothing to explain. */
const EXACT_RMS_PCT = 1e-3;
/** A larger change of KD is a warning. */
const KD_CHANGE_MAX = 0.04;

/** Fits 1:1 binding, with the complex in the baselines as its start where the curves show that it is complex. */
export function fitOnSurface(...of: Parameters<typeof solveOnSurface>): OnSurface {
  const solved = solveOnSurface(...of);
  return { ...solved, fit: finishFit(solved.fit) };
}

function solveOnSurface(
  curves: readonly ProcessedCurve[],
  settings: BindingSettings,
  rmax: RmaxRule,
): OnSurface<SolvedFit> {
  const empty = solveOneToOne(curves, settings, rmax);
  const found = { ...empty, leftComplex: null };
  if (settings.regeneration !== 'check' || empty.fit.rmsPctRmax < EXACT_RMS_PCT || !isLevelRaised(curves))
    return found;
  const started = curves.map((curve) => ({
    ...curve,
    fit: { ...curve.fit, initialSignal: Math.max(0, curve.leftSignal) },
  }));
  const solvePlainly = (of: readonly ProcessedCurve[]): SolvedFit =>
    solveKinetics(
      of.map((curve) => curve.fit),
      { ...empty.options, timeZero: undefined, extraParameters: 0, start: empty.fit },
    );
  const [without, within] = [curves, started].map(solvePlainly);
  if (!(computeGain(without, within) > EVIDENCE_MIN)) return found;
  const { fit, ...rest } = solveOneToOne(started, settings, rmax);
  const isSamePoints = fit.n === empty.fit.n;
  if (isSamePoints && !(computeGain(empty.fit, fit) > 0)) return found;
  return { ...rest, fit, leftComplex: flagLeftComplex(curves, fit, empty.fit) };
}

function isLevelRaised(curves: readonly ProcessedCurve[]): boolean {
  const highest = Math.max(...curves.map(({ response }) => response));
  return curves.some(
    ({ leftSignal, fit }) =>
      leftSignal > LEFT_FRACTION_MIN * highest && leftSignal > LEVEL_SE_MIN * (fit.alignmentSe ?? 0),
  );
}

function flagLeftComplex(curves: readonly ProcessedCurve[], fit: SolvedFit, empty: SolvedFit): Flag {
  const most = Math.max(...curves.map(({ leftSignal }) => leftSignal));
  const message =
    `Before a cycle up to ${most.toPrecision(2)} of complex was left on the surface, and it dissociates in the next curve: ` +
    `it was made part of the fit. Without it ${describeOtherKd(empty)}.`;
  const change = Math.abs(Math.log(fit.kdM / empty.kdM));
  const severity = change > KD_CHANGE_MAX ? 'warning' : 'info';
  return createFlag('REGENERATION_INCOMPLETE', severity, message, { value: most });
}

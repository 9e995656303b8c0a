/** Returns a fit as plain numbers, for the record. */
import type { FitSummary, Grade } from '../../affinity/types.ts';
import type { Measurement } from './measure.ts';
import type { ProcessedGroup } from './plate.ts';
import type { ProcessedCurve } from './process.ts';
import type { RmaxRule } from './problem.ts';
import type { SteadyStateFit } from './steady-state.ts';

export function summaryOf(
  measurement: Measurement,
  curves: readonly ProcessedCurve[],
  { rmaxRule, processed }: { rmaxRule: RmaxRule; processed: ProcessedGroup },
): FitSummary {
  const { kinetic: fit, steadyState, choice } = measurement;
  const common = {
    candidates: choice.candidates,
    singleCycle: curves.some((curve) => curve.fit.injections !== undefined),
    rmaxRule,
    referenceRule: processed.rule,
    timeZero: fit.timeZero,
    associationS: Math.max(...curves.map((curve) => curve.fit.associationS)),
    dissociationS: Math.max(...curves.map((curve) => curve.dissociationS)),
  };
  if (measurement.fitKind === 'steady_state' && steadyState !== null) return ofIsotherm(steadyState, common);
  return {
    ...common,
    kind: 'kinetic',
    model: choice.model,
    sites: choice.sites,
    drift: choice.options.drift,
    bulkShift: choice.options.bulkShift,
    konPerMS: fit.kon,
    koffPerS: fit.koff,
    kdM: fit.kdM,
    rmax: fit.curves.map((each, g) => ({
      concentrationM: curves[g].concentrationM,
      value: each.rmax,
      se: nullable(each.rmaxSe),
    })),
    seLnKon: nullable(fit.seLnKon),
    seLnKoff: nullable(fit.seLnKoff),
    seLnKd: nullable(fit.seLnKd),
    seInflation: fit.widening.kd,
    correlation: nullable(fit.correlation),
    conditionNumber: nullable(fit.conditionNumber),
    profile: fit.profile,
    r2: fit.r2,
    chi2: fit.chi2,
    rms: fit.rms,
    rmsPctRmax: nullable(fit.rmsPctRmax),
    durbinWatson: fit.durbinWatson,
    points: fit.n,
    parameters: fit.p,
    converged: fit.converged,
  };
}

type Common = Pick<
  FitSummary,
  'candidates' | 'singleCycle' | 'rmaxRule' | 'referenceRule' | 'timeZero' | 'associationS' | 'dissociationS'
>;

function ofIsotherm(steadyState: SteadyStateFit, common: Common): FitSummary {
  return {
    ...common,
    kind: 'steady_state',
    model: 'steady_state',
    sites: [],
    drift: false,
    bulkShift: false,
    rmaxRule: 'global',
    konPerMS: null,
    koffPerS: null,
    kdM: steadyState.kdM,
    rmax: steadyState.points.map(({ concentrationM }) => ({
      concentrationM,
      value: steadyState.rmax,
      se: 0,
    })),
    seLnKon: null,
    seLnKoff: null,
    seLnKd: nullable(steadyState.seLnKd),
    seInflation: null,
    correlation: null,
    conditionNumber: null,
    profile: null,
    r2: steadyState.r2,
    chi2: null,
    rms: null,
    rmsPctRmax: null,
    durbinWatson: null,
    points: steadyState.points.length,
    parameters: steadyState.parameters,
    converged: true,
  };
}

function nullable(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export function gradeOf(fit: FitSummary): Grade {
  const rms = fit.rmsPctRmax ?? 0;
  if (fit.r2 >= 0.98 && rms <= 2.5) return 'good';
  return fit.r2 >= 0.95 && rms <= 5 ? 'fair' : 'poor';
}

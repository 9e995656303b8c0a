/** Returns a fit as plain numbers, for the record. */
import type { Site } from './alternative-fit.ts';
import type { BindingModel, Candidate } from './evidence.ts';
import type { ProfileInterval } from './fit.ts';
import type { DriftSource } from './drift-prior.ts';
import type { FitKind, Measurement } from './measure.ts';
import type { TimeZero } from './model.ts';
import type { ProcessedGroup } from './plate.ts';
import type { ReferenceRule } from './reference-rule.ts';
import type { ProcessedCurve } from './process.ts';
import type { RmaxRule } from './local-basis.ts';
import type { SteadyStateFit } from './steady-state.ts';

export type Grade = 'good' | 'fair' | 'poor';

export interface FitSummary {
  kind: FitKind;
  /** The fitted model: chosen by evidence or required by the settings. */
  model: BindingModel | 'steady_state';
  /** Every model that was fitted, with its evidence against 1:1. */
  candidates: Candidate[];
  /** Kinds of binding sites, the larger fraction first; only for a heterogeneous ligand. */
  sites: Site[];
  /** All concentrations were injected one after another over one surface. */
  singleCycle: boolean;
  /** `pooled`: one per curve, held to a common one. */
  rmaxRule: RmaxRule | 'pooled';
  referenceRule: ReferenceRule;
  /**
   * Whether a drift or a refractive-index step per curve was part of the fit, required by the settings or chosen by
   * evidence.
   */
  drift: boolean;
  /** The fitted drift of the largest size, in signal/s; null where none was fitted. */
  driftPerS: number | null;
  /** Where the drift is known from: the sensors and baselines that hold it, `fit` for a free one. */
  driftSource: DriftSource | 'fit';
  bulkShift: boolean;
  /** Best values of the fit, before they are replaced by limits. */
  konPerMS: number | null;
  koffPerS: number | null;
  kdM: number;
  /** Rmax per fitted curve and its standard error in the signal unit, with ascending concentration. */
  rmax: { concentrationM: number; value: number; se: number | null }[];
  /**
   * Standard errors of ln kon, ln koff, ln KD from the covariance, and the factor by which correlated noise widens
   * that of ln KD.
   */
  seLnKon: number | null;
  seLnKoff: number | null;
  seLnKd: number | null;
  seInflation: number | null;
  correlation: number | null;
  conditionNumber: number | null;
  profile: ProfileInterval | null;
  r2: number;
  chi2: number | null;
  rms: number | null;
  rmsPctRmax: number | null;
  durbinWatson: number | null;
  points: number;
  parameters: number;
  converged: boolean;
  timeZero: TimeZero;
  /** Fitted windows, in s. */
  associationS: number;
  dissociationS: number;
}

export function summarizeMeasurement(
  measurement: Measurement,
  curves: readonly ProcessedCurve[],
  processed: ProcessedGroup,
): FitSummary {
  const { kinetic: fit, steadyState, choice } = measurement;
  const common = {
    candidates: choice.candidates,
    singleCycle: curves.some((curve) => curve.fit.injections !== undefined),
    rmaxRule: choice.options.heldRmax === undefined ? choice.options.rmax : ('pooled' as const),
    referenceRule: processed.rule,
    timeZero: fit.timeZero,
    associationS: Math.max(...curves.map((curve) => curve.fit.associationS)),
    dissociationS: Math.max(...curves.map((curve) => curve.dissociationS)),
  };
  if (measurement.fitKind === 'steady_state' && steadyState !== null)
    return summarizeIsotherm(steadyState, common);
  const driftPerS = findLargestDrift(fit.curves.map(({ linear }) => linear.drift));
  return {
    ...common,
    kind: 'kinetic',
    model: choice.model,
    sites: choice.sites,
    drift: choice.options.drift || driftPerS !== null,
    driftPerS,
    driftSource: choice.options.drift ? 'fit' : processed.driftSource,
    bulkShift: choice.options.bulkShift,
    konPerMS: fit.kon,
    koffPerS: fit.koff,
    kdM: fit.kdM,
    rmax: fit.curves.map((each, g) => ({
      concentrationM: curves[g].concentrationM,
      value: each.rmax,
      se: toNullable(each.rmaxSe),
    })),
    seLnKon: toNullable(fit.seLnKon),
    seLnKoff: toNullable(fit.seLnKoff),
    seLnKd: toNullable(fit.seLnKd),
    seInflation: fit.widening.kd,
    correlation: toNullable(fit.correlation),
    conditionNumber: toNullable(fit.conditionNumber),
    profile: fit.profile,
    r2: fit.r2,
    chi2: fit.chi2,
    rms: fit.rms,
    rmsPctRmax: toNullable(fit.rmsPctRmax),
    durbinWatson: fit.durbinWatson,
    points: fit.n,
    parameters: fit.p,
    converged: fit.converged,
  };
}

/** A held drift that no sensor of the plate shows is zero in every curve. */
function findLargestDrift(slopesPerS: readonly (number | undefined)[]): number | null {
  const fitted = slopesPerS.flatMap((slope) => (slope === undefined || slope === 0 ? [] : [slope]));
  if (fitted.length === 0) return null;
  return fitted.reduce((most, slope) => (Math.abs(slope) > Math.abs(most) ? slope : most));
}

type Common = Pick<
  FitSummary,
  'candidates' | 'singleCycle' | 'rmaxRule' | 'referenceRule' | 'timeZero' | 'associationS' | 'dissociationS'
>;

function summarizeIsotherm(steadyState: SteadyStateFit, common: Common): FitSummary {
  return {
    ...common,
    kind: 'steady_state',
    model: 'steady_state',
    sites: [],
    drift: false,
    driftPerS: null,
    driftSource: 'none',
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
    seLnKd: toNullable(steadyState.seLnKd),
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

function toNullable(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export function gradeFit(fit: FitSummary): Grade {
  const rms = fit.rmsPctRmax ?? 0;
  if (fit.r2 >= 0.98 && rms <= 2.5) return 'good';
  return fit.r2 >= 0.95 && rms <= 5 ? 'fair' : 'poor';
}

/**
 * Converts the analysis of affinity and screening to the wire: one record per sequence, with the contract's summary
 * row.
 */
import type {
  AffinityAnalysis,
  FitSummary,
  ReplicateAffinity,
  SequenceAffinity,
} from '#analysis/assays/affinity/types.ts';
import type {
  ReplicateScreening,
  ScreeningAnalysis,
  SequenceScreening,
} from '#analysis/assays/screening/types.ts';
import type { Quantity as MeasuredQuantity } from '#analysis/quantities/quantity.ts';
import type { ResultDetails } from '#domain/results/details.ts';
import { joinPackedCurves } from '#domain/results/packed-curves.ts';
import type { AffinityReplicate, AffinityResult } from '#domain/results/contract.ts';
import {
  codesOf,
  comparisonsOf,
  findOrdered,
  interval,
  isPositiveControl,
  present,
  recordOf,
  recordsOf,
  relationOf,
  type ResultSubject,
  UNTESTED,
  type WireResult,
} from '../result-record.ts';

type BindingAnalysis = AffinityAnalysis | ScreeningAnalysis;

/** The method is given as not tested when no file has a trace of the sequence. */
function untestedResult(analysis: BindingAnalysis, subject: ResultSubject): WireResult {
  return {
    outcome: 'not_tested',
    bindingScore: null,
    summary: [{ ...emptyRow(subject), binding: 'unknown', binding_strength: 'unknown' }],
    record: recordOf(analysis, subject, UNTESTED, {}),
    packedCurves: packedCurvesOf(analysis, []),
  };
}

export function affinityResult(analysis: AffinityAnalysis, subject: ResultSubject): WireResult {
  const found = findOrdered(analysis, subject.sequenceName);
  if (found === undefined) return untestedResult(analysis, subject);
  const quantities = present({
    kd: found.kd,
    kon: found.kon,
    koff: found.koff,
    rmax: found.rmax,
    kd_steady_state: found.kdSteadyState,
  });
  const details: ResultDetails = {
    kd_arithmetic_mean_m: found.kdArithmeticMeanM,
    kd_geometric_cv: found.kdGeometricCv,
    fit_kind: found.fitKind,
    models: found.replicates.flatMap(modelOf),
    r2: found.r2,
    chi2: found.chi2,
    concentrations_m: found.concentrationsM,
    comparisons: comparisonsOf(found.performance),
  };
  return {
    outcome: found.outcome,
    bindingScore: found.bindingScore,
    summary: [affinityRow(found, subject)],
    record: { ...recordOf(analysis, subject, found, quantities), details },
    packedCurves: packedCurvesOf(analysis, found.replicates),
  };
}

/** How the model of a replicate was chosen, its fitted values, and the details that qualify its interval. */
function modelOf({ replicate, plate, fit }: ReplicateAffinity): NonNullable<ResultDetails['models']> {
  if (fit === null) return [];
  return [
    {
      replicate,
      plate,
      model: fit.model,
      fit_kind: fit.kind,
      candidates: fit.candidates.map(({ deltaBic, kdM, ...rest }) => ({
        ...rest,
        delta_bic: deltaBic,
        kd_m: kdM,
      })),
      sites: recordsOf(fit.sites),
      single_cycle: fit.singleCycle,
      reference_rule: fit.referenceRule,
      rmax_rule: fit.rmaxRule,
      drift: fit.drift,
      bulk_shift: fit.bulkShift,
      association_s: fit.associationS,
      dissociation_s: fit.dissociationS,
      time_zero: { start_s: fit.timeZero.startS, end_s: fit.timeZero.endS },
      identifiability: {
        correlation: fit.correlation,
        condition_number: fit.conditionNumber,
        profile: fit.profile,
      },
      se_inflation: fit.seInflation,
    },
  ];
}

function affinityRow(found: SequenceAffinity, subject: ResultSubject): AffinityResult {
  return {
    ...emptyRow(subject),
    positive_control: isPositiveControl(subject, found),
    binding: bindingWord(found.binding),
    binding_strength: strengthWord(found.binding, found.bindingStrength),
    binding_model: found.kd === null ? null : found.models,
    expression: found.expression,
    fit_quality: found.fitQuality,
    kd_app: interval(found.kd),
    kd_mean: found.kd?.value ?? null,
    kd_arithmetic_mean: found.kdArithmeticMeanM,
    kd_log_std: found.kd?.log10Sd ?? null,
    kd_relation: relationOf(found.kd),
    koff_1to1: interval(found.koff),
    koff_mean: found.koff?.value ?? null,
    koff_relation: relationOf(found.koff),
    koff_log_std: found.koff?.log10Sd ?? null,
    kon_1to1: interval(found.kon),
    kon_mean: found.kon?.value ?? null,
    kon_relation: relationOf(found.kon),
    kon_log_std: found.kon?.log10Sd ?? null,
    place: found.place,
    performance: Object.fromEntries(found.performance.map(({ control, verdict }) => [control, verdict])),
    rmse_max_signal_pct: found.rmsPctRmax,
    replicates: found.replicates.map((replicate) => affinityReplicate(replicate, subject)),
    ...topConcentration(found.concentrationsM),
  };
}

function affinityReplicate(replicate: ReplicateAffinity, subject: ResultSubject): AffinityReplicate {
  return {
    ...replicateCommon(replicate, subject),
    fit_quality: replicate.fitQuality,
    kd: replicate.kd?.value ?? null,
    kd_relation: relationOf(replicate.kd),
    kd_app: interval(replicate.kd),
    koff: replicate.koff?.value ?? null,
    koff_relation: relationOf(replicate.koff),
    koff_1to1: interval(replicate.koff),
    koff_method: methodOf(replicate.koff, replicate.fit),
    kon: replicate.kon?.value ?? null,
    kon_relation: relationOf(replicate.kon),
    kon_1to1: interval(replicate.kon),
    kon_method: methodOf(replicate.kon, replicate.fit),
    rmse_max_signal_pct: replicate.fit?.rmsPctRmax ?? null,
    r2: replicate.fit?.r2 ?? null,
    model: replicate.fit?.model ?? null,
    drift: replicate.fit?.drift ?? null,
    association_s: replicate.fit?.associationS ?? null,
    dissociation_s: replicate.fit?.dissociationS ?? null,
  };
}

/** Names such as `global_1to1` or `global_mass_transport`: all concentrations at once, by that model. */
function methodOf(quantity: MeasuredQuantity | null, fit: FitSummary | null): string | null {
  return quantity === null || fit === null ? null : `global_${fit.model.replace('1:1', '1to1')}`;
}

export function screeningResult(analysis: ScreeningAnalysis, subject: ResultSubject): WireResult {
  const found = findOrdered(analysis, subject.sequenceName);
  if (found === undefined) return untestedResult(analysis, subject);
  const details = {
    response: found.response,
    response_sd: found.responseSd,
    response_unit: found.responseUnit,
    threshold: found.threshold,
    z_score: found.zScore,
    loading_level: found.loadingLevel,
    pct_theoretical_rmax: found.pctTheoreticalRmax,
    concentrations_m: found.concentrationsM,
  };
  return {
    outcome: found.outcome,
    bindingScore: found.bindingScore,
    summary: [{ ...screeningRow(found, subject), ...details }],
    record: { ...recordOf(analysis, subject, found, present({ kd_estimate: found.kdEstimate })), details },
    packedCurves: packedCurvesOf(analysis, found.replicates),
  };
}

/** A screening decides yes or no; its rough KD stays in `kd_estimate` and never fills the measured fields. */
function screeningRow(found: SequenceScreening, subject: ResultSubject): AffinityResult {
  return {
    ...emptyRow(subject),
    positive_control: isPositiveControl(subject, found),
    binding: bindingWord(found.binding),
    binding_strength: strengthWord(found.binding, found.bindingStrength),
    expression: found.expression,
    place: found.place,
    replicates: found.replicates.map((replicate) => ({
      ...replicateCommon(replicate, subject),
      z_score: replicate.zScore,
      threshold: replicate.threshold,
    })),
    ...topConcentration(found.concentrationsM),
  };
}

function replicateCommon(
  replicate: ReplicateAffinity | ReplicateScreening,
  subject: ResultSubject,
): AffinityReplicate {
  return {
    replicate: replicate.replicate,
    plate: replicate.plate,
    well: replicate.wells[0] ?? null,
    binding: bindingWord(replicate.binding),
    outcome: replicate.outcome,
    confidence: replicate.confidence,
    expression: replicate.expression,
    method: subject.method,
    response: replicate.response,
    reference_rule: replicate.referenceRule,
    flags: codesOf(replicate.flags),
  };
}

function emptyRow(subject: ResultSubject): AffinityResult {
  return {
    result_type: 'affinity',
    binding_strength: 'unknown',
    kd_units: 'M',
    method: subject.method === null ? null : [subject.method],
    performance: {},
    positive_control: subject.isControl,
    replicates: [],
    sequence: { name: subject.sequenceName, aa_string: subject.aaString, control: subject.isControl },
    target: subject.target,
    target_id: subject.target?.target_catalog_id ?? null,
  };
}

/** The four words of the contract: true, false, inconclusive, unknown. */
function bindingWord(binding: SequenceAffinity['binding']): string {
  if (binding === 'binder') return 'true';
  return binding === 'non_binder' ? 'false' : binding;
}

function strengthWord(
  binding: SequenceAffinity['binding'],
  strength: SequenceAffinity['bindingStrength'],
): string {
  if (strength !== null) return strength;
  return binding === 'non_binder' ? 'none' : 'unknown';
}

function topConcentration(concentrationsM: readonly number[]) {
  if (concentrationsM.length === 0) return {};
  const topM = Math.max(...concentrationsM);
  return { concentration_value: topM, concentration_display: `${Number((topM * 1e9).toPrecision(4))} nM` };
}

function packedCurvesOf(
  analysis: BindingAnalysis,
  replicates: readonly (ReplicateAffinity | ReplicateScreening)[],
): Uint8Array {
  const parts = replicates.flatMap(({ curves, packedCurves }) => {
    if (curves.length > 0) throw new Error('curves come packed from the worker that fitted them');
    return packedCurves ?? [];
  });
  return joinPackedCurves(analysis.plates[0]?.signalUnit ?? 'nm', parts);
}

import type { AffinityAnalysis, ReplicateAffinity, SequenceAffinity } from './engine/types.ts';
import { bindingSettings, getSignalUnit } from '../binding/record.ts';
import { collectControlValues, LOG10_MOLAR, readLog10 } from '../control-values.ts';
import {
  type ResultAssay,
  buildComparisons,
  describePerformance,
  findOrdered,
  toInterval,
  toWireQuantities,
  buildRecord,
  toWireRecords,
  findRelation,
  type ResultSubject,
  type WireResult,
} from '../result-record.ts';
import type { AffinityReplicate, AffinityResult } from '#features/results/contract.ts';
import type { ResultDetails } from '#features/results/details.ts';
import { getFitName, getModelKind } from '../binding/published.ts';
import {
  describeBinding,
  collectPackedCurves,
  buildReplicateCommon,
  createUntestedResult,
} from '../binding/result.ts';

export const affinityResult: ResultAssay<AffinityAnalysis> = {
  ...bindingSettings,
  listNotices: ({ notices }) => notices,
  listLeftOut: ({ leftOut }) => leftOut,
  listControlValues: (found) =>
    collectControlValues(found, [
      { quantity: 'kd', unit: LOG10_MOLAR, read: ({ kd }) => readLog10(kd) },
      { quantity: 'signal', unit: getSignalUnit(found), read: ({ response }) => response },
    ]),
  present: buildAffinityResult,
};

/** From what an affinity analysis found to what the wire shows: one record per sequence, with the contract's summary row. */
function buildAffinityResult(analysis: AffinityAnalysis, subject: ResultSubject): WireResult {
  const sequenceAnalysis = findOrdered(analysis, subject.sequence_name);
  if (sequenceAnalysis === undefined) return createUntestedResult(analysis, subject);
  const quantities = toWireQuantities({
    kd: sequenceAnalysis.kd,
    kon: sequenceAnalysis.kon,
    koff: sequenceAnalysis.koff,
    rmax: sequenceAnalysis.rmax,
    kd_steady_state: sequenceAnalysis.kdSteadyState,
  });
  const details: ResultDetails = {
    kd_arithmetic_mean_m: sequenceAnalysis.kdArithmeticMeanM,
    kd_geometric_cv: sequenceAnalysis.kdGeometricCv,
    fit_kind: sequenceAnalysis.fitKind,
    models: sequenceAnalysis.replicates.flatMap(describeModel),
    r2: sequenceAnalysis.r2,
    chi2: sequenceAnalysis.chi2,
    concentrations_m: sequenceAnalysis.concentrationsM,
    comparisons: buildComparisons(sequenceAnalysis.performance),
  };
  return {
    outcome: sequenceAnalysis.outcome,
    binding_score: sequenceAnalysis.bindingScore,
    rank_range: sequenceAnalysis.rankRange,
    summary: [buildAffinityRow(sequenceAnalysis, subject)],
    record: { ...buildRecord(analysis, subject, sequenceAnalysis, quantities), details },
    packed_curves: collectPackedCurves(analysis, sequenceAnalysis.replicates),
  };
}

/** How the model of a replicate was chosen, its fitted values, and the details that qualify its interval. */
function describeModel({ replicate, plate, fit }: ReplicateAffinity): NonNullable<ResultDetails['models']> {
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
      sites: toWireRecords(fit.sites),
      single_cycle: fit.singleCycle,
      reference_rule: fit.referenceRule,
      rmax_rule: fit.rmaxRule,
      drift: fit.drift,
      drift_per_s: fit.driftPerS,
      drift_source: fit.driftSource,
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

function buildAffinityRow(found: SequenceAffinity, subject: ResultSubject): AffinityResult {
  return {
    ...describeBinding(found, subject),
    binding_model: found.kd === null ? null : listDistinct(found.models.map(getModelKind)),
    method: found.kd === null ? null : listDistinct(found.models.map(getFitName)),
    model: found.kd === null ? null : found.models,
    fit_quality: found.fitQuality,
    kd_app: toInterval(found.kd),
    kd_mean: found.kd?.value ?? null,
    kd_arithmetic_mean: found.kdArithmeticMeanM,
    kd_log_std: found.kd?.log10Sd ?? null,
    kd_relation: findRelation(found.kd),
    koff_1to1: toInterval(found.koff),
    koff_mean: found.koff?.value ?? null,
    koff_relation: findRelation(found.koff),
    koff_log_std: found.koff?.log10Sd ?? null,
    kon_1to1: toInterval(found.kon),
    kon_mean: found.kon?.value ?? null,
    kon_relation: findRelation(found.kon),
    kon_log_std: found.kon?.log10Sd ?? null,
    ...describePerformance(found.performance),
    rmse_max_signal_pct: found.rmsPctRmax,
    replicates: found.replicates.map((replicate) => buildAffinityReplicate(replicate, subject)),
  };
}

function buildAffinityReplicate(replicate: ReplicateAffinity, subject: ResultSubject): AffinityReplicate {
  const method = replicate.fit === null ? null : getFitName(replicate.fit.model);
  return {
    ...buildReplicateCommon(replicate, subject),
    fit_quality: replicate.fitQuality,
    kd: replicate.kd?.value ?? null,
    kd_relation: findRelation(replicate.kd),
    kd_app: toInterval(replicate.kd),
    koff: replicate.koff?.value ?? null,
    koff_relation: findRelation(replicate.koff),
    koff_1to1: toInterval(replicate.koff),
    koff_method: replicate.koff === null ? null : method,
    kon: replicate.kon?.value ?? null,
    kon_relation: findRelation(replicate.kon),
    kon_1to1: toInterval(replicate.kon),
    kon_method: replicate.kon === null ? null : method,
    method,
    rmse_max_signal_pct: replicate.fit?.rmsPctRmax ?? null,
    rmax: replicate.rmax?.value ?? null,
    rmax_relation: findRelation(replicate.rmax),
    rmax_rule: replicate.fit?.rmaxRule ?? null,
    chi2: replicate.fit?.chi2 ?? null,
    r2: replicate.fit?.r2 ?? null,
    model: replicate.fit?.model ?? null,
    drift: replicate.fit?.drift ?? null,
    drift_per_s: replicate.fit?.driftPerS ?? null,
    drift_source: replicate.fit?.driftSource ?? null,
    association_s: replicate.fit?.associationS ?? null,
    dissociation_s: replicate.fit?.dissociationS ?? null,
  };
}

function listDistinct<Word extends string>(words: readonly Word[]): Word[] {
  return [...new Set(words)];
}

import { toWireNames } from '#core/records.ts';
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
  const { kd, kon, koff, rmax, kdSteadyState } = sequenceAnalysis;
  const quantities = toWireQuantities(toWireNames({ kd, kon, koff, rmax, kdSteadyState }));
  const { kdArithmeticMeanM, kdGeometricCv, fitKind, r2, chi2, concentrationsM } = sequenceAnalysis;
  const details: ResultDetails = {
    ...toWireNames({ kdArithmeticMeanM, kdGeometricCv, fitKind, r2, chi2, concentrationsM }),
    models: sequenceAnalysis.replicates.flatMap(describeModel),
    comparisons: buildComparisons(sequenceAnalysis.performance),
  };
  const { outcome, bindingScore, rankRange } = sequenceAnalysis;
  return {
    outcome,
    ...toWireNames({ bindingScore, rankRange }),
    summary: [buildAffinityRow(sequenceAnalysis, subject)],
    record: { ...buildRecord(analysis, subject, sequenceAnalysis, quantities), details },
    packed_curves: collectPackedCurves(analysis, sequenceAnalysis.replicates),
  };
}

/** How the model of a replicate was chosen, its fitted values, and the details that qualify its interval. */
function describeModel({ replicate, plate, fit }: ReplicateAffinity): NonNullable<ResultDetails['models']> {
  if (fit === null) return [];
  const { singleCycle, referenceRule, rmaxRule, drift, driftPerS, driftSource, bulkShift } = fit;
  const { associationS, dissociationS, seInflation, correlation, conditionNumber, profile } = fit;
  return [
    {
      replicate,
      plate,
      model: fit.model,
      fit_kind: fit.kind,
      candidates: fit.candidates.map(toWireNames),
      sites: fit.sites.map(toWireNames),
      ...toWireNames({ singleCycle, referenceRule, rmaxRule, drift, driftPerS, driftSource, bulkShift }),
      ...toWireNames({ associationS, dissociationS, seInflation }),
      time_zero: { start_s: fit.timeZero.startS, end_s: fit.timeZero.endS },
      identifiability: toWireNames({ correlation, conditionNumber, profile }),
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

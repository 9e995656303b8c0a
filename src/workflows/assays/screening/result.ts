/** From what a screening found to what the wire shows: one record per sequence, with the contract's summary row. */
import type { ScreeningAnalysis, SequenceScreening } from '#analysis/assays/screening/types.ts';
import type { AffinityResult } from '#domain/results/contract.ts';
import {
  describeBinding,
  collectPackedCurves,
  buildReplicateCommon,
  createUntestedResult,
} from '../binding/result.ts';
import { findOrdered, present, buildRecord, type ResultSubject, type WireResult } from '../result-record.ts';

export function buildScreeningResult(analysis: ScreeningAnalysis, subject: ResultSubject): WireResult {
  const found = findOrdered(analysis, subject.sequenceName);
  if (found === undefined) return createUntestedResult(analysis, subject);
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
    summary: [{ ...buildScreeningRow(found, subject), ...details }],
    record: { ...buildRecord(analysis, subject, found, present({ kd_estimate: found.kdEstimate })), details },
    packedCurves: collectPackedCurves(analysis, found.replicates),
  };
}

/** A screening decides yes or no; its rough KD stays in `kd_estimate` and never fills the measured fields. */
function buildScreeningRow(found: SequenceScreening, subject: ResultSubject): AffinityResult {
  return {
    ...describeBinding(found, subject),
    replicates: found.replicates.map((replicate) => ({
      ...buildReplicateCommon(replicate, subject),
      z_score: replicate.zScore,
      threshold: replicate.threshold,
    })),
  };
}

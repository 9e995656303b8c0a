/** What results of affinity and screening have in common on the wire. */
import type {
  Binding,
  BindingAnalysis,
  BindingReplicate,
  BindingSequence,
  BindingStrength,
} from '#analysis/assays/binding/types.ts';
import { joinPackedCurves } from '#domain/results/packed-curves.ts';
import type { AffinityReplicate, AffinityResult } from '#domain/results/contract.ts';
import {
  codesOf,
  isPositiveControl,
  recordOf,
  type ResultSubject,
  UNTESTED,
  type WireResult,
} from '../result-record.ts';

/** The method is given as not tested when no file has a trace of the sequence. */
export function untestedResult(analysis: BindingAnalysis, subject: ResultSubject): WireResult {
  return {
    outcome: 'not_tested',
    bindingScore: null,
    summary: [{ ...emptyRow(subject), binding: 'unknown', binding_strength: 'unknown' }],
    record: recordOf(analysis, subject, UNTESTED, {}),
    packedCurves: packedCurvesOf(analysis, []),
  };
}

/** The row of a sequence, as far as it does not depend on the assay. */
export function describeBinding(found: BindingSequence, subject: ResultSubject): AffinityResult {
  return {
    ...emptyRow(subject),
    positive_control: isPositiveControl(subject, found),
    binding: bindingWord(found.binding),
    binding_strength: strengthWord(found.binding, found.bindingStrength),
    expression: found.expression,
    place: found.place,
    ...topConcentration(found.concentrationsM),
  };
}

export function replicateCommon(replicate: BindingReplicate, subject: ResultSubject): AffinityReplicate {
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

export function packedCurvesOf(
  analysis: BindingAnalysis,
  replicates: readonly BindingReplicate[],
): Uint8Array {
  const parts = replicates.flatMap(({ curves, packedCurves }) => {
    if (curves.length > 0) throw new Error('curves come packed from the worker that fitted them');
    return packedCurves ?? [];
  });
  return joinPackedCurves(analysis.plates[0]?.signalUnit ?? 'nm', parts);
}

/** The four words of the contract: true, false, inconclusive, unknown. */
function bindingWord(binding: Binding): string {
  if (binding === 'binder') return 'true';
  return binding === 'non_binder' ? 'false' : binding;
}

function strengthWord(binding: Binding, strength: BindingStrength | null): string {
  if (strength !== null) return strength;
  return binding === 'non_binder' ? 'none' : 'unknown';
}

function topConcentration(concentrationsM: readonly number[]) {
  if (concentrationsM.length === 0) return {};
  const topM = Math.max(...concentrationsM);
  return { concentration_value: topM, concentration_display: `${Number((topM * 1e9).toPrecision(4))} nM` };
}

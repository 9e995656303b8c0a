/** What results of affinity and screening have in common on the wire. */
import { toWireNames } from '#core/records.ts';
import type {
  Binding,
  BindingAnalysis,
  BindingReplicate,
  BindingSequence,
  BindingStrength,
} from './engine/types.ts';
import type { KeptCurves } from '#analysis/curves/packed-curves.ts';
import { joinPackedCurves } from '#features/results/packed-curves.ts';
import type { AffinityReplicate, AffinityResult } from '#features/results/contract.ts';
import {
  listCodes,
  isPositiveControl,
  buildRecord,
  type ResultSubject,
  UNTESTED,
  type WireResult,
} from '../result-record.ts';
import { classifyPublishedExpression, getPublishedBinding } from './published.ts';

/** The method is given as not tested when no file has a trace of the sequence. */
export function createUntestedResult(analysis: BindingAnalysis, subject: ResultSubject): WireResult {
  return {
    outcome: 'not_tested',
    binding_score: null,
    rank_range: null,
    summary: [createEmptyRow(subject)],
    record: buildRecord(analysis, subject, UNTESTED, {}),
    packed_curves: collectPackedCurves(analysis, []),
  };
}

/** The row of a sequence, as far as it does not depend on the assay. */
export function describeBinding(found: BindingSequence, subject: ResultSubject): AffinityResult {
  return {
    ...createEmptyRow(subject),
    positive_control: isPositiveControl(subject, found),
    outcome: found.outcome,
    binding: getPublishedBinding(found.binding),
    call: found.binding,
    binding_strength: formatStrength(found.binding, found.bindingStrength),
    expression: classifyPublishedExpression(found.expression),
    place: found.place,
    concentrations_m: found.concentrationsM,
    ...describeDetection(found),
  };
}

export function buildReplicateCommon(replicate: BindingReplicate, subject: ResultSubject): AffinityReplicate {
  return {
    replicate: replicate.replicate,
    plate: replicate.plate,
    well: replicate.wells[0] ?? null,
    binding: getPublishedBinding(replicate.binding),
    call: replicate.binding,
    outcome: replicate.outcome,
    confidence: replicate.confidence,
    expression: classifyPublishedExpression(replicate.expression),
    technique: findTechnique(subject),
    response: replicate.response,
    reference_rule: replicate.referenceRule,
    ...describeDetection(replicate),
    flags: listCodes(replicate.flags),
  };
}

type Detection = Pick<AffinityResult, 'kd_detectable_m' | 'kd_detectable_basis'>;

/** What a sequence without a response excludes. */
function describeDetection({
  kdDetectableM: detectableM,
  kdDetectableBasis: basis,
}: Pick<BindingReplicate, 'kdDetectableM' | 'kdDetectableBasis'>): Detection {
  if (basis === null) return { kd_detectable_m: null, kd_detectable_basis: null };
  return {
    kd_detectable_m: detectableM,
    kd_detectable_basis: toWireNames(basis),
  };
}

function createEmptyRow(subject: ResultSubject): AffinityResult {
  return {
    result_type: 'affinity',
    outcome: 'not_tested',
    binding: 'unknown',
    call: 'unknown',
    binding_strength: 'unknown',
    concentration_display: null,
    concentration_value: null,
    kd_units: 'M',
    technique: findTechnique(subject),
    performance: {},
    comparison: {},
    positive_control: subject.is_control,
    replicates: [],
    sequence: { name: subject.sequence_name, aa_string: subject.aa_string, control: subject.is_control },
    target: subject.target,
    target_id: subject.target?.target_catalog_id ?? null,
  };
}

export function collectPackedCurves(
  analysis: BindingAnalysis,
  replicates: readonly BindingReplicate[],
): KeptCurves[] {
  const parts = replicates.flatMap(({ curves, packedCurves }) => {
    if (curves.length > 0) throw new Error('curves come packed from the worker that fitted them');
    return packedCurves === null ? [] : [[packedCurves]];
  });
  return joinPackedCurves(analysis.plates[0]?.signalUnit ?? 'nm', parts);
}

function findTechnique({ method }: ResultSubject): 'bli' | 'spr' | null {
  return method === 'bli' || method === 'spr' ? method : null;
}

function formatStrength(binding: Binding, strength: BindingStrength | null): string {
  if (strength !== null) return strength;
  return binding === 'non_binder' ? 'none' : 'unknown';
}

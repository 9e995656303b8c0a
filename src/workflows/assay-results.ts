/** Thermostability, expression and fluorescence on the wire: one record per sequence, with the summary row of its assay. */
import type { AssayResult } from '#analysis/assays.ts';
import type { SequenceExpression, ExpressionAnalysis } from '#analysis/expression/types.ts';
import type { FluorescenceAnalysis, SequenceFluorescence } from '#analysis/fluorescence/types.ts';
import type { SequenceMelting, ThermostabilityAnalysis } from '#analysis/melting/types.ts';
import type {
  ExpressionResult,
  FluorescenceResult,
  ThermostabilityResult,
} from '#domain/results/assay-rows.ts';
import type { ResultSummary } from '#domain/results/contract.ts';
import { joinPackedCurves } from '#domain/results/packed-curves.ts';
import {
  codesOf,
  interval,
  present,
  recordOf,
  UNTESTED,
  wireQuantity,
  type AnalysisFacts,
  type ResultSubject,
  type WireResult,
} from './result-record.ts';

/** The result of one sequence; `not_tested` when the files hold nothing of it. */
export function assayResult({ found, packed }: AssayResult, subject: ResultSubject): WireResult {
  const row = rowOf(found, subject);
  const parts = [
    packed.samples.get(subject.sequenceName),
    ...row.plates.map((name) => packed.plates.get(name)),
  ];
  return {
    outcome: row.outcome,
    bindingScore: null,
    summary: [row.summary],
    record: row.record,
    packedCurves: joinPackedCurves(
      signalUnitOf(found),
      parts.flatMap((part) => part ?? []),
    ),
  };
}

type Found = AssayResult['found'];

interface Row extends Pick<WireResult, 'outcome' | 'record'> {
  readonly summary: ResultSummary;
  /** Plates whose pictures belong to the result. */
  readonly plates: readonly string[];
}

function rowOf(found: Found, subject: ResultSubject): Row {
  if (found.experimentType === 'thermostability') return thermostabilityRow(found, subject);
  if (found.experimentType === 'expression') return expressionRow(found, subject);
  return fluorescenceRow(found, subject);
}

function signalUnitOf(found: Found): string {
  if (found.experimentType !== 'thermostability') return found.plates[0]?.signalUnit ?? '';
  const channel = found.sequences[0]?.replicates[0]?.channel;
  return channel === 'ratio' ? 'F350/F330' : 'counts';
}

function untested(facts: AnalysisFacts, subject: ResultSubject, summary: ResultSummary): Row {
  return { outcome: 'not_tested', record: recordOf(facts, subject, UNTESTED, {}), summary, plates: [] };
}

function common(subject: ResultSubject) {
  return {
    sequence_id: subject.sequenceId,
    sequence_name: subject.sequenceName,
    positive_control: subject.isControl,
    place: null,
    performance: {},
  };
}

function entry(subject: ResultSubject) {
  return { name: subject.sequenceName, aa_string: subject.aaString, control: subject.isControl };
}

function platesOf(replicates: readonly { readonly plate: string }[]): string[] {
  return [...new Set(replicates.map(({ plate }) => plate))];
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

function thermostabilityRow(found: ThermostabilityAnalysis, subject: ResultSubject): Row {
  const empty: ThermostabilityResult = {
    ...common(subject),
    result_type: 'thermostability',
    bli_result_id: null,
    sequence: subject.aaString,
    tm: null,
    inflection_pts_for_ratio: [],
    onset_pts_for_ratio: [],
    replicates: [],
  };
  const sequence = found.sequences.find(({ sample }) => sample === subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const { tm, tonset, tagg, dh } = sequence;
  return {
    outcome: sequence.outcome,
    summary: { ...empty, ...meltMembers(sequence, found.analysis.model) },
    record: recordOf(found, subject, sequence, present({ tm, tonset, tagg, dh })),
    plates: platesOf(sequence.replicates),
  };
}

function meltMembers(sequence: SequenceMelting, method: string): Partial<ThermostabilityResult> {
  const { replicates, tm, tonset, tagg, dh, r2 } = sequence;
  const initial = replicates.flatMap(({ initial330nm }) => initial330nm ?? []);
  const [control] = sequence.deltaTm;
  return {
    tm: tm?.value ?? null,
    tm_quantity: wireQuantity(tm),
    tm_sd: sequence.tmSdC,
    tm_method: tm === null ? null : method,
    tm_all: sequence.tmAll.map(({ tmC }) => round(tmC)),
    inflection_pts_for_ratio: replicates.flatMap(({ inflectionPoints }) =>
      inflectionPoints.map(({ temperatureC }) => round(temperatureC)),
    ),
    onset_pts_for_ratio: replicates.flatMap((each) => (each.tonset === null ? [] : round(each.tonset.value))),
    initial_330nm:
      initial.length === 0 ? null : initial.reduce((sum, value) => sum + value, 0) / initial.length,
    // The older generation of the row leaves out what there is not.
    ...(tonset === null ? {} : { t_onset: tonset.value }),
    ...(tagg === null ? {} : { t_agg: tagg.value }),
    ...(r2 === null ? {} : { quality_score: r2 }),
    tonset: tonset?.value ?? null,
    tagg: tagg?.value ?? null,
    dh: dh?.value ?? null,
    delta_tm_vs_control: control?.deltaC ?? null,
    r2,
    no_transition_reason: sequence.noTransition?.reason ?? null,
    place: sequence.place,
    performance: Object.fromEntries(
      sequence.deltaTm.map(({ control: name, deltaC, ci95LowC, ci95HighC }) => [
        name,
        deltaVerdict(deltaC, ci95LowC, ci95HighC),
      ]),
    ),
    replicates: replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      tm: each.tm?.value ?? null,
      tm_interval: interval(each.tm),
      tm_all: each.tmAll.map(({ tmC }) => round(tmC)),
      tonset: each.tonset?.value ?? null,
      tagg: each.tagg?.value ?? null,
      dh: each.dh?.value ?? null,
      r2: each.fit?.r2 ?? null,
      no_transition_reason: each.noTransition?.reason ?? null,
      flags: codesOf(each.flags),
    })),
  };
}

/** Half a degree is within what wells and instruments differ by. */
const COMPARABLE_C = 0.5;

function deltaVerdict(delta: number | null, low: number | null, high: number | null): string {
  if (delta === null) return 'not_comparable';
  const isOpen = low !== null && high !== null && low <= 0 && high >= 0;
  if (isOpen || Math.abs(delta) <= COMPARABLE_C) return 'comparable';
  return delta > 0 ? 'better' : 'worse';
}

function expressionRow(found: ExpressionAnalysis, subject: ResultSubject): Row {
  const empty: ExpressionResult = {
    ...common(subject),
    result_type: 'expression',
    sequence: entry(subject),
    expression_class: null,
    expressed: null,
    replicates: [],
  };
  const sequence = found.sequences.find(({ sample }) => sample === subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const quantities = present({
    yield_ng_per_ul: sequence.yield,
    yield_ug: sequence.yieldUg,
    molar_um: sequence.molarUm,
  });
  return {
    outcome: sequence.outcome,
    summary: { ...empty, ...expressionMembers(sequence) },
    record: recordOf(found, subject, sequence, quantities),
    plates: platesOf(sequence.replicates),
  };
}

function expressionMembers(sequence: SequenceExpression): Partial<ExpressionResult> {
  const { yield: amount } = sequence;
  return {
    yield_ng_per_ul: amount?.value ?? null,
    yield_relation: amount?.relation ?? null,
    yield_quantity: wireQuantity(amount),
    yield_ug: sequence.yieldUg?.value ?? null,
    molar_um: sequence.molarUm?.value ?? null,
    expression_class: sequence.expressionClass,
    expressed: sequence.expressed,
    lloq: sequence.lloqNgPerUl,
    uloq: sequence.uloqNgPerUl,
    quantification: sequence.quantification,
    loading_signal: sequence.response,
    nc_adjusted: sequence.isNoDnaSubtracted,
    place: sequence.place,
    performance: Object.fromEntries(sequence.performance.map(({ control, verdict }) => [control, verdict])),
    replicates: sequence.replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      yield_ng_per_ul: each.yield?.value ?? null,
      yield_ng_per_ul_relation: each.yield?.relation ?? null,
      yield_ng_per_ul_interval: interval(each.yield),
      loading_signal: each.response,
      loading_signal_adjusted: each.responseAdjusted,
      flags: codesOf(each.flags),
    })),
  };
}

function fluorescenceRow(found: FluorescenceAnalysis, subject: ResultSubject): Row {
  const empty: FluorescenceResult = {
    ...common(subject),
    result_type: 'fluorescence',
    sequence: entry(subject),
    saturated: false,
    replicates: [],
  };
  const sequence = found.sequences.find(({ sample }) => sample === subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const { intensity, normalized, log2Fold } = sequence;
  const quantities = present({ normalized_to_control: normalized, intensity, log2_fold: log2Fold });
  return {
    outcome: sequence.outcome,
    summary: { ...empty, ...fluorescenceMembers(sequence) },
    record: recordOf(found, subject, sequence, quantities),
    plates: platesOf(sequence.replicates),
  };
}

function fluorescenceMembers(sequence: SequenceFluorescence): Partial<FluorescenceResult> {
  const { intensity, normalized } = sequence;
  return {
    intensity: intensity?.value ?? null,
    intensity_relation: intensity?.relation ?? null,
    intensity_quantity: wireQuantity(intensity),
    intensity_unit: sequence.intensityUnit,
    normalized_to_control: normalized?.value ?? null,
    normalized_quantity: wireQuantity(normalized),
    log2_fold: sequence.log2Fold?.value ?? null,
    cv_pct: sequence.cvPct,
    ex_nm: sequence.exNm,
    em_nm: sequence.emNm,
    gain: sequence.gain,
    z_prime_plate: sequence.zPrimePlate,
    saturated: sequence.saturated,
    place: sequence.place,
    performance: Object.fromEntries(sequence.performance.map(({ control, verdict }) => [control, verdict])),
    replicates: sequence.replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      raw: each.raw,
      intensity: each.intensity?.value ?? null,
      intensity_relation: each.intensity?.relation ?? null,
      normalized_to_control: each.normalized?.value ?? null,
      normalized_to_control_relation: each.normalized?.relation ?? null,
      saturated: each.saturated,
      flags: codesOf(each.flags),
    })),
  };
}

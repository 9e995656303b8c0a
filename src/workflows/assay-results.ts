/** Thermostability, expression and fluorescence on the wire: one record per sequence, with the summary row of its assay. */
import type { AssayResult } from '#analysis/assays/analyze-assay.ts';
import type { SequenceExpression, ExpressionAnalysis } from '#analysis/assays/expression/types.ts';
import type { FluorescenceAnalysis, SequenceFluorescence } from '#analysis/assays/fluorescence/types.ts';
import type { SequenceMelting, ThermostabilityAnalysis } from '#analysis/assays/thermostability/types.ts';
import { RELATION_RULES, isLimit } from '#core/relations.ts';
import type { Quantity as Measured } from '#analysis/quantities/quantity.ts';
import type {
  ExpressionResult,
  FluorescenceResult,
  ThermostabilityResult,
} from '#domain/results/assay-rows.ts';
import type { ResultSummary } from '#domain/results/contract.ts';
import { joinPackedCurves } from '#domain/results/packed-curves.ts';
import {
  codesOf,
  comparisonsOf,
  findOrdered,
  interval,
  isPositiveControl,
  present,
  recordOf,
  relationOf,
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
  const sequence = findOrdered(found, subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const { tm, tonset, tagg, dh } = sequence;
  const deltaTm = deltaTmOf(sequence, found.controls);
  return {
    outcome: sequence.outcome,
    summary: {
      ...empty,
      ...meltMembers(sequence, found.analysis.model, deltaTm),
      positive_control: isPositiveControl(subject, sequence),
    },
    record: {
      ...recordOf(found, subject, sequence, present({ tm, tonset, tagg, dh, delta_tm_vs_control: deltaTm })),
      details: { comparisons: comparisonsOf(withVerdicts(sequence)) },
    },
    plates: platesOf(sequence.replicates),
  };
}

/** Against the first positive control; where one of the two Tm is an estimate, so is their difference. */
function deltaTmOf({ tm, deltaTm }: SequenceMelting, controls: readonly SequenceMelting[]): Measured | null {
  const [first] = deltaTm;
  if (tm === null || first === undefined || first.deltaC === null) return null;
  const control = controls.find(({ sample, tm: other }) => sample === first.control && other !== null);
  const isMeasured = tm.relation === '=' && control?.tm?.relation === '=';
  return {
    value: first.deltaC,
    unit: '°C',
    relation: (isMeasured ? RELATION_RULES.measured : RELATION_RULES.difference_of_estimates).relation,
    ci95Low: first.ci95LowC,
    ci95High: first.ci95HighC,
    log10Sd: null,
    n: tm.n,
  };
}

function withVerdicts({ deltaTm }: SequenceMelting) {
  return deltaTm.map((each) => ({
    ...each,
    verdict: deltaVerdict(each.deltaC, each.ci95LowC, each.ci95HighC),
  }));
}

function meltMembers(
  sequence: SequenceMelting,
  method: string,
  deltaTm: Measured | null,
): Partial<ThermostabilityResult> {
  const { replicates, tm, tonset, tagg, dh, r2 } = sequence;
  const initial = replicates.flatMap(({ initial330nm }) => initial330nm ?? []);
  return {
    tm: tm?.value ?? null,
    tm_relation: relationOf(tm),
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
    // The older generation of the row leaves out what there is not, and has no word for a limit.
    ...valueOnly('t_onset', tonset),
    ...valueOnly('t_agg', tagg),
    ...(r2 === null ? {} : { quality_score: r2 }),
    tonset: tonset?.value ?? null,
    tonset_relation: relationOf(tonset),
    tagg: tagg?.value ?? null,
    tagg_relation: relationOf(tagg),
    dh: dh?.value ?? null,
    dh_relation: relationOf(dh),
    delta_tm_vs_control: deltaTm?.value ?? null,
    delta_tm_relation: relationOf(deltaTm),
    delta_tm_interval: interval(deltaTm),
    delta_tm_control: deltaTm === null ? null : (sequence.deltaTm[0]?.control ?? null),
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
      tm_relation: relationOf(each.tm),
      tm_interval: interval(each.tm),
      tm_all: each.tmAll.map(({ tmC }) => round(tmC)),
      tonset: each.tonset?.value ?? null,
      tonset_relation: relationOf(each.tonset),
      tagg: each.tagg?.value ?? null,
      tagg_relation: relationOf(each.tagg),
      dh: each.dh?.value ?? null,
      dh_relation: relationOf(each.dh),
      r2: each.fit?.r2 ?? null,
      no_transition_reason: each.noTransition?.reason ?? null,
      flags: codesOf(each.flags),
    })),
  };
}

function valueOnly(name: 't_onset' | 't_agg', quantity: Measured | null) {
  return quantity === null || isLimit(quantity.relation) ? {} : { [name]: quantity.value };
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
  const sequence = findOrdered(found, subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const quantities = present({
    yield_ng_per_ul: sequence.yield,
    yield_ug: sequence.yieldUg,
    molar_um: sequence.molarUm,
  });
  return {
    outcome: sequence.outcome,
    summary: {
      ...empty,
      ...expressionMembers(sequence),
      positive_control: isPositiveControl(subject, sequence),
    },
    record: {
      ...recordOf(found, subject, sequence, quantities),
      details: { comparisons: comparisonsOf(sequence.performance) },
    },
    plates: platesOf(sequence.replicates),
  };
}

function expressionMembers(sequence: SequenceExpression): Partial<ExpressionResult> {
  const { yield: amount } = sequence;
  return {
    yield_ng_per_ul: amount?.value ?? null,
    yield_relation: relationOf(amount),
    yield_quantity: wireQuantity(amount),
    yield_ug: sequence.yieldUg?.value ?? null,
    yield_ug_relation: relationOf(sequence.yieldUg),
    molar_um: sequence.molarUm?.value ?? null,
    molar_um_relation: relationOf(sequence.molarUm),
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
      yield_ng_per_ul_relation: relationOf(each.yield),
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
  const sequence = findOrdered(found, subject.sequenceName);
  if (sequence === undefined) return untested(found, subject, empty);
  const { intensity, normalized, log2Fold } = sequence;
  const quantities = present({ normalized_to_control: normalized, intensity, log2_fold: log2Fold });
  return {
    outcome: sequence.outcome,
    summary: {
      ...empty,
      ...fluorescenceMembers(sequence),
      positive_control: isPositiveControl(subject, sequence),
    },
    record: {
      ...recordOf(found, subject, sequence, quantities),
      details: { comparisons: comparisonsOf(sequence.performance) },
    },
    plates: platesOf(sequence.replicates),
  };
}

function fluorescenceMembers(sequence: SequenceFluorescence): Partial<FluorescenceResult> {
  const { intensity, normalized } = sequence;
  return {
    intensity: intensity?.value ?? null,
    intensity_relation: relationOf(intensity),
    intensity_quantity: wireQuantity(intensity),
    intensity_unit: sequence.intensityUnit,
    normalized_to_control: normalized?.value ?? null,
    normalized_to_control_relation: relationOf(normalized),
    normalized_quantity: wireQuantity(normalized),
    log2_fold: sequence.log2Fold?.value ?? null,
    log2_fold_relation: relationOf(sequence.log2Fold),
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
      intensity_relation: relationOf(each.intensity),
      normalized_to_control: each.normalized?.value ?? null,
      normalized_to_control_relation: relationOf(each.normalized),
      saturated: each.saturated,
      flags: codesOf(each.flags),
    })),
  };
}

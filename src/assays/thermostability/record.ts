/** Thermostability on the wire. */
import type { SequenceMelting, ThermostabilityAnalysis, TransitionSummary } from './engine/types.ts';
import type { Quantity as Measured } from '#analysis/quantities/quantity.ts';
import { isLimit, RELATION_RULES } from '#core/relations.ts';
import type { ThermostabilityResult } from './row.ts';
import { collectControlValues, readMeasured } from '../control-values.ts';
import { createPackedAssay } from '../packed-result.ts';
import { listCodes, toInterval, findRelation, toWireQuantity, type Comparison } from '../result-record.ts';

export const thermostabilityResult = createPackedAssay<
  SequenceMelting,
  ThermostabilityAnalysis,
  ThermostabilityResult
>({
  describeUntested: (common, subject) => ({
    ...common,
    result_type: 'thermostability',
    bli_result_id: null,
    sequence: subject.aa_string,
    tm: null,
    inflection_pts_for_ratio: [],
    onset_pts_for_ratio: [],
    replicates: [],
  }),
  describe,
  listQuantities: (sequence, { controls }) => ({
    tm: sequence.tm,
    tm_2: sequence.tmAll[1]?.tm ?? null,
    tm_3: sequence.tmAll[2]?.tm ?? null,
    tonset: sequence.tonset,
    tagg: sequence.tagg,
    dh: sequence.dh,
    delta_tm_vs_control: computeDeltaTm(sequence, controls),
  }),
  compare,
  findSignalUnit: getSignalUnit,
  listControlValues: (found) =>
    collectControlValues(found, [{ quantity: 'tm', unit: '°C', read: ({ tm }) => readMeasured(tm) }]),
});

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

/** Difference to the first positive control; it is an estimate when either Tm is. */
function computeDeltaTm(
  { tm, deltaTm }: SequenceMelting,
  controls: readonly SequenceMelting[],
): Measured | null {
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

function compare({ deltaTm }: SequenceMelting) {
  return deltaTm.map((each) => ({
    ...each,
    verdict: decideDeltaVerdict(each.deltaC, each.ci95LowC, each.ci95HighC),
  }));
}

function describe(
  sequence: SequenceMelting,
  { analysis, controls }: ThermostabilityAnalysis,
): Partial<ThermostabilityResult> {
  const deltaTm = computeDeltaTm(sequence, controls);
  const { replicates, tm, tonset, tagg, dh, r2 } = sequence;
  const initial = replicates.flatMap(({ initial330nm }) => initial330nm ?? []);
  return {
    tm: tm?.value ?? null,
    tm_relation: findRelation(tm),
    tm_quantity: toWireQuantity(tm),
    tm_sd: sequence.tmSdC,
    tm_method: tm === null ? null : analysis.model,
    tm_all: sequence.tmAll.map(({ tmC }) => round(tmC)),
    transitions: sequence.tmAll.map(describeTransition),
    transition_doubts: sequence.tmAll.map(({ doubt }) => doubt ?? 'none'),
    inflection_pts_for_ratio: replicates.flatMap(({ inflectionPoints }) =>
      inflectionPoints.map(({ temperatureC }) => round(temperatureC)),
    ),
    onset_pts_for_ratio: replicates.flatMap((each) => (each.tonset === null ? [] : round(each.tonset.value))),
    initial_330nm:
      initial.length === 0 ? null : initial.reduce((sum, value) => sum + value, 0) / initial.length,
    // The older fields of the row are omitted without a value, and cannot express a limit.
    ...toValueOnly('t_onset', tonset),
    ...toValueOnly('t_agg', tagg),
    ...(r2 === null ? {} : { quality_score: r2 }),
    tonset: tonset?.value ?? null,
    tonset_relation: findRelation(tonset),
    tagg: tagg?.value ?? null,
    tagg_relation: findRelation(tagg),
    dh: dh?.value ?? null,
    dh_relation: findRelation(dh),
    delta_tm_vs_control: deltaTm?.value ?? null,
    delta_tm_relation: findRelation(deltaTm),
    delta_tm_interval: toInterval(deltaTm),
    delta_tm_control: deltaTm === null ? null : (sequence.deltaTm[0]?.control ?? null),
    r2,
    no_transition_reason: sequence.noTransition?.reason ?? null,
    replicates: replicates.map((each) => ({
      replicate: each.replicate,
      well: each.well,
      plate: each.plate,
      outcome: each.outcome,
      tm: each.tm?.value ?? null,
      tm_relation: findRelation(each.tm),
      tm_interval: toInterval(each.tm),
      tm_all: each.tmAll.map(({ tmC }) => round(tmC)),
      transitions: each.tmAll.map(describeTransition),
      tonset: each.tonset?.value ?? null,
      tonset_relation: findRelation(each.tonset),
      tagg: each.tagg?.value ?? null,
      tagg_relation: findRelation(each.tagg),
      dh: each.dh?.value ?? null,
      dh_relation: findRelation(each.dh),
      r2: each.fit?.r2 ?? null,
      no_transition_reason: each.noTransition?.reason ?? null,
      flags: listCodes(each.flags),
    })),
  };
}

function describeTransition({ tm, doubt }: TransitionSummary) {
  return {
    tm: tm.value,
    tm_relation: tm.relation,
    tm_interval: toInterval(tm),
    n: tm.n,
    doubt,
  };
}

function toValueOnly(name: 't_onset' | 't_agg', quantity: Measured | null) {
  return quantity === null || isLimit(quantity.relation) ? {} : { [name]: quantity.value };
}

/** Wells and instruments differ by about half a degree. */
const COMPARABLE_C = 0.5;

function decideDeltaVerdict(
  delta: number | null,
  low: number | null,
  high: number | null,
): Comparison['verdict'] {
  if (delta === null) return 'not_comparable';
  const isOpen = low !== null && high !== null && low <= 0 && high >= 0;
  if (isOpen || Math.abs(delta) <= COMPARABLE_C) return 'comparable';
  return delta > 0 ? 'better' : 'worse';
}

function getSignalUnit({ sequences }: ThermostabilityAnalysis): string {
  const channel = sequences[0]?.replicates[0]?.channel;
  if (channel === 'unnamed') return 'a.u.';
  return channel === 'ratio' ? 'F350/F330' : 'counts';
}

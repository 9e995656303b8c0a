/** A result beside its order: how much was ordered, planned and measured, with a flag where something is missing. */
import type { LeftOutReplicate } from '#assays/binding/engine/types.ts';
import { isRecord } from '#core/records.ts';
import { findOrderFlags, type OrderCounts, type SequenceOrder } from '../../results/against-order.ts';
import { computeAssessment, type Assessed } from '../../results/assessment.ts';
import type { Exclusion } from '../../review/rules.ts';
import type { WireResult } from '#assays/result-record.ts';

/** What people left out of a sequence, and how many curves the replicates that they left out whole had. */
interface SequenceLeftOut {
  readonly own: readonly Exclusion[];
  readonly leftOut: readonly LeftOutReplicate[];
}

export function withOrder(
  { experimentType, ...order }: SequenceOrder & { readonly experimentType: string },
  taken: SequenceLeftOut,
  result: WireResult,
): WireResult {
  const { record, summary } = result;
  const counts: OrderCounts = {
    n_replicates_ordered: order.nReplicates,
    n_replicates: Number(record.n_replicates),
    n_curves_planned: order.nCurves,
    n_curves: order.nCurves === null ? toCount(record.n_curves) : (toCount(record.n_curves) ?? 0),
  };
  const missing = findOrderFlags(counts, countLeftOut(order, taken, listMeasured(summary)));
  const replicates = {
    n_replicates_ordered: counts.n_replicates_ordered,
    n_replicates: counts.n_replicates,
    n_replicates_passed: Number(record.n_replicates_passed),
  };
  return withAssessment(experimentType, {
    ...result,
    summary: summary.map((row) => ({ ...row, ...replicates })),
    record: { ...record, ...counts, qc: addFlags(record.qc, missing) },
  });
}

/** The grade counts against the order, so it is given once the counts are known. */
function withAssessment(experimentType: string, result: WireResult): WireResult {
  const { outcome, record, summary } = result;
  const [row = {}] = summary;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `buildRecord` and `withOrder` wrote
  const assessed = { ...record, outcome, experiment_type: experimentType, row } as unknown as Assessed;
  const assessment = computeAssessment(assessed);
  return {
    ...result,
    record: { ...record, assessment },
    summary: summary.map((each) => ({ ...each, assessment })),
  };
}

/** The numbers of the replicates that count. */
function listMeasured(summary: readonly unknown[]): ReadonlySet<unknown> {
  const row = summary.find(isRecord);
  const replicates: readonly unknown[] = Array.isArray(row?.replicates) ? row.replicates : [];
  return new Set(replicates.filter(isRecord).map(({ replicate }) => replicate));
}

/**
 * What is measured again is missing until it is measured. A curve is counted once, by its replicate or by itself, and a
 * replicate not at all where another measurement of it counts.
 */
function countLeftOut(
  { nReplicates, nCurves }: SequenceOrder,
  { own, leftOut: replicates }: SequenceLeftOut,
  measured: ReadonlySet<unknown>,
) {
  const leftOut = own.filter(({ decision }) => decision === 'exclude');
  const nameReplicate = ({ plate, replicate }: Pick<Exclusion, 'plate' | 'replicate'>): string =>
    `${replicate} on ${plate}`;
  const whole = leftOut.filter(({ concentration_m: dose = null }) => dose === null);
  const wholeNames = new Set(whole.map(nameReplicate));
  const curves = leftOut.filter(
    (each) => (each.concentration_m ?? null) !== null && !wholeNames.has(nameReplicate(each)),
  );
  const missing = whole.filter(({ replicate }) => !measured.has(replicate));
  const names = new Set(missing.map(nameReplicate));
  const most = (nCurves ?? 0) / nReplicates;
  const ofReplicates = replicates
    .filter((each) => names.has(nameReplicate(each)))
    .reduce((sum, each) => sum + Math.min(most, each.nCurves), 0);
  return { nReplicates: missing.length, nCurves: curves.length + ofReplicates };
}

function addFlags(qc: unknown, missing: ReturnType<typeof findOrderFlags>): unknown {
  if (!isRecord(qc) || missing.length === 0) return qc;
  const flags = Array.isArray(qc.flags) ? qc.flags : [];
  const details = Array.isArray(qc.details) ? qc.details : [];
  return {
    ...qc,
    flags: [...flags, ...missing.map(({ code }) => code)],
    details: [...details, ...missing],
  };
}

function toCount(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

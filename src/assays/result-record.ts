/** Parts of the wire's records that all assays share: provenance, quality, quantities, names. */
import { toWireNames } from '#core/records.ts';
import type { KeptCurves } from '#analysis/curves/packed-curves.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import type { RankRange } from '#core/ranking.ts';
import type { Quantity as MeasuredQuantity } from '#analysis/quantities/quantity.ts';
import type { Outcome, Quantity, ResultSummary } from '#features/results/contract.ts';
import type { verdicts } from '#features/results/row-fields.ts';
import type { ResultDetails } from '#features/results/details.ts';
import { toWireSettings } from '#features/runs/raw-files/settings-names.ts';
import type { LeftOutReplicate } from './binding/engine/types.ts';
import type { ExperimentRow } from '#features/experiments/store.ts';
import type { ControlValue } from './control-values.ts';

export interface ResultSubject {
  readonly sequence_id: string;
  readonly sequence_name: string;
  readonly aa_string: string;
  readonly is_control: boolean;
  readonly target: {
    name: string;
    sequence: string | null;
    supplier_url: string;
    target_catalog_id: string;
  } | null;
  readonly method: string | null;
}

export interface WireResult {
  readonly outcome: Outcome;
  readonly binding_score: number | null;
  /** What it is ranked by; null without a place. */
  readonly rank_range: RankRange | null;
  readonly summary: ResultSummary[];
  readonly record: Readonly<Record<string, unknown>>;
  /** The members of the stored form; see `joinPackedCurves`. */
  readonly packed_curves: readonly KeptCurves[];
}

/** The facts about an analysis that every record contains. */
export interface AnalysisFacts {
  readonly plates: readonly {
    readonly plate: string;
    readonly instrument: string | null;
    readonly pass: boolean;
    readonly flags: readonly Flag[];
    /** As the file says; absent for assays that have only one. */
    readonly technique?: string | null;
    readonly signalUnit?: string | null;
    /** Absent for assays that do not judge by them. */
    readonly negativeControls?: { readonly n: number };
  }[];
  readonly analysis: {
    readonly engine: { readonly name: string; readonly version: string };
    readonly model: string;
    readonly settings: object;
    /** Baseline slopes that curves share, or null where none do; absent for assays without baselines. */
    readonly sharedSlopes?: object | null;
    readonly inputs: readonly { readonly sha256: string }[];
  };
}

export interface Judged {
  /** Role of the sequence in the files; absent when no file has the sequence. */
  readonly role?: string;
  readonly place: number | null;
  readonly rankRange: RankRange | null;
  readonly nReplicates: number;
  readonly nReplicatesPassed: number;
  readonly flags: readonly Flag[];
  /** Absent for a sequence without data; concentrations only where an assay has an analyte. */
  readonly replicates?: readonly { readonly plate: string; readonly concentrationsM?: readonly number[] }[];
}

export const UNTESTED: Judged = {
  place: null,
  rankRange: null,
  nReplicates: 0,
  nReplicatesPassed: 0,
  flags: [],
};

export function buildRecord(
  facts: AnalysisFacts,
  subject: ResultSubject,
  judged: Judged,
  quantities: Readonly<Record<string, Quantity>>,
): Record<string, unknown> {
  const { analysis, plates } = facts;
  const role = findControlRole(judged);
  const { nReplicates, nReplicatesPassed } = judged;
  return {
    sequence_name: subject.sequence_name,
    is_control: subject.is_control || role !== null,
    control_role: role,
    target_name: subject.target?.name ?? null,
    method: subject.method,
    instrument: plates[0]?.instrument ?? null,
    place: judged.place,
    ...toWireNames({ nReplicates, nReplicatesPassed }),
    n_curves: countCurves(judged),
    qc: { pass: nReplicatesPassed > 0, flags: listCodes(judged.flags), details: judged.flags },
    quantities,
    analysis: {
      engine: analysis.engine,
      model: analysis.model,
      settings: toWireSettings(analysis.settings),
      ...(analysis.sharedSlopes === undefined
        ? {}
        : { shared_slopes: analysis.sharedSlopes && toWireNames(analysis.sharedSlopes) }),
      input_sha256: analysis.inputs.map((file) => file.sha256),
      plates: plates.map((plate) => ({
        plate: plate.plate,
        pass: plate.pass,
        flags: listCodes(plate.flags),
        ...(plate.technique === undefined ? {} : { technique: plate.technique }),
        ...(plate.signalUnit === undefined ? {} : { signal_unit: plate.signalUnit }),
        ...(plate.negativeControls === undefined ? {} : { n_negative_controls: plate.negativeControls.n }),
      })),
    },
  };
}

/** Counts the curves with analyte; null for an assay without one. A curve in buffer is a control. */
function countCurves({ replicates = [] }: Judged): number | null {
  const doses = replicates.flatMap(({ concentrationsM }) => concentrationsM ?? []);
  const hasAnalyte = replicates.some(({ concentrationsM }) => concentrationsM !== undefined);
  return hasAnalyte ? doses.filter((dose) => dose > 0).length : null;
}

/** Codes of the flags that limit trust in the value, each once; flags that only inform stay in the details. */
export function listCodes(flags: readonly Flag[]): string[] {
  return [...new Set(flags.filter((flag) => flag.severity !== 'info').map((flag) => flag.code))];
}

export interface Comparison {
  /** Name of the control. */
  readonly control: string;
  readonly verdict: (typeof verdicts)[number];
}

/** Describes the verdicts of a row by the name of the control: the two published words, and all four beside them. */
export function describePerformance(comparisons: readonly Comparison[]) {
  const selectVerdict = (verdict: Comparison['verdict']) =>
    verdict === 'better' || verdict === 'worse' ? verdict : null;
  return {
    performance: Object.fromEntries(
      comparisons.map(({ control, verdict }) => [control, selectVerdict(verdict)]),
    ),
    comparison: Object.fromEntries(comparisons.map(({ control, verdict }) => [control, verdict])),
  };
}

/** Comparisons of any assay: the name of the control, the difference in the assay's own measure, and the verdict. */
export function buildComparisons(
  performance: readonly Comparison[],
): NonNullable<ResultDetails['comparisons']> {
  return performance.map(({ control, verdict, ...rest }) => ({
    control,
    verdict,
    ...toWireNames(rest),
  }));
}

/**
 * Returns the relation of a number in a flat row: `=` measured, `<` or `>` a limit, `~` an estimate; null without a
 * value.
 */
export function findRelation(quantity: MeasuredQuantity | null): MeasuredQuantity['relation'] | null {
  return quantity?.relation ?? null;
}

/** Finds an ordered sequence among the measured ones: as a sample, or as a control where the file has it as one. */
export function findOrdered<Found extends { readonly sample: string; readonly role: string }>(
  analysis: { readonly sequences: readonly Found[]; readonly controls: readonly Found[] },
  name: string,
): Found | undefined {
  return (
    analysis.sequences.find(({ sample }) => sample === name) ??
    analysis.controls.find(({ sample, role }) => sample === name && CONTROL_ROLES.has(role))
  );
}

const CONTROL_ROLES: ReadonlySet<string> = new Set(['positive_control', 'negative_control']);

/** Returns the control role in the file; null for a sample. */
function findControlRole(judged: Judged): string | null {
  return judged.role !== undefined && CONTROL_ROLES.has(judged.role) ? judged.role : null;
}

/** A sequence that the file calls a negative control is never a positive one, even if ordered as a control. */
export function isPositiveControl(subject: ResultSubject, judged: Pick<Judged, 'role'>): boolean {
  return judged.role === 'positive_control' || (subject.is_control && judged.role !== 'negative_control');
}

/** Converts the quantities that have a value to the form of the wire. */
export function toWireQuantities(
  quantities: Readonly<Record<string, MeasuredQuantity | null>>,
): Record<string, Quantity> {
  const wireQuantities: Record<string, Quantity> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    const wire = toWireQuantity(quantity);
    if (wire !== null) wireQuantities[name] = wire;
  }
  return wireQuantities;
}

export function toInterval(quantity: MeasuredQuantity | null) {
  return quantity === null
    ? null
    : { value: quantity.value, ci_low: quantity.ci95Low, ci_high: quantity.ci95High };
}

export function toWireQuantity(quantity: MeasuredQuantity | null): Quantity | null {
  if (quantity === null) return null;
  const { value, unit, relation, ci95Low, ci95High, log10Sd, n } = quantity;
  return toWireNames({ value, unit, relation, ci95Low, ci95High, log10Sd, n });
}

/** The interface of an assay for workflows: settings of its analysis, and its results on the wire. */

/** Settings of an analysis, by the names in its engine. */
export type AnalysisSettings = Readonly<Record<string, unknown>>;

/** What an analysis uses of the target. */
interface TargetFacts {
  readonly is_multivalent: boolean;
  /** Known KD of its positive control, in M. */
  readonly control_kd_m?: number | null;
}

export interface ResultAssay<Result = unknown> {
  /** The default settings of the analysis. */
  chooseSettings(experiment: Pick<ExperimentRow, 'method'>): AnalysisSettings;
  /** The default settings that depend on the target. */
  describeTarget(target: TargetFacts | undefined): AnalysisSettings;
  listNotices(result: Result): readonly string[];
  /** What the controls showed on each plate, as control charts take it. */
  listControlValues(result: Result): readonly ControlValue[];
  /** Replicates that people left out whole, and the curves of each; absent for assays without an analyte. */
  listLeftOut?(result: Result): readonly LeftOutReplicate[];
  /** Makes the result of one sequence. */
  present(result: Result, subject: ResultSubject): WireResult;
}

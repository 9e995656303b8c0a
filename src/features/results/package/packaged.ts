/** What a data package is made of: the experiment with its target, and its released results one by one. */
import { listRecords } from '#documents/records.ts';
import type { Assessment } from '../assessment.ts';
import type { Outcome, Quantity } from '../contract.ts';

export interface PackagedExperiment {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly experimentType: string;
  readonly method: string | null;
  readonly createdAt: string;
  /** The newest release of the results; every file of the package has it as its time. */
  readonly releasedAt: Date;
  /** True in a sandbox, where measurements may be simulated: report and readme say so. */
  readonly isSandbox: boolean;
  /** The exact target construct with all data of the catalog; null without a target. */
  readonly target: Readonly<Record<string, unknown>> | null;
  readonly sequences: readonly PackagedSequence[];
}

export interface PackagedSequence {
  readonly name: string;
  readonly aaString: string;
  readonly isControl: boolean;
}

export interface ExcludedReplicate {
  readonly replicate: number;
  readonly plate: string;
  readonly well: string | null;
  /** Concentration in M of the only curve that was left out; null or absent where the whole replicate was. */
  readonly concentration_m?: number | null;
  readonly reason: string;
}

/** One released result; its curves are read separately, because they are large. */
export interface PackagedResult {
  readonly id: string;
  readonly title: string;
  readonly sequence_name: string;
  readonly is_control: boolean;
  readonly assessment?: Assessment;
  readonly outcome: Outcome;
  readonly status: string;
  readonly version: number;
  /** Place in the ranking, 1 for the best; null for a result that is not ranked. */
  readonly place: number | null;
  readonly binding_score: number | null;
  readonly n_replicates_ordered: number;
  readonly n_replicates: number;
  readonly n_replicates_passed: number;
  /** Null for the assays without an analyte, and for results of earlier versions. */
  readonly n_curves_planned: number | null;
  readonly n_curves: number | null;
  /** Measurements that the lab left out; not counted in `n_replicates`. */
  readonly excluded_replicates: readonly ExcludedReplicate[];
  readonly qc: {
    readonly pass: boolean;
    readonly flags: readonly string[];
    /** Every flag with its message. */
    readonly details?: readonly unknown[];
  };
  readonly quantities: Readonly<Record<string, Quantity>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly analysis: Readonly<Record<string, unknown>>;
}

/** Finds the unit of the signal, which the first plate with a unit states. */
export function findSignalUnit({ analysis }: Pick<PackagedResult, 'analysis'>): string | undefined {
  return listRecords(analysis.plates)
    .map(({ signal_unit: unit }) => unit)
    .find((unit): unit is string => typeof unit === 'string');
}

/** Returns the replicates that the rows of a result contain. */
export function listReplicates(result: PackagedResult): Readonly<Record<string, unknown>>[] {
  return result.rows.flatMap(({ replicates }) => listRecords(replicates));
}

/** Finds the value of this name in the details of the result, or else in its first row. */
export function findValue({ details, rows: [row = {}] }: PackagedResult, name: string): unknown {
  return details?.[name] ?? row[name];
}

/** Returns a text that is not empty; undefined for anything else. */
export function findText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The content of a data package: the experiment with its target, and its released results one by one.
 * This folder: the files of the archive that a client takes home. Not here: where their rows come from.
 */
import { listRecords } from '../records.ts';
import type { Outcome, Quantity } from '#domain/results/contract.ts';

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
  /** In M, where only the curve of this concentration was left out. */
  readonly concentration_m?: number | null;
  readonly reason: string;
}

/** One released result; its curves are read separately, because they are large. */
export interface PackagedResult {
  readonly id: string;
  readonly title: string;
  readonly sequence_name: string;
  readonly is_control: boolean;
  readonly outcome: Outcome;
  readonly status: string;
  readonly version: number;
  readonly place: number | null;
  readonly binding_score: number | null;
  readonly n_replicates: number;
  readonly n_replicates_passed: number;
  /** Measurements that the lab left out; not counted in `n_replicates`. */
  readonly excluded_replicates: readonly ExcludedReplicate[];
  readonly qc: { readonly pass: boolean; readonly flags: readonly string[] };
  readonly quantities: Readonly<Record<string, Quantity>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly analysis: Readonly<Record<string, unknown>>;
}

/** The unit of the signal, as the plates state it. */
export function findSignalUnit({ analysis }: PackagedResult): string | undefined {
  return listRecords(analysis.plates)
    .map(({ signal_unit: unit }) => unit)
    .find((unit): unit is string => typeof unit === 'string');
}

/** Returns the replicates of a result from its row. */
export function listReplicates(result: PackagedResult): Readonly<Record<string, unknown>>[] {
  return result.rows.flatMap((row) => {
    const { replicates } = row;
    return Array.isArray(replicates) ? replicates.filter(isRecord) : [];
  });
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a member of the details, or else of the row. */
export function getMember({ details, rows: [row = {}] }: PackagedResult, member: string): unknown {
  return details?.[member] ?? row[member];
}

export function toWord(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The plan of a run: what is in which well of which plate.
 * This folder: plans of runs: rules of layout, balance, edits, validity. Not here: files for robots and instruments
 * (`features/runs/run-files`), runs as they are recorded (`features/runs/raw-files`).
 */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { PlateSize } from '#core/wells.ts';
import type { LayoutName } from './layouts.ts';

/** Part of every seed. A new value gives every seed another plan. */
export const PLAN_VERSION = 'plan-1';

export const SEED_MAX = 2 ** 32 - 1;

/** `reference` is a sensor that carries no protein. A well that is not listed is empty. */
export const plannedRoles = [
  'sample',
  'reference',
  'blank',
  'positive_control',
  'negative_control',
  'standard',
] as const;
export type PlannedRole = (typeof plannedRoles)[number];

export interface PlannedContent {
  readonly role: PlannedRole;
  /** Name in files: unique among the sequences and controls of a run; empty for a reference. */
  readonly sample: string;
  /** From 1. */
  readonly replicate: number;
  /** Concentration of the analyte or the standard in M; 0 for buffer, null where the assay has none. */
  readonly concentrationM: number | null;
  /** Null for whatever the lab adds. */
  readonly experimentId: string | null;
  readonly sequenceId: string | null;
}

export interface PlannedWell extends PlannedContent {
  /** Such as `B7`, without leading zeros. */
  readonly well: string;
  /** Number of the cycle or capillary, from 1; null where all wells are measured together. */
  readonly order: number | null;
}

export interface PlannedPlate {
  /** `P1`, `P2`, … */
  readonly name: string;
  /** Down the columns; by cycle or capillary where the wells have an order. */
  readonly wells: readonly PlannedWell[];
}

export interface RunPlan {
  readonly version: typeof PLAN_VERSION;
  /** With the same request it gives the same plan. */
  readonly seed: number;
  readonly layout: LayoutName;
  readonly size: PlateSize;
  readonly plates: readonly PlannedPlate[];
}

export interface ExperimentToPlan {
  readonly id: string;
  readonly code: string;
  readonly experimentType: string;
  readonly method: 'bli' | 'spr' | null;
  readonly status: ExperimentStatus;
  /** What tells targets apart: the id of the catalog, or the description of one that was only requested; null without. */
  readonly targetKey: string | null;
  readonly nReplicates: number;
  /** In M, without buffer; empty where the assay has none. */
  readonly concentrationsM: readonly number[];
  readonly sequences: readonly { readonly id: string; readonly name: string }[];
}

/** What the lab adds to each plate. */
export interface ControlsToPlan {
  readonly positive: string | null;
  readonly negatives: readonly string[];
  /** Null where the layout has no standard curve. Concentrations in M; 0 is the standard's buffer. */
  readonly standard: { readonly sample: string; readonly concentrationsM: readonly number[] } | null;
}

export interface PlanRequest {
  /** An integer from 0 to 2^32 − 1. */
  readonly seed: number;
  readonly size: PlateSize;
  /** Absent: the first layout of the assay that fits the method. */
  readonly layout?: LayoutName | undefined;
  /** Capillaries of a run; 48 when absent. */
  readonly capillaries?: 24 | 48 | undefined;
  readonly experiments: readonly ExperimentToPlan[];
  readonly controls: ControlsToPlan;
}

/** What is wrong with a request or a plan. A warning does not keep a run from starting. */
export interface PlanProblem {
  readonly code: PlanProblemCode;
  readonly severity: 'error' | 'warning';
  /** What is wrong and what to do. */
  readonly message: string;
  readonly plate: string | null;
  readonly well: string | null;
}

export type PlanProblemCode =
  | 'no_experiments'
  | 'experiment_not_ready'
  | 'mixed_assays'
  | 'mixed_targets'
  | 'assay_not_planned'
  | 'layout_not_offered'
  | 'seed_invalid'
  | 'replicates_invalid'
  | 'concentrations_invalid'
  | 'sequence_missing'
  | 'name_of_control'
  | 'control_missing'
  | 'standard_missing'
  | 'series_too_long'
  | 'controls_too_many'
  | 'run_too_large'
  | 'plan_of_other_request'
  | 'plate_twice'
  | 'well_outside_plate'
  | 'well_twice'
  | 'order_invalid'
  | 'sequence_unknown'
  | 'replicate_unordered'
  | 'replicate_twice'
  | 'replicate_missing'
  | 'concentration_unordered'
  | 'series_split'
  | 'reference_missing'
  | 'concentration_unreferenced'
  | 'control_too_few'
  | 'replicates_adjacent'
  | 'replicates_one_column'
  | 'edge_used'
  | 'plate_unknown'
  | 'well_empty'
  | 'well_taken';

export function createProblem(
  code: PlanProblemCode,
  message: string,
  at: { readonly plate?: string; readonly well?: string; readonly severity?: 'warning' } = {},
): PlanProblem {
  const { plate = null, well = null, severity = 'error' } = at;
  return { code, severity, message, plate, well };
}

/** Wells of all plates together: so many fit into a request that edits the plan. */
export const WELLS_MAX = 8_000;

export function countWells(plates: RunPlan['plates']): number {
  return plates.reduce((sum, { wells }) => sum + wells.length, 0);
}

export function createTooManyWells(wells: number): PlanProblem {
  const message = `The plan has ${wells} filled wells, and a plan at most ${WELLS_MAX}: plan the experiments in several runs.`;
  return createProblem('run_too_large', message);
}

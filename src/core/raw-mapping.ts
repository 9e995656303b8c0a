/** What people say of the wells and samples of raw files by hand; it takes precedence over the files. */

/** Roles that a well can be given. A well that is left out is not analyzed. */
export const mappedRoles = [
  'sample',
  'blank',
  'reference',
  'positive_control',
  'negative_control',
  'standard',
  'left_out',
] as const;

export type MappedRole = (typeof mappedRoles)[number];

/** The role of a control, whose value or silence is known before. */
export type ControlRole = Extract<MappedRole, 'positive_control' | 'negative_control'>;

/** A control that the plan of a run has on a plate. */
export interface PlannedControl {
  readonly plate: string;
  readonly role: ControlRole;
  readonly sample: string;
}

/** One line of a mapping. It names a well or a sample of the files, never both. */
export interface MappingEntry {
  /** Name of the plate in the file; null for every plate. */
  readonly plate: string | null;
  /** Well, or name of the trace, in the file. */
  readonly well: string | null;
  /** Name of the sample in the file. */
  readonly sample: string | null;
  readonly role: MappedRole;
  /** Ordered sequence that the well is; null keeps the name of the file. */
  readonly sequence: string | null;
  /** From 1; null keeps the number of the file. */
  readonly replicate: number | null;
}

/** Formats the part of an entry that names wells, for sentences. */
export function formatMapped({ plate, well, sample }: MappingEntry): string {
  const place = well === null ? `sample ${String(sample)}` : `well ${well}`;
  return plate === null ? place : `${place} of plate ${plate}`;
}

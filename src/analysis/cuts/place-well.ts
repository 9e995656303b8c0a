/** Decides whose a measured well is: by the mapping by hand, then by its place in the plan, then by its name. */
import type { MappingEntry } from '#core/raw-mapping.ts';
import { formatWell, locateWell } from '#core/wells.ts';
import type { TraceRole } from '../curves/trace.ts';
import type { CutProblemCode, PlannedCell } from './types.ts';

/** A trace, a melting curve or a reading, as its file states it. */
export interface MeasuredWell {
  readonly id: string;
  readonly well: string | null;
  readonly role: TraceRole | 'empty';
  readonly sample: string;
  readonly isUnnamed: boolean;
  readonly replicate: number;
  readonly concentrationM: number | null;
}

export interface PlacedContent {
  readonly role: TraceRole;
  readonly sample: string;
  readonly replicate: number;
  readonly concentrationM: number | null;
}

export type Placement =
  | {
      readonly kind: 'placed';
      /** Null for what every experiment of the plate gets. */
      readonly owner: string | null;
      readonly content: PlacedContent;
      readonly isMapped: boolean;
      /** Name in the files of the run. */
      readonly sample: string;
      readonly warning: Mismatch | null;
    }
  | { readonly kind: 'left_out'; readonly isSilent: boolean }
  | { readonly kind: 'refused'; readonly problem: Mismatch };

/** What is wrong at a well; `detail` completes its name. */
export interface Mismatch {
  readonly code: CutProblemCode;
  readonly detail: string;
}

export interface PlannedPlace {
  readonly find: (well: MeasuredWell) => PlannedCell | undefined;
  /** The first well of each name in the files of the run. */
  readonly bySample: ReadonlyMap<string, PlannedCell>;
}

const BUFFERS: ReadonlySet<string> = new Set(['blank', 'reference']);
const CONTROLS: ReadonlySet<string> = new Set(['positive_control', 'negative_control']);
/** Relative difference above which a concentration is another one. */
const CONCENTRATION_TOLERANCE = 0.02;

/** Finds the well of a plate by its name, or by the number of its capillary or cycle. */
export function createCellFinder(
  cells: readonly PlannedCell[],
): (well: Pick<MeasuredWell, 'id' | 'well'>) => PlannedCell | undefined {
  const byWell = new Map(cells.map((cell) => [cell.well, cell]));
  const byOrder = new Map(cells.flatMap((cell) => (cell.order === null ? [] : [[cell.order, cell]])));
  return ({ id, well }) => {
    const named = well ?? id;
    const place = locateWell(named);
    if (place !== null) return byWell.get(formatWell(place));
    const [, number] = /^(?:cap\.?\s*)?(\d+)$/i.exec(named.trim()) ?? [];
    return number === undefined ? undefined : byOrder.get(Number(number));
  };
}

export function placeWell(measured: MeasuredWell, entry: MappingEntry | null, plan: PlannedPlace): Placement {
  const cell = plan.find(measured);
  if (entry !== null) return placeMapped(measured, entry, cell, plan);
  if (measured.role === 'empty') return { kind: 'left_out', isSilent: true };
  return cell === undefined ? placeUnplanned(measured, plan) : placePlanned(measured, cell);
}

/** A well that the plan gives to an experiment stays with it, unless people name a sequence of another one. */
function placeMapped(
  measured: MeasuredWell,
  entry: MappingEntry,
  cell: PlannedCell | undefined,
  plan: PlannedPlace,
): Placement {
  const { role, sequence } = entry;
  if (role === 'left_out') return { kind: 'left_out', isSilent: true };
  const target = sequence === null ? cell : plan.bySample.get(sequence);
  // The name that the file states may be that of any client, so only the plan names what all of them get.
  if (target === undefined && !BUFFERS.has(role))
    return refuse(
      'well_not_planned',
      `is mapped to the role ${role} without the name of a sample of the plan`,
    );
  const content = {
    role,
    sample: BUFFERS.has(role) ? '' : (target?.name ?? ''),
    replicate: entry.replicate ?? (target === cell ? (cell?.replicate ?? 1) : measured.replicate),
    concentrationM: measured.concentrationM ?? cell?.concentrationM ?? null,
  };
  const owner = target?.owner ?? cell?.owner ?? null;
  return place(owner, content, { isMapped: true, sample: target?.sample ?? '' });
}

/** A well without a place in the plan is known by its name alone. */
function placeUnplanned(measured: MeasuredWell, { bySample }: PlannedPlace): Placement {
  const { well, role, sample, isUnnamed, replicate, concentrationM } = measured;
  const hasPlace = well !== null && locateWell(well) !== null;
  const named = isUnnamed ? undefined : bySample.get(sample);
  if (!hasPlace && named !== undefined && role !== 'empty') {
    const known = CONTROLS.has(role) || BUFFERS.has(role) ? role : named.role;
    return place(
      named.owner,
      { role: known, sample: named.name, replicate, concentrationM },
      { sample: named.sample },
    );
  }
  if (!hasPlace && (role === 'blank' || role === 'reference'))
    return place(null, { role, sample: '', replicate, concentrationM }, { sample: '' });
  if (isUnnamed) return { kind: 'left_out', isSilent: false };
  return refuse('well_not_planned', `holds ${quoteName(sample)}, and the plan has nothing there`);
}

function placePlanned(measured: MeasuredWell, cell: PlannedCell): Placement {
  const { role, sample, isUnnamed } = measured;
  const areBuffers = BUFFERS.has(role) && BUFFERS.has(cell.role);
  if (BUFFERS.has(role) && !areBuffers)
    return refuse(
      'role_other_than_planned',
      `is a ${role} in the file, and ${describeCell(cell)} in the plan`,
    );
  if (!isUnnamed && !areBuffers && sample !== cell.sample && sample !== cell.name)
    return refuse(
      'sample_other_than_planned',
      `holds ${quoteName(sample)}, and the plan has ${describeCell(cell)}`,
    );
  const isOwnControl = cell.owner !== null && CONTROLS.has(role) && role !== 'empty';
  const measuredM = measured.concentrationM;
  const content = {
    role: isOwnControl ? role : cell.role,
    sample: cell.name,
    replicate: cell.replicate,
    concentrationM: measuredM ?? cell.concentrationM,
  };
  const warning = isOther(measuredM, cell.concentrationM)
    ? {
        code: 'concentration_other_than_planned' as const,
        detail: `has ${formatMolar(measuredM)} in the file and ${formatMolar(cell.concentrationM)} in the plan; that of the file counts`,
      }
    : null;
  return place(cell.owner, content, { sample: cell.sample, warning });
}

function isOther(measuredM: number | null, plannedM: number | null): boolean {
  if (measuredM === null || plannedM === null) return false;
  return Math.abs(measuredM - plannedM) > CONCENTRATION_TOLERANCE * Math.max(measuredM, plannedM);
}

function formatMolar(molar: number | null): string {
  return molar === null ? 'none' : `${Number((molar * 1e9).toPrecision(4))} nM`;
}

function describeCell({ role, sample }: PlannedCell): string {
  return sample === '' ? `a ${role}` : quoteName(sample);
}

function quoteName(sample: string): string {
  return `“${sample}”`;
}

function refuse(code: CutProblemCode, detail: string): Placement {
  return { kind: 'refused', problem: { code, detail } };
}

function place(
  owner: string | null,
  content: PlacedContent,
  {
    isMapped = false,
    sample,
    warning = null,
  }: { isMapped?: boolean; sample: string; warning?: Mismatch | null },
): Placement {
  return { kind: 'placed', owner, content, isMapped, sample, warning };
}

/**
 * Arranging samples on the plates of a run plan: its input, its outcome, and what every kind of arrangement needs.
 */
import { createHash } from 'node:crypto';
import { createWordSource } from '#core/seeded-words.ts';
import { PLATE_SHAPES, type WellPlace, type PlateSize } from '#core/wells.ts';
import type { Site } from './balance.ts';
import type { Layout } from './layouts.ts';
import { PLAN_VERSION } from './plan.ts';
import type { PlannedPlate, PlanProblem, PlanRequest } from './plan.ts';
import type { Preparation } from './preparations.ts';

export interface ArrangementInput {
  readonly request: PlanRequest;
  readonly layout: Layout;
  readonly preparations: readonly Preparation[];
}

/** The plates, or why there can be none. */
export type Arrangement =
  { readonly plates: readonly PlannedPlate[] } | { readonly problems: readonly PlanProblem[] };

/** Returns a source of random words: the same request always arranges the same plate alike. */
export function createPlateWords({ seed }: Pick<PlanRequest, 'seed'>, plate: string): () => number {
  return createWordSource(
    createHash('sha256')
      .update(JSON.stringify([PLAN_VERSION, seed, plate]))
      .digest(),
  );
}

export function formatPlateName(index: number): string {
  return `P${index + 1}`;
}

export function isEdge(size: PlateSize, { row, column }: WellPlace): boolean {
  const { rows, columns } = PLATE_SHAPES[size];
  return row === 0 || column === 0 || row === rows - 1 || column === columns - 1;
}

export function createSite(size: PlateSize, place: WellPlace): Site {
  const { rows, columns } = PLATE_SHAPES[size];
  const quadrant = (place.row < rows / 2 ? 0 : 2) + (place.column < columns / 2 ? 0 : 1);
  return { ...place, quadrant, isEdge: isEdge(size, place) };
}

/** What a robot moves for a plate: from the well of a source to the well of the plan. */
import { formatConcentration } from '#core/number-words.ts';
import { locateWellOn } from '#core/wells.ts';
import type { PlannedContent, PlannedPlate, RunPlan } from './run-file.ts';

export type PlateSize = RunPlan['size'];

/** Where the lab keeps a sample, a control or a dilution. */
export interface Source {
  readonly sample: string;
  /** Null: any concentration is made from it. */
  readonly concentrationM: number | null;
  readonly plate: string;
  readonly size: PlateSize;
  readonly well: string;
}

export interface Transfer {
  readonly source: Pick<Source, 'plate' | 'size' | 'well'>;
  readonly destination: { readonly plate: string; readonly size: PlateSize; readonly well: string };
  readonly volumeUl: number;
}

export type ListedTransfers =
  { readonly transfers: readonly Transfer[] } | { readonly problems: readonly string[] };

/** Volumes of robots are above 0 and at most 10 mL. */
const VOLUME_MAX_UL = 10_000;
/** Rounding errors of decimal fractions are far below this share of a step. */
const STEP_TOLERANCE = 1e-6;

/**
 * Lists a transfer for each filled well; names every content that no source holds. Volume in µL; `stepUl` is the smallest
 * difference that the file can carry, in µL.
 */
export function listTransfers(
  { size }: Pick<RunPlan, 'size'>,
  { name, wells }: PlannedPlate,
  { sources, volumeUl, stepUl }: { sources: readonly Source[]; volumeUl: number; stepUl: number },
): ListedTransfers {
  if (!(volumeUl > 0 && volumeUl <= VOLUME_MAX_UL))
    return {
      problems: [`The volume is ${volumeUl} µL: choose one above 0 and up to ${VOLUME_MAX_UL} µL.`],
    };
  const steps = volumeUl / stepUl;
  if (Math.round(steps) < 1 || Math.abs(steps - Math.round(steps)) > STEP_TOLERANCE)
    return {
      problems: [
        `The volume is ${volumeUl} µL, and the file carries steps of ${stepUl} µL: choose a multiple of ${stepUl} µL.`,
      ],
    };
  const problems = new Set<string>(sources.filter(isOutside).map(describeOutside));
  const transfers = wells.flatMap((well): Transfer[] => {
    if (well.role === 'reference') return [];
    const source = findSource(sources, well);
    if (source === undefined) {
      problems.add(
        `${describeContent(well)} has no source: say in which well of which source plate it stands.`,
      );
      return [];
    }
    return [{ source, destination: { plate: name, size, well: well.well }, volumeUl }];
  });
  return problems.size > 0 ? { problems: [...problems] } : { transfers };
}

function isOutside({ size, well }: Source): boolean {
  return locateWellOn(size, well) === null;
}

function describeOutside({ plate, size, well, sample }: Source): string {
  return `The source of ${sample} is well ${well} of plate ${plate}, which has ${size} wells: choose a well such as A1.`;
}

/** A source of the very concentration comes before one of any. */
function findSource(
  sources: readonly Source[],
  { sample, concentrationM }: PlannedContent,
): Source | undefined {
  const own = sources.filter((source) => source.sample === sample);
  return (
    own.find((source) => source.concentrationM === concentrationM) ??
    own.find((source) => source.concentrationM === null)
  );
}

function describeContent({ sample, concentrationM }: PlannedContent): string {
  return concentrationM === null ? sample : `${sample} at ${formatConcentration(concentrationM)}`;
}

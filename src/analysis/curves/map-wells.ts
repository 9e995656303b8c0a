/**
 * Applies a mapping by hand to parsed sets, before anything is analyzed. An entry for a well takes precedence over one
 * for a sample, and an entry for a plate over one for all plates.
 */
import type { MappedRole, MappingEntry } from '#core/raw-mapping.ts';
import { formatWell, locateWell } from '#core/wells.ts';
import { AnalysisError } from '../failures/errors.ts';
import {
  listStatedControls,
  TRACE_ROLES,
  WELL_ROLES,
  type MeltSet,
  type PlateSet,
  type Trace,
  type TraceRole,
  type TraceSet,
  type WellRole,
} from './trace.ts';

export type Mapping = readonly MappingEntry[];

/** An entry for the files of one run; `run` is the number of a run that repeats, and absent for the first. */
export interface RunMappingEntry extends MappingEntry {
  readonly run?: number;
}

/** Selects the entries for the files of one run. */
export function selectMapping(mapping: readonly RunMappingEntry[], run: number | undefined): Mapping {
  return mapping.filter((entry) => entry.run === run);
}

/** A trace or a well as an entry names it. */
interface Named {
  readonly id?: string;
  readonly well: string | null;
  readonly sample: string;
}

/** Returns what finds the entry of each trace or well of a plate; null where the mapping does not name it. */
export function createMappingLookup(
  mapping: Mapping,
  plate: string | null,
): (named: Named) => MappingEntry | null {
  const byWell = new Map<string, MappingEntry>();
  const bySample = new Map<string, MappingEntry>();
  // Entries of the plate come last, so that they replace those of all plates.
  for (const ofPlate of [null, plate])
    for (const entry of mapping.filter((each) => each.plate === ofPlate)) {
      if (entry.well !== null) byWell.set(toPlainWell(entry.well), entry);
      else if (entry.sample !== null) bySample.set(entry.sample, entry);
    }
  return ({ id, well, sample }) =>
    byWell.get(toPlainWell(id ?? '')) ?? byWell.get(toPlainWell(well ?? '')) ?? bySample.get(sample) ?? null;
}

/** `B07` and `B7` are one well. */
function toPlainWell(name: string): string {
  const place = locateWell(name);
  return place === null ? name : formatWell(place);
}

/** Maps the traces of sensors; returns the sets that still have some. */
export function mapTraceSets(sets: readonly TraceSet[], mapping: Mapping): TraceSet[] {
  if (mapping.length === 0) return [...sets];
  return keepFilled(
    sets.map((set) => {
      const findEntry = createMappingLookup(mapping, set.plate);
      const statedControls = listStatedControls(set.traces);
      const traces = set.traces.flatMap((trace) => mapTrace(trace, findEntry(trace)));
      return { ...set, traces, statedControls };
    }),
    ({ traces }) => traces.length,
  );
}

function mapTrace(trace: Trace, entry: MappingEntry | null): Trace[] {
  if (entry === null) return [trace];
  const role = findRole<TraceRole>(entry.role, TRACE_ROLES);
  if (role === null) return [];
  const isUnnamed = entry.sequence === null && trace.isUnnamed === true;
  return [{ ...trace, ...rename(entry), role, isUnnamed }];
}

/** Maps the wells of melting runs; returns the sets that still have some. */
export function mapMeltSets(sets: readonly MeltSet[], mapping: Mapping): MeltSet[] {
  if (mapping.length === 0) return [...sets];
  return keepFilled(
    sets.map((set) => ({
      ...set,
      traces: mapWells(set.traces, set.plate, mapping),
      statedControls: listStatedControls(set.traces),
    })),
    ({ traces }) => traces.length,
  );
}

/** Maps the wells of a plate reader; returns the sets that still have some. */
export function mapPlateSets(sets: readonly PlateSet[], mapping: Mapping): PlateSet[] {
  if (mapping.length === 0) return [...sets];
  return keepFilled(
    sets.map((set) => ({
      ...set,
      readings: mapWells(set.readings, set.plate, mapping),
      statedControls: listStatedControls(set.readings),
    })),
    ({ readings }) => readings.length,
  );
}

function mapWells<Well extends Named & { role: WellRole }>(
  wells: readonly Well[],
  plate: string | null,
  mapping: Mapping,
): Well[] {
  const findEntry = createMappingLookup(mapping, plate);
  return wells.flatMap((well) => {
    const entry = findEntry(well);
    if (entry === null) return [well];
    const role = findRole<WellRole>(entry.role, WELL_ROLES);
    return role === null ? [] : [{ ...well, ...rename(entry), role }];
  });
}

function rename({ sequence, replicate }: MappingEntry): { sample?: string; replicate?: number } {
  return {
    ...(sequence === null ? {} : { sample: sequence }),
    ...(replicate === null ? {} : { replicate }),
  };
}

/** Returns null for a well that is left out. Throws `settings_invalid` for a role that such files do not have. */
function findRole<Role extends string>(role: MappedRole, known: readonly Role[]): Role | null {
  if (role === 'left_out') return null;
  const found = known.find((each) => each === role);
  if (found !== undefined) return found;
  const message = `The mapping gives a well the role ${role}; the wells of such a file have ${known.join(', ')}.`;
  throw new AnalysisError('settings_invalid', message);
}

function keepFilled<Set>(sets: readonly Set[], count: (set: Set) => number): Set[] {
  return sets.filter((set) => count(set) > 0);
}

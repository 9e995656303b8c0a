/** Reads the files of a run and cuts them; runs in a worker thread. */
import { compareTexts } from '#core/texts.ts';
import type { Assay } from '../assays/assay.ts';
import { AnalysisError } from '../failures/errors.ts';
import { isSelfContained } from '../formats/parse.ts';
import { openFile, type StoredFile } from '../formats/reading/input-file.ts';
import { writeAssayerMelts, writeAssayerPlate } from '../formats/writing/write-wells.ts';
import { writeAssayerTraces } from '../formats/writing/write-traces.ts';
import type { Trace } from '../curves/trace.ts';
import { assignOwners, type NamedSets, type OwnedSet } from './cut-sets.ts';
import type { Cut, CutPiece, CutRequest, CutShare, PlannedCells } from './types.ts';

/** Throws FormatError for a file that cannot be read. With an error of the plan, there are no pieces. */
export function cutRun(assay: Assay, request: CutRequest): Cut {
  const { plates } = request;
  const { sets, problems } = assignOwners(readByPlate(assay, request), request);
  const owners = [...new Set(plates.flatMap(({ wells }) => wells.flatMap(({ owner }) => owner ?? [])))];
  const shares = owners.map((owner) => describeShare(sets, owner));
  const error = problems.find(({ severity }) => severity === 'error');
  if (error !== undefined && request.refuses === 'errors')
    throw new AnalysisError('settings_invalid', error.message);
  return {
    problems,
    shares,
    pieces: error !== undefined ? [] : owners.flatMap((owner) => writePieces(assay, sets, owner, request)),
  };
}

/**
 * Files whose names begin with a plate of the plan are read apart from those of the other plates. A file of sensors
 * that is a complete plate is read alone, so that its cut names no other file as its source.
 */
function readByPlate(assay: Assay, { files, plates }: CutRequest): NamedSets[] {
  const sorted = files.toSorted((a, b) => compareTexts(a.name, b.name));
  const groups = Map.groupBy(sorted, (file) => {
    const isAlone = assay.reads === 'traces' && isSelfContained(openFile(file));
    return JSON.stringify([findPlateOfName(file, plates), isAlone ? file.name : null]);
  });
  return [...groups.values()].map((own) => ({
    plate: own[0] === undefined ? null : findPlateOfName(own[0], plates),
    files: own.map(({ name }) => name),
    sets: assay.read(own.map(openFile)),
  }));
}

function findPlateOfName({ name }: StoredFile, plates: readonly PlannedCells[]): string | null {
  const found = plates.find(
    (plate) => name.startsWith(plate.name) && !/^[A-Za-z0-9]/.test(name.slice(plate.name.length)),
  );
  return found?.name ?? null;
}

function describeShare(sets: readonly OwnedSet[], owner: string): CutShare {
  const rows = sets.flatMap((set): OwnedSet['rows'][number][] => [...set.rows]);
  const own = rows.filter((row) => row.owner === owner);
  const seen = rows.filter((row) => row.owner === owner || row.owner === null);
  return {
    owner,
    nOwn: own.length,
    nMapped: seen.filter(({ isMapped }) => isMapped).length,
    samples: [...new Set(own.map(({ sample }) => sample))],
  };
}

/** What the lab adds goes to every experiment that has wells on its plate. */
function writePieces(
  assay: Assay,
  sets: readonly OwnedSet[],
  owner: string,
  { instrument }: CutRequest,
): CutPiece[] {
  const counts = new Map<string, number>();
  return sets.flatMap((set) => {
    const { plate, rows } = set;
    const isOn = plate.wells.some((cell) => cell.owner === owner) || rows.some((row) => row.owner === owner);
    const seen = rows.filter((row) => row.owner === owner || row.owner === null).length;
    if (!isOn || seen === 0) return [];
    const count = (counts.get(plate.name) ?? 0) + 1;
    counts.set(plate.name, count);
    const name = `shared-${plate.name}${count === 1 ? '' : `-${count}`}.csv`;
    const bytes = writeSet(set, owner, instrument);
    return [{ owner, name, bytes, sources: set.files, contents: assay.inspect({ name, bytes }) }];
  });
}

/** States only what an analysis needs: notices and other metadata of a file may name anything. */
function writeSet(owned: OwnedSet, owner: string, instrument: string): Uint8Array {
  const head = { instrument, plate: owned.plate.name, notices: [] };
  const select = <Row>(rows: readonly { readonly row: Row; readonly owner: string | null }[]): Row[] =>
    rows.filter((row) => row.owner === owner || row.owner === null).map(({ row }) => row);
  if (owned.kind === 'traces') {
    const traces = nameTraces(select(owned.rows));
    return writeAssayerTraces({ ...owned.set, ...head, traces });
  }
  if (owned.kind === 'melts') return writeAssayerMelts({ ...owned.set, ...head, traces: select(owned.rows) });
  return writeAssayerPlate({ ...owned.set, ...head, readings: select(owned.rows) });
}

/** A trace is named by its well where no other trace has it, and numbered otherwise. */
function nameTraces(traces: readonly Trace[]): Trace[] {
  const counts = new Map<string, number>();
  for (const { id } of traces) counts.set(id, (counts.get(id) ?? 0) + 1);
  return traces.map((trace, index) => {
    const isUnique = trace.id !== '' && counts.get(trace.id) === 1;
    return isUnique ? trace : { ...trace, id: `T${String(index + 1).padStart(3, '0')}` };
  });
}

/** What one raw file holds, before anything is analyzed: read by the same parsers, for the experiment it is meant for. */
import { FormatError } from '../failures/errors.ts';
import { parseWellFiles } from './parse-wells.ts';
import { parseTraces } from './parse.ts';
import type { RawFile, InputFile } from './reading/input-file.ts';
import type { MeltSet, PlateSet, TraceSet } from '../curves/trace.ts';
import { createHash } from 'node:crypto';

/** Sets of fewer different values may agree by chance. */
const DISTINCT_VALUES_MIN = 8;

/** Returns the SHA-256 of all values of the set, in whatever order its wells stand; null where they say too little. */
function computeMeasuredDigest(set: TraceSet | MeltSet | PlateSet): string | null {
  const distinct = new Set<number>();
  const parts: string[] = [];
  for (const part of listParts(set)) {
    const hash = createHash('sha256');
    for (const values of part) {
      for (let i = 0; i < values.length && distinct.size < DISTINCT_VALUES_MIN; i += 1)
        distinct.add(values[i]);
      hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
    parts.push(hash.digest('hex'));
  }
  if (distinct.size < DISTINCT_VALUES_MIN) return null;
  return createHash('sha256').update(parts.toSorted().join('\n')).digest('hex');
}

/** The signals of each curve, or the value of each well. Not their axis, which other measurements share. */
function* listParts(set: TraceSet | MeltSet | PlateSet): Generator<readonly Float64Array[]> {
  if ('readings' in set) for (const { value } of set.readings) yield [Float64Array.of(value ?? Number.NaN)];
  else
    for (const trace of set.traces)
      yield 'steps' in trace ? trace.steps.map(({ signal }) => signal) : [trace.signal];
}

export interface FileToInspect {
  experimentType: string;
  file: RawFile;
}

export interface InspectedSet {
  /** The format as the parsers name it; `plate-map` for a map without data. */
  format: string;
  instrument: string | null;
  plate: string | null;
  /** Curves of sensors or wells, or single readings. */
  nTraces: number;
  notices: string[];
  /** Of the measured values; null for a map, and where there are few of them. */
  digest: string | null;
}

export interface FileContents {
  sets: InspectedSet[];
  /** Distinct sample names, without those that only repeat the name of their well. */
  samples: string[];
  /** Distinct names of controls. */
  controls: string[];
  /** Wells of samples without a name in the file. */
  nUnnamedWells: number;
}

interface Named {
  readonly role: string;
  readonly sample: string;
  readonly well: string | null;
}

/** Inspects a file of sensor traces. Throws FormatError for a damaged file and one of unknown format. */
export function inspectTraces(file: InputFile): FileContents {
  const sets = parseTraces([file]);
  const inspected = sets.map((set) => describeSet(set, set.traces.length));
  assertMeasuredOnce(file, inspected);
  return { sets: inspected, ...collectNames(sets.flatMap(({ traces }) => traces)) };
}

const KINDS = { melts: 'melting curves', values: 'values of a plate reader' } as const;

/** Inspects a file of wells of one kind. Throws like `inspectTraces`, and for a file of the other kind. */
export function inspectWells(file: InputFile, kind: keyof typeof KINDS): FileContents {
  const { melts, plates, map } = parseWellFiles([file]);
  const [wrong, other] = kind === 'melts' ? [plates, KINDS.values] : [melts, KINDS.melts];
  if (wrong.length > 0)
    throw new FormatError({ file: file.name, line: null, column: null, expected: KINDS[kind], found: other });
  const sets: (MeltSet | PlateSet)[] = [...melts, ...plates];
  const contents = sets.map((set) => ('traces' in set ? set.traces : set.readings)).flat();
  const mapped = [...(map ?? [])].map(([well, content]) => ({
    role: 'sample',
    sample: well,
    ...content,
    well,
  }));
  const inspected: InspectedSet[] =
    sets.length > 0
      ? sets.map((set) => describeSet(set, ('traces' in set ? set.traces : set.readings).length))
      : [{ format: 'plate-map', instrument: null, plate: null, nTraces: 0, notices: [], digest: null }];
  assertMeasuredOnce(file, inspected);
  return { sets: inspected, ...collectNames(sets.length > 0 ? contents : mapped) };
}

function describeSet(set: TraceSet | MeltSet | PlateSet, nTraces: number): InspectedSet {
  const { format, instrument, plate, notices } = set;
  return {
    format,
    instrument: toStorable(instrument),
    plate: toStorable(plate),
    nTraces,
    notices: notices.map(toPlain),
    digest: computeMeasuredDigest(set),
  };
}

/** One measurement twice would count as two. */
function assertMeasuredOnce(file: InputFile, sets: readonly InspectedSet[]): void {
  const digests = sets.flatMap(({ digest }) => digest ?? []);
  if (new Set(digests).size === digests.length) return;
  const expected = 'each measurement once in the archive or workbook';
  throw new FormatError({
    file: file.name,
    line: null,
    column: null,
    expected,
    found: 'the same values twice',
  });
}

function collectNames(all: readonly Named[]): Omit<FileContents, 'sets'> {
  const samples = new Set<string>();
  const controls = new Set<string>();
  const unnamed = new Set<string>();
  for (const { role, sample, well } of all) {
    if (role === 'positive_control' || role === 'negative_control') controls.add(toPlain(sample));
    if (role !== 'sample') continue;
    if (sample === '' || sample === well) unnamed.add(well ?? '');
    else samples.add(toPlain(sample));
  }
  return { samples: [...samples], controls: [...controls], nUnnamedWells: unnamed.size };
}

/** Removes the characters of a text that the database cannot store. */
function toPlain(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

function toStorable(text: string | null): string | null {
  return text === null ? null : toPlain(text);
}

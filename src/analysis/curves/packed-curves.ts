/**
 * Processed curves as they are stored: gzip of the JSON that the API sends, made in the worker that fitted them, so
 * that the thread that serves requests never writes out a point. `features/results/packed-curves.ts` joins the curves
 * of all replicates of a result.
 */
import { gzipSync } from 'node:zlib';
import { JsonBytes } from './json-bytes.ts';
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

interface PlotInjection {
  readonly startS: number;
  readonly endS: number;
  readonly concentrationM: number;
}

/** Of one sensor, as it is drawn. */
export interface PlotCurve {
  traceId: string;
  well: string | null;
  /** The highest of several injections. */
  concentrationM: number;
  /** Injections of single-cycle kinetics in order of time, in s since the first one; null for a single injection. */
  injections: readonly PlotInjection[] | null;
  /** Times in s since the nominal start of association. */
  timeS: Float64Array;
  signal: Float64Array;
  /** Null without a kinetic fit. */
  fit: Float64Array | null;
  residual: Float64Array | null;
  associationS: number;
  rmax: number | null;
  response: number;
  /** Left out of the fit because of spikes. */
  excluded: boolean;
}

/** Points of a figure, in the form of the API; `kind` determines the members. */
export type AssayCurve = { readonly kind: string; readonly replicate: number | null } & Readonly<
  Record<string, unknown>
>;

/** The fast level: rounding the digits already gives most of the compression. */
const LEVEL = { level: 1 } as const;

/** Packs the curves of one replicate as a gzip member of JSON objects joined by commas; null without curves. */
export function packCurves(replicate: number, curves: readonly PlotCurve[]): Uint8Array | null {
  if (curves.length === 0) return null;
  const json = new JsonBytes();
  for (const [index, curve] of curves.entries()) {
    if (index > 0) json.addRaw(',');
    writeCurve(json, replicate, curve);
  }
  return gzipSync(json.getBytes(), LEVEL);
}

/** Packs curves that already have the form of the API. */
export function packAssayCurves(curves: readonly AssayCurve[]): Uint8Array | null {
  if (curves.length === 0) return null;
  return gzipSync(curves.map((curve) => JSON.stringify(curve)).join(','), LEVEL);
}

/** Packs a curve without its replicate number, which is known only after all wells of a sample. */
export function packUnnumbered({ kind: _kind, replicate: _replicate, ...rest }: AssayCurve): Uint8Array {
  return gzipSync(JSON.stringify(rest).slice(1), LEVEL);
}

const COMMA = gzipSync(',');

/** Adds the numbers to curves of `packUnnumbered`, in the form of `packAssayCurves`: a sequence of gzip members. */
export function joinNumbered(
  curves: readonly { kind: string; replicate: number; packed: KeptCurves }[],
): KeptCurves[] {
  return curves.flatMap(({ kind, replicate, packed }, index) => [
    ...(index === 0 ? [] : [COMMA]),
    gzipSync(`${JSON.stringify({ kind, replicate }).slice(0, -1)},`, LEVEL),
    packed,
  ]);
}

/** Joins members that `packAssayCurves` made, in its form. */
export function joinMembers(members: readonly KeptCurves[]): KeptCurves[] {
  return members.flatMap((member, index) => (index === 0 ? [member] : [COMMA, member]));
}

/** Six decimals are far below the noise of any instrument and halve the bytes. */
function writeCurve(json: JsonBytes, replicate: number, curve: PlotCurve): void {
  const { concentrationM, injections, timeS, signal, fit, residual, associationS, rmax, excluded } = curve;
  const points = { time_s: timeS, signal, fit, residual };
  json.addRaw(
    `{"replicate":${JSON.stringify(replicate)},"concentration_m":${JSON.stringify(concentrationM)}`,
  );
  for (const [key, values] of Object.entries(points)) {
    json.addRaw(`,"${key}":`);
    if (values === null) json.addRaw('null');
    else json.addArray(values);
  }
  json.addRaw(
    `,"association_start_s":0,"dissociation_start_s":${JSON.stringify(associationS)},"rmax":${JSON.stringify(rmax)},"excluded":${JSON.stringify(excluded)}`,
  );
  if (injections !== null) json.addRaw(`,"injections":${JSON.stringify(injections.map(toWire))}`);
  json.addRaw('}');
}

function toWire({ startS, endS, concentrationM }: PlotInjection) {
  return { start_s: startS, end_s: endS, concentration_m: concentrationM };
}

/**
 * Where packed curves are until a result is stored: in memory, or in a file aside, so that the memory of an analysis does
 * not grow with the points that were measured.
 */

/** The place of packed curves in a file. Plain data, so that it can be sent between threads. */
interface CurvesAside {
  readonly path: string;
  readonly from: number;
  readonly length: number;
}

/** A gzip member, or its place. */
export type KeptCurves = Uint8Array | CurvesAside;

/** Keeps a gzip member for later. */
export type KeepCurves = (packed: Uint8Array) => KeptCurves;

export const keepInMemory: KeepCurves = (packed) => packed;

/** Does work that keeps its curves at the end of the file, which nobody else writes meanwhile. */
export function keepInFile<Result>(path: string, work: (keep: KeepCurves) => Result): Result {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    let end = fstatSync(descriptor).size;
    return work((packed) => {
      const from = end;
      for (let done = 0; done < packed.length;) done += writeSync(descriptor, packed, done);
      end += packed.length;
      return { path, from, length: packed.length };
    });
  } finally {
    closeSync(descriptor);
  }
}

export async function readCurves(kept: KeptCurves): Promise<Uint8Array> {
  if (kept instanceof Uint8Array) return kept;
  const { path, from, length } = kept;
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from);
    if (bytesRead < length) throw new Error('the curves that an analysis kept aside are cut short');
    return buffer;
  } finally {
    await file.close();
  }
}

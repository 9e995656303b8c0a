/**
 * Processed curves as they are stored: gzip of the wire's JSON, made in the worker that fitted them, so that the thread that
 * serves requests never writes out a point. `domain/results/packed-curves.ts` joins those of the replicates of a result.
 */
import { gzipSync } from 'node:zlib';
import { JsonBytes } from './json-bytes.ts';

/** Of one sensor, as it is drawn. */
export interface PlotCurve {
  traceId: string;
  well: string | null;
  concentrationM: number;
  /** Times in s since the nominal start of association. */
  timeS: number[];
  signal: number[];
  /** Null without a kinetic fit. */
  fit: number[] | null;
  residual: number[] | null;
  associationS: number;
  rmax: number | null;
  response: number;
  /** Left out of the fit (spikes). */
  excluded: boolean;
}

/** Points of a picture, in the form of the wire: `kind` says which members there are. */
export type AssayCurve = { readonly kind: string; readonly replicate: number | null } & Readonly<
  Record<string, unknown>
>;

/** Fast: most of the gain of compression is in the digits that are cut. */
const LEVEL = { level: 1 } as const;

/** The curves of one replicate as a gzip member of JSON objects with commas between, or null without any. */
export function packCurves(replicate: number, curves: readonly PlotCurve[]): Uint8Array | null {
  if (curves.length === 0) return null;
  const json = new JsonBytes();
  for (const [index, curve] of curves.entries()) {
    if (index > 0) json.raw(',');
    writeCurve(json, replicate, curve);
  }
  return gzipSync(json.built(), LEVEL);
}

/** The same of curves that are in the form of the wire already. */
export function packAssayCurves(curves: readonly AssayCurve[]): Uint8Array | null {
  if (curves.length === 0) return null;
  return gzipSync(curves.map((curve) => JSON.stringify(curve)).join(','), LEVEL);
}

/** A curve without the number of its replicate, which is only known when all wells of a sample are. */
export function packUnnumbered({ kind: _kind, replicate: _replicate, ...rest }: AssayCurve): Uint8Array {
  return gzipSync(JSON.stringify(rest).slice(1), LEVEL);
}

const COMMA = gzipSync(',');

/** Curves of `packUnnumbered` with their numbers, as `packAssayCurves` has them: a row of gzip members. */
export function joinNumbered(
  curves: readonly { kind: string; replicate: number; packed: Uint8Array }[],
): Uint8Array {
  const members = curves.flatMap(({ kind, replicate, packed }, index) => [
    ...(index === 0 ? [] : [COMMA]),
    gzipSync(`${JSON.stringify({ kind, replicate }).slice(0, -1)},`, LEVEL),
    packed,
  ]);
  return Buffer.concat(members);
}

/** Six decimals are far below the noise of any instrument, and half the bytes. */
function writeCurve(json: JsonBytes, replicate: number, curve: PlotCurve): void {
  const { concentrationM, timeS, signal, fit, residual, associationS } = curve;
  const points = { time_s: timeS, signal, fit, residual };
  json.raw(`{"replicate":${JSON.stringify(replicate)},"concentration_m":${JSON.stringify(concentrationM)}`);
  for (const [key, values] of Object.entries(points)) {
    json.raw(`,"${key}":`);
    if (values === null) json.raw('null');
    else json.array(values);
  }
  json.raw(`,"association_start_s":0,"dissociation_start_s":${JSON.stringify(associationS)}}`);
}

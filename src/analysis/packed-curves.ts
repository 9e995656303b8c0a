/**
 * Processed curves as they are stored: gzip of the wire's JSON, made in the worker that fitted them, so that the thread that
 * serves requests never writes out a point. `domain/results/packed-curves.ts` joins those of the replicates of a result.
 */
import { gzipSync } from 'node:zlib';
import type { PlotCurve } from './affinity-types.ts';
import type { AssayCurve } from './assay-types.ts';

/** Fast: most of the gain of compression is in the digits that are cut. */
const LEVEL = { level: 1 } as const;

/** The curves of one replicate as a gzip member of JSON objects with commas between, or null without any. */
export function packCurves(replicate: number, curves: readonly PlotCurve[]): Uint8Array | null {
  if (curves.length === 0) return null;
  return gzipSync(curves.map((curve) => JSON.stringify(wireCurve(replicate, curve))).join(','), LEVEL);
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

function wireCurve(replicate: number, curve: PlotCurve) {
  return {
    replicate,
    concentration_m: curve.concentrationM,
    time_s: rounded(curve.timeS),
    signal: rounded(curve.signal),
    fit: curve.fit === null ? null : rounded(curve.fit),
    residual: curve.residual === null ? null : rounded(curve.residual),
    association_start_s: 0,
    dissociation_start_s: curve.associationS,
  };
}

/** Far below the noise of any instrument, and half the bytes. */
function rounded(values: readonly number[]): number[] {
  return values.map((value) => Math.round(value * 1e6) / 1e6);
}

/**
 * Projects a shape and its derivatives: removes the free columns of a curve and whitens by its held ones, in place.
 * This runs in every evaluation, so two columns are removed in a pass, and the last pass sums the products that the
 * amplitude needs.
 */
import { computeWhiteningShrinkage } from './held-column.ts';
import type { HeldColumn } from './held-column.ts';
import type { LocalBasis } from './local-basis.ts';
import type { ShapeBuffers } from './model.ts';

/** Products of a shape with itself, with the data and with its derivatives, summed over points in their order. */
export interface ShapeProducts {
  ss: number;
  sy: number;
  sa: number;
  sd: number;
}

/** Projects a shape and its derivatives, in place. */
export function projectShapes(shapes: ShapeBuffers, local: LocalBasis, offset: number): void {
  const { basis, held } = local;
  for (const direction of basis) {
    measureAlong(direction, 1, shapes, offset);
    subtractPair(direction, direction, shapes, offset);
  }
  for (let k = 0; k < held.columns.length; k += 2) {
    measureHeld(held.columns, k, shapes, offset);
    subtractPair(held.columns[k].direction, getSecond(held.columns, k).direction, shapes, offset);
  }
}

/** Like `projectShapes`; also adds the products of the projected shape to `sums`. */
export function projectAndMultiply(
  shapes: ShapeBuffers,
  local: LocalBasis,
  offset: number,
  { data, sums }: { data: Float64Array; sums: ShapeProducts },
): void {
  const { basis, held } = local;
  for (const direction of basis) {
    measureAlong(direction, 1, shapes, offset);
    subtractPair(direction, direction, shapes, offset);
  }
  const { columns } = held;
  for (let k = 0; k < columns.length; k += 2) {
    measureHeld(columns, k, shapes, offset);
    const one = columns[k].direction;
    const other = getSecond(columns, k).direction;
    if (k + 2 < columns.length) subtractPair(one, other, shapes, offset);
    else subtractLastPair(one, other, shapes, offset, data, sums);
  }
  if (columns.length === 0) multiply(shapes, offset, offset + local.projected.length, data, sums);
}

/** Returns the column after this one; the column itself, of which nothing is then removed, after the last. */
function getSecond(columns: readonly HeldColumn[], k: number): HeldColumn {
  return columns[Math.min(k + 1, columns.length - 1)];
}

/** What is removed along two directions: of the shape and its derivatives, along the one and along the other. */
const along = new Float64Array(6);

function measureAlong(
  direction: Float64Array,
  fraction: number,
  { shape, byLnKon, byLnKoff }: ShapeBuffers,
  offset: number,
): void {
  let s = 0;
  let a = 0;
  let d = 0;
  for (let i = 0; i < direction.length; i += 1) {
    const u = direction[i];
    s += u * shape[offset + i];
    a += u * byLnKon[offset + i];
    d += u * byLnKoff[offset + i];
  }
  along.fill(0);
  along[0] = fraction * s;
  along[1] = fraction * a;
  along[2] = fraction * d;
}

/** Measures along a held column and the one after it. What the first takes away shortens what the second finds. */
function measureHeld(columns: readonly HeldColumn[], k: number, shapes: ShapeBuffers, offset: number): void {
  const first = columns[k];
  const fraction = computeWhiteningShrinkage(first);
  if (k + 1 === columns.length) {
    measureAlong(first.direction, fraction, shapes, offset);
    return;
  }
  const second = columns[k + 1];
  const one = first.direction;
  const other = second.direction;
  const { shape, byLnKon, byLnKoff } = shapes;
  let s1 = 0;
  let a1 = 0;
  let d1 = 0;
  let s2 = 0;
  let a2 = 0;
  let d2 = 0;
  for (let i = 0; i < one.length; i += 1) {
    const u = one[i];
    const v = other[i];
    const s = shape[offset + i];
    const a = byLnKon[offset + i];
    const d = byLnKoff[offset + i];
    s1 += u * s;
    a1 += u * a;
    d1 += u * d;
    s2 += v * s;
    a2 += v * a;
    d2 += v * d;
  }
  const after = computeWhiteningShrinkage(second);
  s1 *= fraction;
  a1 *= fraction;
  d1 *= fraction;
  along[0] = s1;
  along[1] = a1;
  along[2] = d1;
  along[3] = after * (s2 - s1 * second.alongPrevious);
  along[4] = after * (a2 - a1 * second.alongPrevious);
  along[5] = after * (d2 - d1 * second.alongPrevious);
}

/** Removes what was measured along both directions. */
function subtractPair(
  one: Float64Array,
  other: Float64Array,
  { shape, byLnKon, byLnKoff }: ShapeBuffers,
  offset: number,
): void {
  const s1 = along[0];
  const a1 = along[1];
  const d1 = along[2];
  const s2 = along[3];
  const a2 = along[4];
  const d2 = along[5];
  for (let i = 0; i < one.length; i += 1) {
    const u = one[i];
    const v = other[i];
    shape[offset + i] -= s1 * u + s2 * v;
    byLnKon[offset + i] -= a1 * u + a2 * v;
    byLnKoff[offset + i] -= d1 * u + d2 * v;
  }
}

/** Like `subtractPair`; the products need no further pass, and their sums no time beside it. */
function subtractLastPair(
  one: Float64Array,
  other: Float64Array,
  { shape, byLnKon, byLnKoff }: ShapeBuffers,
  offset: number,
  data: Float64Array,
  sums: ShapeProducts,
): void {
  const s1 = along[0];
  const a1 = along[1];
  const d1 = along[2];
  const s2 = along[3];
  const a2 = along[4];
  const d2 = along[5];
  let { ss, sy, sa, sd } = sums;
  for (let i = 0; i < one.length; i += 1) {
    const u = one[i];
    const v = other[i];
    const s = shape[offset + i] - (s1 * u + s2 * v);
    const a = byLnKon[offset + i] - (a1 * u + a2 * v);
    const d = byLnKoff[offset + i] - (d1 * u + d2 * v);
    shape[offset + i] = s;
    byLnKon[offset + i] = a;
    byLnKoff[offset + i] = d;
    ss += s * s;
    sy += s * data[offset + i];
    sa += s * a;
    sd += s * d;
  }
  sums.ss = ss;
  sums.sy = sy;
  sums.sa = sa;
  sums.sd = sd;
}

function multiply(
  { shape, byLnKon, byLnKoff }: ShapeBuffers,
  from: number,
  to: number,
  data: Float64Array,
  sums: ShapeProducts,
): void {
  let { ss, sy, sa, sd } = sums;
  for (let i = from; i < to; i += 1) {
    const s = shape[i];
    ss += s * s;
    sy += s * data[i];
    sa += s * byLnKon[i];
    sd += s * byLnKoff[i];
  }
  sums.ss = ss;
  sums.sy = sy;
  sums.sa = sa;
  sums.sd = sd;
}

/**
 * What a fit projects out of each curve before it sees the rates: the columns that do not depend on them, free or held by a
 * prior, and the data without them.
 */
import { mapColumn, appendDirection, projectOut, projectOutAll } from '#analysis/numerics/matrix.ts';
import { buildHeld, NOT_HELD, reduceAllByHeld, reduceByHeld } from './held-column.ts';
import { takeCopy } from './column-room.ts';
import { CurveCache } from './curve-cache.ts';
import type { Held } from './held-column.ts';
import type { HeldRmax } from './held-rmax.ts';
import { countUpTo } from '#analysis/numerics/search.ts';
import { listStretches } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';

/** `local`: one Rmax per curve (one BLI sensor per concentration). `global`: one for all (one SPR surface). */
export type RmaxRule = 'local' | 'global';

export interface LinearTerms {
  rmax: RmaxRule;
  /** Holds local Rmax to a common one. Default: each is free. */
  heldRmax?: HeldRmax;
  /** Refractive-index step during association. */
  bulkShift: boolean;
  /** Free slope over the whole curve. */
  drift: boolean;
  /** Slope over the whole curve, held to what `FitCurve.drift` says about it. Default false. */
  heldDrift?: boolean;
  /** Errors of the levels of a curve, held to this fraction of their standard errors. Default 0: none is fitted. */
  heldLevels?: number;
  /** Constant over the whole curve. */
  offset: boolean;
  /** Constant over dissociation. Default false. */
  step?: boolean;
}

export type LinearTerm = 'bulkShift' | 'drift' | 'offset' | 'step';

export interface LocalBasis {
  terms: LinearTerm[];
  columns: Float64Array[];
  /** Orthonormal columns with the span of `columns`. */
  basis: Float64Array[];
  held: Held;
  /** The data of the curve after projecting out these columns. */
  projected: Float64Array;
}

/** The bases of a curve by the terms they are for: fits of the same curves share them. */
const known = new CurveCache<Map<string, LocalBasis>>();

/** Bases of more kinds of fit are not kept. */
const KNOWN_MAX = 6;

/** Returns what a fit with these terms projects out of a curve. */
export function getLocalBasis(curve: FitCurve, terms: LinearTerms, time: TimeZero): LocalBasis {
  // The column of the injection moves with the times.
  if (terms.bulkShift) return buildLocalBasis(curve, terms, time);
  const { drift, step, offset, heldDrift, heldLevels } = terms;
  const key = [drift, step === true, offset, heldDrift === true, heldLevels ?? 0].join();
  const ofCurve = known.get(curve, () => new Map());
  const found = ofCurve.get(key);
  if (found !== undefined) return found;
  const built = buildLocalBasis(curve, terms, time);
  if (ofCurve.size < KNOWN_MAX) ofCurve.set(key, built);
  return built;
}

function buildLocalBasis(curve: FitCurve, terms: LinearTerms, time: TimeZero): LocalBasis {
  const { timeS } = curve;
  const projected = takeCopy(curve.signal);
  const local: LocalBasis = { terms: [], columns: [], basis: [], held: NOT_HELD, projected };
  if (terms.bulkShift) {
    const injected = listStretches(curve, time).filter((stretch) => stretch.concentrationM > 0);
    // The step is proportional to the concentration of the injection, as the refractive index is.
    const column = new Float64Array(timeS.length);
    for (const { startS, endS, concentrationM } of injected)
      for (let i = countUpTo(timeS, startS); i < timeS.length && timeS[i] <= endS; i += 1)
        column[i] = concentrationM / curve.concentrationM;
    addColumn(local, 'bulkShift', column);
  }
  if (terms.drift) addColumn(local, 'drift', timeS.slice());
  if (terms.step === true || curve.hasFreeStep === true) {
    const { associationS } = curve;
    addColumn(
      local,
      'step',
      mapColumn(timeS, (t) => (t > associationS ? 1 : 0)),
    );
  }
  if (terms.offset) addColumn(local, 'offset', new Float64Array(timeS.length).fill(1));
  const hasDrift = terms.heldDrift === true && !terms.drift;
  const levels = terms.heldLevels ?? 0;
  if (hasDrift || levels > 0) local.held = buildHeld(curve, local.basis, { hasDrift, levels });
  projectLocal(local, projected, 0);
  return local;
}

function addColumn(local: LocalBasis, term: LinearTerm, column: Float64Array): void {
  if (!appendDirection(local.basis, column)) return;
  local.terms.push(term);
  local.columns.push(column);
}

/** Removes the free columns of a curve from `values[offset …]`, in place, and whitens by its held ones. */
export function projectLocal(
  { basis, held }: Pick<LocalBasis, 'basis' | 'held'>,
  values: Float64Array,
  offset: number,
): void {
  projectOut(basis, values, offset);
  reduceByHeld(held.columns, values, offset);
}

/** Like `projectLocal` of each column over the points of the curve, several at a time. */
export function projectLocalAll(
  { basis, held }: Pick<LocalBasis, 'basis' | 'held'>,
  columns: readonly Float64Array[],
): void {
  projectOutAll(basis, columns);
  reduceAllByHeld(held.columns, columns);
}

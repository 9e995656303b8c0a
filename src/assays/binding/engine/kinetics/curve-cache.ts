/**
 * What the fits of one replicate share for each curve. It is forgotten after each replicate: kept as long as the curves of a
 * plate, it would fill memory that only a costly collection frees.
 */
import type { FitCurve } from './model.ts';

const all: CurveCache<unknown>[] = [];

export class CurveCache<Value> {
  #known = new WeakMap<FitCurve, Value>();

  constructor() {
    all.push(this);
  }

  /** Returns the value of a curve, made where there is none. */
  get(curve: FitCurve, make: (curve: FitCurve) => Value): Value {
    const found = this.#known.get(curve);
    if (found !== undefined) return found;
    const value = make(curve);
    this.#known.set(curve, value);
    return value;
  }

  clear(): void {
    this.#known = new WeakMap();
  }
}

/** Forgets what was kept for all curves. */
export function clearCurves(): void {
  for (const cache of all) cache.clear();
}

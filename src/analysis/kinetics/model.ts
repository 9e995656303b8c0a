/**
 * The 1:1 interaction model with unit Rmax (Karlsson 1991; O'Shannessy 1993; Morton & Myszka 1998).
 *
 * With u = kon·C, k = u + koff, A = u/k and the time t since the start of association of length t_a:
 *   0 < t ≤ t_a:  s = A·(1 − e^(−k t))
 *   t > t_a:      s = A·(1 − e^(−k t_a))·e^(−koff (t − t_a))
 * Derivatives are taken for a = ln kon and d = ln koff, where ∂A/∂a = A(1 − A) = −∂A/∂d.
 */

export interface FitCurve {
  /** Times since the nominal start of association in s, ascending; negative ones are baseline. */
  timeS: Float64Array;
  /** Processed signal, same length. */
  signal: Float64Array;
  /** Analyte concentration in M, above zero. */
  concentrationM: number;
  /** Nominal length of the association in s. */
  associationS: number;
}

/** Shift of the true start and end of the association against the nominal ones, in s. */
export interface TimeZero {
  startS: number;
  endS: number;
}

export const NOMINAL_TIME: TimeZero = { startS: 0, endS: 0 };

export interface ShapeBuffers {
  shape: Float64Array;
  /** ∂s/∂ln kon. */
  byLnKon: Float64Array;
  /** ∂s/∂ln koff. */
  byLnKoff: Float64Array;
}

/** Writes the unit-Rmax response and both derivatives of one curve into `out`, from index `offset` on. */
export function writeShape(
  curve: FitCurve,
  rates: { kon: number; koff: number },
  time: TimeZero,
  out: ShapeBuffers,
  offset: number,
): void {
  const { timeS, concentrationM, associationS } = curve;
  const { shape, byLnKon, byLnKoff } = out;
  const koff = rates.koff;
  const u = rates.kon * concentrationM;
  const k = u + koff;
  const occupancy = u / k;
  const slope = occupancy * (1 - occupancy);
  const endS = associationS + time.endS - time.startS;
  const decayAtEnd = Math.exp(-k * endS);
  const boundAtEnd = occupancy * (1 - decayAtEnd);
  const boundByKon = slope * (1 - decayAtEnd) + occupancy * endS * u * decayAtEnd;
  const boundByKoff = -slope * (1 - decayAtEnd) + occupancy * endS * koff * decayAtEnd;
  for (let i = 0; i < timeS.length; i += 1) {
    const t = timeS[i] - time.startS;
    const at = offset + i;
    if (t <= 0) {
      shape[at] = 0;
      byLnKon[at] = 0;
      byLnKoff[at] = 0;
    } else if (t <= endS) {
      const decay = Math.exp(-k * t);
      const spread = slope * (1 - decay);
      const rising = occupancy * t * decay;
      shape[at] = occupancy * (1 - decay);
      byLnKon[at] = spread + rising * u;
      byLnKoff[at] = rising * koff - spread;
    } else {
      const since = t - endS;
      const decay = Math.exp(-koff * since);
      shape[at] = boundAtEnd * decay;
      byLnKon[at] = boundByKon * decay;
      byLnKoff[at] = (boundByKoff - boundAtEnd * koff * since) * decay;
    }
  }
}

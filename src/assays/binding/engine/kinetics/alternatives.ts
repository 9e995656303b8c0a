/**
 * Binding models beside 1:1, each as a response with unit Rmax, so that amplitudes stay linear and are eliminated.
 *
 * - `mass_transport`: quasi-steady two compartments (Myszka 1998), dr/dt = (u(1 − r) − koff·r) / (1 + (kon/kt)(1 − r)), with the
 *   transport coefficient kt in M⁻¹s⁻¹ per unit of Rmax: with Rmax four parameters.
 * - `heterogeneous_ligand`: two kinds of independent 1:1 sites in the ratio f : 1 − f.
 * - `bivalent_analyte`: one analyte bridges two sites, da/dt = 2u·l − koff·a − k₂·a·l + 2k₋₂·b and db/dt = k₂·a·l − 2k₋₂·b with
 *   free sites l = 1 − a − 2b; the signal is a + b.
 *
 * All parameters are natural logarithms; the last one of the heterogeneous ligand is ln(f/(1 − f)).
 */
import { NOMINAL_TIME, addResponse, writeShape } from './model.ts';
import type { FitCurve, TimeZero } from './model.ts';
import { deriveTransport, writeBivalent, writeTransport } from './integrated.ts';

export type AlternativeModel = 'mass_transport' | 'heterogeneous_ligand' | 'bivalent_analyte';

interface Rates {
  kon: number;
  koff: number;
}

export interface AlternativeShape {
  /** Number of nonlinear parameters. */
  readonly size: number;
  /** Starting points near a 1:1 fit. */
  readonly getStarts: (fit: Rates) => number[][];
  /** Writes the unit-Rmax response of one curve into `out`, zeros before, from index `offset` on. */
  readonly write: Writer<Float64Array>;
  /** Writes its derivative with respect to each parameter; numerically where there is no closed form. */
  readonly derive?: Writer<readonly Float64Array[]>;
}

type Writer<Out> = (
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Out,
  offset: number,
) => void;

export const ALTERNATIVES: Readonly<Record<AlternativeModel, AlternativeShape>> = {
  mass_transport: {
    size: 3,
    getStarts: buildTransportStarts,
    write: writeTransport,
    derive: deriveTransport,
  },
  heterogeneous_ligand: {
    size: 5,
    getStarts: buildHeterogeneousStarts,
    write: writeHeterogeneous,
    derive: deriveHeterogeneous,
  },
  bivalent_analyte: { size: 4, getStarts: buildBivalentStarts, write: writeBivalent },
};

function buildTransportStarts({ kon, koff }: Rates): number[][] {
  // Transport limitation lowers both apparent rates by the same factor.
  const factor = 4;
  return [[Math.log(factor * kon), Math.log(factor * koff), Math.log(2 * kon)]];
}

function buildHeterogeneousStarts({ kon, koff }: Rates): number[][] {
  const start = (a: number, d: number, logit: number): number[] => [
    Math.log(kon),
    Math.log(koff / 2),
    Math.log(a * kon),
    Math.log(d * koff),
    logit,
  ];
  return [start(1, 6, 0.8), start(3, 3, 0), start(0.2, 1, 0.5)];
}

function buildBivalentStarts({ kon, koff }: Rates): number[][] {
  return [1, 10].map((factor) => [
    Math.log(kon / 2),
    Math.log(3 * factor * koff),
    Math.log(3 * factor * koff),
    Math.log(koff),
  ]);
}

function writeHeterogeneous(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: Float64Array,
  offset: number,
): void {
  const [kon, koff, kon2, koff2] = theta.map(Math.exp);
  const fraction = 1 / (1 + Math.exp(-theta[4]));
  addResponse(curve, { kon, koff }, { time, weight: fraction }, out, offset);
  addResponse(curve, { kon: kon2, koff: koff2 }, { time, weight: 1 - fraction }, out, offset);
}

/** Room for the response of one kind of site on one curve, which every step of a search needs. */
let siteShape = new Float64Array(0);

function deriveHeterogeneous(
  curve: FitCurve,
  theta: readonly number[],
  time: TimeZero,
  out: readonly Float64Array[],
  offset: number,
): void {
  const n = curve.timeS.length;
  const fraction = 1 / (1 + Math.exp(-theta[4]));
  const views = out.map((column) => column.subarray(offset, offset + n));
  if (siteShape.length < n) siteShape = new Float64Array(n);
  const shape = siteShape;
  const byLogit = views[4].fill(0);
  for (const site of [0, 1]) {
    const part = site === 0 ? fraction : 1 - fraction;
    const slope = (site === 0 ? 1 : -1) * fraction * (1 - fraction);
    const rates = { kon: Math.exp(theta[2 * site]), koff: Math.exp(theta[2 * site + 1]) };
    const [byLnKon, byLnKoff] = [views[2 * site], views[2 * site + 1]];
    writeShape(curve, rates, time, { shape, byLnKon, byLnKoff }, 0);
    for (let i = 0; i < n; i += 1) {
      byLnKon[i] *= part;
      byLnKoff[i] *= part;
      byLogit[i] += slope * shape[i];
    }
  }
}

/** Returns the signal of a model at unit Rmax and nominal times, for simulations. */
export function computeAlternativeResponse(
  model: AlternativeModel,
  curve: FitCurve,
  theta: readonly number[],
): Float64Array {
  const out = new Float64Array(curve.timeS.length);
  ALTERNATIVES[model].write(curve, theta, NOMINAL_TIME, out, 0);
  return out;
}

/**
 * Small parts of other mechanisms beside 1:1 binding, each a shape whose size is unknown and small: what a second kind of site, slow
 * transport or a complex that turns adds to the curves, to first order. Sizes run from zero to the largest that is plausible without
 * further knowledge; larger ones are for the models of `alternatives.ts`.
 */
import { ALTERNATIVES } from './alternatives.ts';
import { takeZeros } from './column-room.ts';
import type { KineticFit } from './fit.ts';
import { addResponse, listStretches } from './model.ts';
import type { FitCurve } from './model.ts';

export interface Mechanism {
  readonly name: 'second_site' | 'mass_transport' | 'conformational';
  /** Weight before the curves are seen, relative to the other mechanisms. */
  readonly prior: number;
  /** Largest size; each size up to it is as likely as any other. */
  readonly sizeMax: number;
  /** By how much a size lowers ln KD of the whole below that of the contact that is fitted. */
  readonly computeTightening: (size: number) => number;
  /**
   * How far at most a size moves the logarithm of a rate or of KD: what a 1:1 fit finds lies between the parts of a mixture. To
   * first order it could lie beyond.
   */
  readonly computeReach: (size: number) => number;
  /** Adds the shape at unit Rmax and unit size to `out`, zeros before, from index `offset` on. */
  readonly add: (curve: FitCurve, out: Float64Array, offset: number) => void;
}

/** A second kind of site has up to this response beside one unit of the main one, a quarter of the whole. */
export const SITE_MAX = 0.35;
/** Ratios of both KD: sites that random coupling bends, little or more, and sites of another kind. */
export const SITE_RATIOS: readonly number[] = [3, 6, 30];
/** How much of the ratio is in kon; the rest is in koff. */
const SITE_SHARES = [0, 0.5, 1];
/**
 * kon over the transport coefficient at which half of the rate is lost, for kon in 1/(M·s): surfaces of ordinary loading reach
 * it at this kon (Myszka et al. 1998).
 */
const TRANSPORT_KON = 3e5;
const TRANSPORT_MAX = { least: 0.05, most: 3 } as const;
/** Where the shape of transport is taken, small enough to be proportional to its size. */
const TRANSPORT_STEP = 0.2;
/** The turned complex is at most this much of the other one at equilibrium. */
const TURNED_MAX = 1.5;
/** Turns back within a fraction of the dissociation or throughout it. */
const TURNS_PER_DISSOCIATION = [0.3, 2];

const keepKd = (): number => 0;

export function listMechanisms(curves: readonly FitCurve[], fit: KineticFit): Mechanism[] {
  return [...listSecondSites(fit), createTransport(fit), ...listTurns(curves, fit)];
}

/** Sites that are weaker and sites that are stronger than the main ones. */
function listSecondSites({ kon, koff, timeZero: time }: KineticFit): Mechanism[] {
  const exponents = [...SITE_SHARES, ...SITE_SHARES.map((share) => -share)];
  return SITE_RATIOS.flatMap((ratio) =>
    exponents.map((share, k): Mechanism => {
      const sign = k < SITE_SHARES.length ? 1 : -1;
      const rates = { kon: kon / ratio ** share, koff: koff * ratio ** (sign - share) };
      return {
        name: 'second_site',
        prior: 1,
        sizeMax: SITE_MAX,
        computeTightening: keepKd,
        // The mean of both KD, or of their reciprocals, weighted by capacity.
        computeReach: (size) => Math.log((1 + size * ratio) / (1 + size)),
        add: (curve, out, offset) => addResponse(curve, rates, { time, weight: 1 }, out, offset),
      };
    }),
  );
}

/** Analyte that arrives too slowly; the size is kon over the transport coefficient per unit of Rmax. */
function createTransport({ kon, koff, timeZero: time }: KineticFit): Mechanism {
  const rates = [kon, koff, kon / TRANSPORT_STEP].map(Math.log);
  return {
    name: 'mass_transport',
    prior: 2,
    sizeMax: computeTransportMax(kon),
    computeTightening: keepKd,
    computeReach: Math.log1p,
    add: (curve, out, offset) => {
      ALTERNATIVES.mass_transport.write(curve, rates, time, out, offset);
      addResponse(curve, { kon, koff }, { time, weight: -1 }, out, offset);
      for (let i = offset; i < offset + curve.timeS.length; i += 1) out[i] /= TRANSPORT_STEP;
    },
  };
}

/** Transport of size s makes the true kon 1 + s times that of the fit, and the plausible size grows with the true one. */
function computeTransportMax(kon: number): number {
  const { least, most } = TRANSPORT_MAX;
  const ratio = kon / TRANSPORT_KON;
  return ratio < 1 ? Math.min(most, Math.max(least, ratio / (1 - ratio))) : most;
}

/** A complex that turns into a tighter one; the size is how much of it is turned, over the rest, at equilibrium. */
function listTurns(curves: readonly FitCurve[], fit: KineticFit): Mechanism[] {
  const dissociationS = Math.max(
    ...curves.map(({ timeS, associationS }) => timeS[timeS.length - 1] - associationS),
  );
  return TURNS_PER_DISSOCIATION.map((turns): Mechanism => ({
    name: 'conformational',
    prior: 1,
    sizeMax: TURNED_MAX,
    computeTightening: Math.log1p,
    computeReach: Math.log1p,
    add: (curve, out, offset) => addTurn(curve, fit, turns / Math.max(dissociationS, 1), out, offset),
  }));
}

/**
 * A + B ⇌ AB ⇌ AB*, to first order in the part that is turned: with s of 1:1 binding, the turned complex follows b′ = back·(s − b),
 * and the whole changes by T′ = koff·b − (kon·C + koff)·T. Between points s and b are taken as straight lines.
 */
function addTurn(
  curve: FitCurve,
  { kon, koff, timeZero: time }: KineticFit,
  backPerS: number,
  out: Float64Array,
  offset: number,
): void {
  const { timeS } = curve;
  const bound = takeZeros(timeS.length);
  addResponse(curve, { kon, koff }, { time, weight: 1 }, bound, 0);
  const stretches = listStretches(curve, time);
  let turned = 0;
  let whole = 0;
  let stretch = 0;
  for (let i = 1; i < timeS.length; i += 1) {
    while (timeS[i] > stretches[stretch].endS) stretch += 1;
    const { startS, concentrationM } = stretches[stretch];
    if (timeS[i] > startS) {
      const lengthS = timeS[i] - timeS[i - 1];
      const before = turned;
      turned = computeRelaxed(turned, backPerS, lengthS, (backPerS * (bound[i - 1] + bound[i])) / 2);
      whole = computeRelaxed(whole, kon * concentrationM + koff, lengthS, (koff * (before + turned)) / 2);
    }
    out[offset + i] += whole;
  }
}

/** Returns where x′ = source − rate·x is after a time. */
function computeRelaxed(start: number, rate: number, lengthS: number, source: number): number {
  const relaxedFraction = -Math.expm1(-rate * lengthS);
  return start * (1 - relaxedFraction) + (source / rate) * relaxedFraction;
}

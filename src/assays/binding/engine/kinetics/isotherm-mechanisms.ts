/**
 * What a second kind of site could do to the KD of an isotherm. The plateaus of two kinds of site lie nearly on the isotherm of
 * one with another KD, so the residuals hardly show the second kind. The interval is that of the average over second sites
 * (Bayesian model averaging: Hoeting et al. 1999, Stat. Sci. 14, 382), with the priors of `mechanism-error.ts`.
 */
import { computeMean, NORMAL_95, computeMixtureQuantile } from '#analysis/numerics/statistics.ts';
import { minimizeBetween } from '#analysis/numerics/search.ts';
import { PURE_PRIOR, addShiftError } from './mechanism-error.ts';
import { SITE_MAX, SITE_RATIOS } from './mechanisms.ts';
import type { SteadyStateFit, SteadyStatePoint } from './steady-state.ts';

/** What second sites do to KD, noise included. */
export interface IsothermError {
  /** Ends of the 95 % interval of KD, as factors. */
  readonly low: number;
  readonly high: number;
  /** Probability that KD is further than the factor from that of the isotherm because of a second site, noise aside. */
  readonly computeMovedProbability: (factor: number) => number;
}

/** A second kind of site has so many capacities, evenly spread up to the largest plausible one. */
const SIZES = 6;
/** How far from KD of the isotherm the KD of the main sites is searched, in ln. */
const SEARCH_LN = 3;
const SEARCH_STEPS = 25;

interface Site {
  /** KD of the second kind over that of the main one. */
  readonly ratio: number;
  /** Its capacity over that of the main one. */
  readonly size: number;
}

const NONE: Site = { ratio: 1, size: 0 };

/** Returns null where the interval of the isotherm is open. */
export function computeIsothermError(fit: SteadyStateFit): IsothermError | null {
  const { low, high } = fit.interval;
  if (low === null || high === null) return null;
  const sides = { low: -Math.log(low) / NORMAL_95, high: Math.log(high) / NORMAL_95 };
  const lnKd = Math.log(fit.kdM);
  const ssr = computeSsr(fit, lnKd, NONE);
  const variance = ssr / Math.max(1, fit.points.length - fit.parameters);
  if (!(variance > 0) || !(sides.low > 0 && sides.high > 0)) return null;
  const sites = listSites();
  const parts = sites.map((site) => {
    const range = { low: lnKd - SEARCH_LN, high: lnKd + SEARCH_LN, steps: SEARCH_STEPS };
    const best = minimizeBetween((x) => computeSsr(fit, x, site), range);
    const middle = best.x - lnKd;
    const weight = ((1 - PURE_PRIOR) / sites.length) * Math.exp((ssr - best.value) / (2 * variance));
    return { weight, middle, sd: addShiftError(sides, middle) };
  });
  const all = [{ weight: PURE_PRIOR, middle: 0, sd: sides }, ...parts];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const [from, to] = [0.025, 0.975].map((each) => Math.exp(computeMixtureQuantile(all, each)));
  return {
    low: from,
    high: to,
    computeMovedProbability: (factor) =>
      all
        .filter(({ middle }) => Math.abs(middle) > Math.log(factor))
        .reduce((sum, { weight }) => sum + weight, 0) / total,
  };
}

function listSites(): Site[] {
  const ratios = SITE_RATIOS.flatMap((ratio) => [ratio, 1 / ratio]);
  return ratios.flatMap((ratio) =>
    Array.from({ length: SIZES }, (_, k) => ({ ratio, size: ((k + 0.5) / SIZES) * SITE_MAX })),
  );
}

/** Returns the least sum of squares at one KD of the main sites; Rmax, and an offset that was fitted, follow from it. */
function computeSsr({ points, offset }: SteadyStateFit, lnKd: number, { ratio, size }: Site): number {
  const kdM = Math.exp(lnKd);
  const computeShape = ({ concentrationM: c }: SteadyStatePoint): number =>
    c / (kdM + c) + (size * c) / (kdM * ratio + c);
  const center = (values: readonly number[]): number[] => {
    const mean = offset === null ? 0 : computeMean(values);
    return values.map((value) => value - mean);
  };
  const shape = center(points.map(computeShape));
  const response = center(points.map((point) => point.response));
  const square = shape.reduce((sum, s) => sum + s * s, 0);
  const along = shape.reduce((sum, s, i) => sum + s * response[i], 0);
  const rmax = square > 0 ? Math.max(0, along / square) : 0;
  return response.reduce((sum, y, i) => sum + (y - rmax * shape[i]) ** 2, 0);
}

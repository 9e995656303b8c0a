/**
 * What a fit leaves over that is no noise. Noise is first-order autoregressive and the same everywhere; its strength
 * is read from differences of neighboring residuals, which a smooth misfit hardly changes.
 */
import { computeMean } from '#analysis/numerics/statistics.ts';
import type { Curve, MeltFit } from './fit.ts';

export interface Misfit {
  /** Variance of the noise, from differences. */
  noiseVariance: number;
  /** RMS of what is left beside the noise, in units of the first transition's amplitude. */
  toAmplitude: number;
  /** Share of the variance that noise leaves to explain, and that the fit explains. */
  explained: number;
  /** Whether the residuals exceed the noise by more than chance does. */
  isStructured: boolean;
}

/** An autoregressive coefficient above this cannot be told from a smooth misfit on a few hundred points. */
const RHO_MAX = 0.85;
/** One-sided quantile of 99.9 %. */
const NORMAL_999 = 3.09;

export function measureMisfit({ signal }: Curve, fit: MeltFit): Misfit {
  const residual = signal.map((value, i) => value - fit.fitted[i]);
  const { variance: noiseVariance, rho } = estimateNoise(residual);
  const n = residual.length;
  const variance = fit.ssr / Math.max(1, n - fit.parameters);
  const left = Math.max(0, variance - noiseVariance);
  const mean = computeMean(signal);
  const total = signal.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const explainable = total - n * Math.min(noiseVariance, variance);
  // The variance of a variance: of the residuals, and of the estimate from differences, which is about as uncertain.
  const relativeSd = Math.sqrt((4 / n) * ((1 + rho ** 2) / (1 - rho ** 2)));
  return {
    noiseVariance,
    toAmplitude: Math.sqrt(left) / Math.max(Number.MIN_VALUE, Math.abs(fit.transitions[0].amplitude)),
    explained: explainable > 0 ? 1 - (n * left) / explainable : 0,
    isStructured: variance > noiseVariance * (1 + NORMAL_999 * relativeSd),
  };
}

/**
 * Returns variance γ and coefficient ρ of autoregressive noise under a smooth curve: differences of neighbors have the
 * variance 2γ(1 − ρ), of next neighbors 2γ(1 − ρ²).
 */
function estimateNoise(residual: Float64Array): { variance: number; rho: number } {
  const n = residual.length;
  let [one, two] = [0, 0];
  for (let i = 1; i < n; i += 1) one += (residual[i] - residual[i - 1]) ** 2;
  for (let i = 2; i < n; i += 1) two += (residual[i] - residual[i - 2]) ** 2;
  const first = one / (n - 1);
  const rho = first > 0 ? Math.max(0, Math.min(RHO_MAX, two / (n - 2) / first - 1)) : 0;
  return { variance: first / (2 * (1 - rho)), rho };
}

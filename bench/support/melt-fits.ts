/** Melting curves of 281 temperatures: the two-state fit by multistart, and everything that is made of one well. */
import { examine } from '#assays/thermostability/engine/examine.ts';
import { fitMelt } from '#assays/thermostability/engine/fit.ts';
import { resolveMeltingSettings } from '#assays/thermostability/engine/settings.ts';
import { createMeltTrace } from '#testing/analysis/melts.ts';
import { createUniforms } from './designs.ts';
import type { Report } from './report.ts';
import { computeMedian, takeQuantile } from './statistics.ts';

const CURVES = 100;
const ROUNDS = 5;
const NOISE_SD = 0.003;
const TWO_STATE = {
  shape: 'thermodynamic',
  transitions: 1,
  baseline: { kind: 'free' },
  deltaCpKcalPerMolK: 0,
  isQuenched: false,
} as const;

export function measureMeltFits(): Report {
  const curves = Array.from({ length: CURVES }, (_, seed) => {
    const uniform = createUniforms(seed + 1);
    const tmC = 45 + 35 * uniform();
    const transitions = [{ tmC, dhKcalPerMol: 70 + 90 * uniform(), amplitude: 0.3 }];
    const slopePerC = 0.004 * (uniform() - 0.5);
    return {
      tmC,
      ...createMeltTrace({ well: 'A1', transitions, slopePerC, noiseSd: NOISE_SD, seed: seed + 1 }),
    };
  });
  const settings = resolveMeltingSettings();
  const fits: number[] = [];
  const wells: number[] = [];
  const errors: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const curve of curves) {
      const start = performance.now();
      const fit = fitMelt(curve, TWO_STATE);
      const between = performance.now();
      const { none } = examine(curve, { shape: 'two_state', isDye: false }, settings);
      const end = performance.now();
      if (none !== null) throw new Error(`wrong answer: ${none.message}`);
      // The first round warms up.
      if (round === 0) continue;
      fits.push(between - start);
      wells.push(end - between);
      errors.push(Math.abs(fit.transitions[0].tmC - curve.tmC));
    }
  }
  const worst = takeQuantile(errors, 1);
  if (worst > 1) throw new Error(`wrong answer: a Tm is off by ${worst.toFixed(2)} °C`);
  return {
    title: 'Melting curves',
    findings: [
      {
        what: 'two-state fit, multistart, median',
        value: computeMedian(fits),
        unit: 'ms',
        limit: { atMost: 4 },
      },
      { what: '… 95th percentile', value: takeQuantile(fits, 0.95), unit: 'ms' },
      {
        what: 'one well: derivative, fits of up to three transitions, the rule for none, median',
        value: computeMedian(wells),
        unit: 'ms',
      },
      { what: 'largest error of Tm', value: worst, unit: '°C', limit: { atMost: 1 } },
    ],
    conditions: [
      `${CURVES} curves × 281 temperatures from 25 to 95 °C, noise ${NOISE_SD / 0.3} of the amplitude, free baselines`,
    ],
  };
}

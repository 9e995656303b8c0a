/**
 * Global 1:1 fits of seven curves with 600 points each, found by multistart: how many one core does per second; beside scipy on
 * the same data with as many starts, where a Python with scipy is installed; and melting curves.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fitKinetics, LOCAL_RMAX } from '#assays/binding/engine/kinetics/fit.ts';
import {
  ASSOCIATION_S,
  CONCENTRATIONS_M,
  createDataSet,
  NOISE_SD,
  POINTS,
  type DataSet,
} from './support/fit-curves.ts';
import { measureMeltFits } from './support/melt-fits.ts';
import type { Finding, Report } from './support/report.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';

const SETS = 40;
const ROUNDS = 5;
const WARM_UP = 20;
const FITS_PER_SECOND_MIN = 250;
const SCIPY_RATIO_MIN = 1.2;

export function run(): Promise<Report[]> {
  const sets = Array.from({ length: SETS }, (_, seed) => createDataSet(seed + 1));
  const errors: number[] = [];
  const times: number[] = [];
  for (const { curves } of sets.slice(0, WARM_UP)) fitKinetics(curves, LOCAL_RMAX);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { curves, kdM } of sets) {
      const start = performance.now();
      const fit = fitKinetics(curves, LOCAL_RMAX);
      times.push(performance.now() - start);
      if (!fit.converged) throw new Error('wrong answer: a fit did not converge');
      errors.push(Math.abs(Math.log10(fit.kdM / kdM)));
    }
  }
  const worst = takeQuantile(errors, 1);
  if (worst > 0.1) throw new Error(`wrong answer: a KD is off by ${worst.toFixed(2)} log10`);
  const beside = compareWithScipy(sets, computeMedian(times));
  return Promise.resolve([
    {
      title: 'Kinetic fits',
      findings: [
        {
          what: 'fits per second, one core',
          value: 1_000 / computeMedian(times),
          unit: '/s',
          limit: { atLeast: FITS_PER_SECOND_MIN },
        },
        { what: 'one fit: 95th percentile', value: takeQuantile(times, 0.95), unit: 'ms' },
        { what: 'largest error of log10 KD', value: worst, unit: '', limit: { atMost: 0.1 } },
        ...beside.findings,
      ],
      conditions: [
        `${CONCENTRATIONS_M.length} curves × ${POINTS} points, noise ${NOISE_SD} of about 1, ${SETS} pairs of rates, multistart, standard errors and profile included`,
        beside.condition,
      ],
    },
    measureMeltFits(),
  ]);
}

interface ScipyAnswer {
  readonly version: string;
  readonly ms: readonly number[];
  readonly kd_m: readonly number[];
}

/** The same sets by `bench/peers/scipy_fits.py`, on one thread; the answers have to agree. */
function compareWithScipy(
  sets: readonly DataSet[],
  ownMs: number,
): { findings: Finding[]; condition: string } {
  const input = JSON.stringify({
    association_s: ASSOCIATION_S,
    concentrations_m: CONCENTRATIONS_M,
    time_s: [...sets[0].curves[0].timeS],
    sets: sets.map(({ curves }) => curves.map((curve) => [...curve.signal])),
  });
  const { status, stdout } = spawnSync('python3', [join(import.meta.dirname, 'peers', 'scipy_fits.py')], {
    input,
    encoding: 'utf8',
    maxBuffer: 1e8,
    env: { PATH: '/usr/bin:/bin:/usr/local/bin', OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  });
  if (status !== 0) return { findings: [], condition: 'no Python with scipy here to compare with' };
  const answer: ScipyAnswer = JSON.parse(stdout);
  for (const [index, { curves }] of sets.entries()) {
    const own = fitKinetics(curves, LOCAL_RMAX).kdM;
    const difference = Math.abs(own / (answer.kd_m[index] ?? Number.NaN) - 1);
    if (!(difference < 1e-6))
      throw new Error(`wrong answer: set ${index} differs from scipy by ${difference}`);
  }
  const ratio = computeMedian(answer.ms) / ownMs;
  return {
    findings: [
      {
        what: `… over scipy ${answer.version}, least_squares with analytic Jacobian`,
        value: ratio,
        unit: '×',
        limit: { atLeast: SCIPY_RATIO_MIN },
      },
    ],
    condition: `scipy: the same sets and as many starts, one thread, ${computeMedian(answer.ms).toFixed(1)} ms per fit; every KD within 1e-6`,
  };
}

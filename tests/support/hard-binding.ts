/** Results of the binding assays that are hard to draw. */
import type { Sensorgram } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { createFitRow, createWideRow, DOUBTED } from './hard-fits.ts';

export const LONG_NAME = 'anti-EGFR_VHH_affinity-matured_round-03_clone-0117_H3-loop-graft_v2_final_final';
export const NAMES = [
  'design-1',
  LONG_NAME,
  'W'.repeat(80),
  'Ωμέγα-β3·Ёлка ЩЩЩ',
  'αGFP-nanobody (ΔCys)',
  '日本語タンパク質',
  'fi ffi <b>&"x"',
];

/** Repeatable noise of unit size. */
export function computeNoise(index: number): number {
  return Math.sin(index * 12.9898) + Math.sin(index * 78.233 + 1.7);
}

export const createRange = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

interface Kinetics {
  readonly kon: number;
  readonly koff: number;
  readonly replicates: number;
  readonly concentrationsM: readonly (number | null)[];
  readonly scale?: number;
  readonly sigma?: number;
  readonly isFitted?: boolean;
  readonly points?: number;
}

function createSensorgrams(kinetics: Kinetics): Sensorgram[] {
  const {
    kon,
    koff,
    replicates,
    concentrationsM,
    scale = 2.4,
    sigma = 0.004,
    isFitted = true,
    points = 900,
  } = kinetics;
  return createRange(replicates).flatMap((replicate) =>
    concentrationsM.map((concentrationM, series): Sensorgram => {
      const c = concentrationM ?? 1e-7;
      const rate = kon * c + koff;
      const time = createRange(points).map((index) => (index * 900) / points);
      const fit = time.map(
        (t) =>
          ((scale * kon * c) / rate) *
          (1 - Math.exp(-rate * Math.min(t, 300))) *
          Math.exp(-koff * Math.max(0, t - 300)),
      );
      const residual = fit.map((_, index) => sigma * computeNoise(index + 1000 * series + 7 * replicate));
      return {
        kind: 'sensorgram',
        replicate: replicate + 1,
        concentration_m: concentrationM,
        time_s: time,
        signal: fit.map((value, index) => value + (residual[index] ?? 0)),
        fit: isFitted ? fit : null,
        residual: isFitted ? residual : null,
        association_start_s: 0,
        dissociation_start_s: 300,
      };
    }),
  );
}

/** The curves as those of five injections within their association. */
function withInjections(curves: readonly Sensorgram[]): Sensorgram[] {
  const injections = createRange(5).map((index) => ({
    start_s: 60 * index,
    end_s: 60 * index + 40,
    concentration_m: 1e-6 / 3.162 ** (4 - index),
  }));
  return curves.map((curve) => ({ ...curve, injections }));
}

const createSeries = (count: number, top = 1e-6, factor = Math.sqrt(10)): number[] =>
  createRange(count).map((index) => top / factor ** index);

export const createAnalysis = (settings: Readonly<Record<string, unknown>>) => ({
  model: 'auto',
  engine: { name: 'assayer-analysis', version: '1.0.0' },
  settings,
});

export function createResult(type: string, changes: Partial<ResultCurves>): ResultCurves {
  const name = changes.sequence_name ?? 'design-1';
  return {
    experiment_code: 'DEMO-001-001',
    experiment_type: type,
    sequence_name: name,
    is_control: false,
    place: null,
    target_name: 'EGFR',
    title: `Affinity of ${name} to EGFR`,
    quantities: {},
    replicates: [],
    summary: {},
    method: 'bli',
    analysis: createAnalysis({}),
    outcome: 'measured',
    flags: [],
    signal_unit: 'nm',
    curves: [],
    ...changes,
  };
}

export const createInterval = (value: number, spread: number, n = 3, unit = 'M', relation = '=') => ({
  value,
  unit,
  relation,
  ci95_low: value / spread,
  ci95_high: value * spread,
  n,
});

function createAffinity(changes: Partial<ResultCurves>, kd = 9e-9): ResultCurves {
  const count = new Set((changes.curves ?? []).map((curve) => curve.replicate)).size;
  return createResult('affinity', {
    quantities: { kd: createInterval(kd, 1.4, count) },
    summary: { model: ['1:1'] },
    replicates: createRange(count).map((index) => ({
      replicate: index + 1,
      plate: 'P1',
      well: 'D07',
      outcome: 'measured',
      ...createFitRow(index, kd),
    })),
    ...changes,
  });
}

const STRONG = { kon: 2e5, koff: 4e-4, replicates: 3, concentrationsM: createSeries(4) } as const;
const WEAK = { kon: 7e3, koff: 1.5e-2, replicates: 3, concentrationsM: createSeries(4) } as const;

/** One curve of several injections, and many curves. */
function listDoseCases(): (readonly [string, ResultCurves])[] {
  const twelve = createSensorgrams({ ...STRONG, replicates: 2, concentrationsM: createSeries(12, 1e-6, 2) });
  const single = [1, 3, 12].map((count): [string, ResultCurves] => {
    const curves = createSensorgrams({ ...STRONG, replicates: count, concentrationsM: [1e-6] });
    return [`single cycle, ${count} replicates`, createAffinity({ curves: withInjections(curves) })];
  });
  return [...single, ['twelve concentrations', createAffinity({ curves: twelve })]];
}

function listAffinityCases(): (readonly [string, ResultCurves])[] {
  const createShown = (changes: Partial<ResultCurves>, kd?: number) => createAffinity(changes, kd);
  const spiked = createSensorgrams(STRONG);
  const [first] = spiked;
  if (first?.residual) first.residual[40] = 2;
  return [
    ['strong', createShown({ curves: createSensorgrams(STRONG) })],
    [
      'weak',
      createShown({ curves: createSensorgrams(WEAK), flags: ['TOP_C_BELOW_KD', 'TIME_ZERO_OFFSET'] }, 2.2e-6),
    ],
    [
      'bound',
      createShown({
        curves: createSensorgrams({ ...WEAK, kon: 800 }),
        quantities: { kd: { value: 1e-5, unit: 'M', relation: '>', n: 3 } },
        flags: [
          'TOP_C_BELOW_KD',
          'NO_PLATEAU',
          'POORLY_IDENTIFIED',
          'AUTOCORRELATED_RESIDUALS',
          'REPLICATES_DISAGREE',
        ],
      }),
    ],
    [
      'non-binder',
      createShown({
        curves: createSensorgrams({ ...STRONG, kon: 1, isFitted: false, sigma: 0.01 }),
        quantities: {},
        outcome: 'non_binder',
        replicates: [],
      }),
    ],
    [
      'failed',
      createShown({
        curves: spiked,
        quantities: {},
        outcome: 'failed_qc',
        flags: ['SPIKE', 'CONTROL_FAILED'],
      }),
    ],
    [
      'heterogeneous',
      createShown({
        curves: createSensorgrams({ ...STRONG, replicates: 2 }),
        summary: { model: ['heterogeneous_ligand', 'mass_transport'] },
        flags: ['HETEROGENEOUS_LIGAND', 'WINDOW_DEPENDENT', 'SATURATED'],
      }),
    ],
    ...listDoseCases(),
    [
      'thirty concentrations',
      createShown({
        curves: createSensorgrams({
          ...STRONG,
          replicates: 4,
          concentrationsM: createSeries(30, 1e-6, 1.5),
          points: 90,
        }),
      }),
    ],
  ];
}

function listOddAffinityCases(): (readonly [string, ResultCurves])[] {
  const createShown = (changes: Partial<ResultCurves>, kd?: number) => createAffinity(changes, kd);
  return [
    [
      'steady state',
      createShown(
        {
          curves: createSensorgrams({ ...WEAK, koff: 0.6, kon: 3e5, points: 40 }),
          summary: { model: ['steady_state'] },
        },
        2e-6,
      ),
    ],
    ['single cycle', createShown({ curves: createSensorgrams({ ...STRONG, concentrationsM: [null] }) })],
    ['one replicate', createShown({ curves: createSensorgrams({ ...STRONG, replicates: 1 }) })],
    [
      'six replicates',
      createShown({
        curves: createSensorgrams({ ...STRONG, replicates: 6, concentrationsM: createSeries(7) }),
      }),
    ],
    [
      'response units',
      createShown({
        curves: createSensorgrams({ ...STRONG, replicates: 2, scale: 24_000, sigma: 30 }),
        signal_unit: 'RU',
      }),
    ],
    [
      'minute signal',
      createShown({
        curves: createSensorgrams({ ...STRONG, replicates: 2, scale: 2e-4, sigma: 1e-6 }),
        signal_unit: 'nm',
      }),
    ],
    [
      'long unit',
      createShown({
        curves: createSensorgrams({ ...STRONG, replicates: 1 }),
        signal_unit: 'arbitrary units of signal',
      }),
    ],
    ...NAMES.map(
      (name) =>
        [
          `name ${name.slice(0, 6)}`,
          createShown({
            sequence_name: name,
            title: `Affinity of ${name} to EGFR`,
            curves: createSensorgrams({ ...STRONG, replicates: 1 }),
          }),
        ] as const,
    ),
    ...listRecordedCases(),
    ['not expressed', createShown({ outcome: 'not_expressed', quantities: {}, flags: ['NOT_LOADED'] })],
  ];
}

/** Records that fill the table of parameters and the caption. */
function listRecordedCases(): (readonly [string, ResultCurves])[] {
  const curves = createSensorgrams(STRONG);
  const place = { plate: 'P1', well: 'D07', outcome: 'measured' };
  return [
    [
      'model in doubt',
      createAffinity({
        curves: curves.map((curve, index) => ({ ...curve, rmax: 2.4 - 0.2 * (index % 4) })),
        flags: ['MODEL_IN_DOUBT'],
        quantities: { kd: createInterval(9.1e-9, 1.4, 3, 'M', '~') },
        details: DOUBTED,
        replicates: createRange(3).map((index) => ({
          replicate: index + 1,
          ...place,
          ...createFitRow(index, 9.1e-9),
          kd_relation: '~',
          flags: ['MODEL_IN_DOUBT'],
        })),
      }),
    ],
    [
      'wide intervals',
      createAffinity({
        curves: curves.map((curve) => ({ ...curve, rmax: 2.4 })),
        signal_unit: 'RU',
        analysis: {
          ...createAnalysis({}),
          plates: [{ plate: 'P1', technique: 'spr', signal_unit: 'RU' }],
        },
        replicates: createRange(3).map((index) => ({
          replicate: index + 1,
          ...place,
          ...createWideRow(index),
        })),
      }),
    ],
    [
      'one replicate left out',
      createAffinity({
        curves: curves.map((curve, index) =>
          curve.replicate === 3 ? { ...curve, fit: null, residual: null, excluded: index % 2 === 0 } : curve,
        ),
        quantities: { kd: createInterval(9e-9, 1.4, 2) },
        replicates: createRange(3).map((index) =>
          index === 2
            ? { replicate: 3, ...place, outcome: 'failed_qc', reference_rule: 'none' }
            : { replicate: index + 1, ...place, ...createFitRow(index, 9e-9) },
        ),
      }),
    ],
  ];
}

export function listScreeningCases(): (readonly [string, ResultCurves])[] {
  const createShown = (replicates: number, changes: Partial<ResultCurves> = {}) =>
    createResult('screening', {
      title: 'Screening of design-1 to CD47',
      curves: createSensorgrams({ ...STRONG, replicates, concentrationsM: [1e-7], isFitted: false }),
      summary: { call: 'binder', response: 2.7666, threshold: 0.0273 },
      analysis: createAnalysis({ response_s: 5 }),
      replicates: createRange(replicates).map((index) => ({
        replicate: index + 1,
        plate: 'P3',
        well: 'A09',
        response: 2.785,
        threshold: 0.0262,
      })),
      ...changes,
    });
  return [
    ['hit', createShown(2)],
    [
      'inconclusive',
      createShown(3, {
        outcome: 'inconclusive',
        summary: { call: 'inconclusive', response: 0.03, threshold: 0.027 },
        flags: ['REPLICATES_DISAGREE'],
      }),
    ],
    [
      'miss',
      createShown(1, {
        outcome: 'non_binder',
        curves: createSensorgrams({
          ...STRONG,
          kon: 1,
          replicates: 1,
          concentrationsM: [1e-7],
          isFitted: false,
        }),
        summary: { call: 'non_binder', response: -0.002, threshold: 0.027 },
      }),
    ],
  ];
}

export function listBindingCases(): (readonly [string, ResultCurves])[] {
  return [...listAffinityCases(), ...listOddAffinityCases()];
}

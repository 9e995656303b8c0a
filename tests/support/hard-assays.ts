/** Results of the assays without a target that are hard to draw. */
import type { CaptureCurve, Curve, MeltCurve, PlateMap, StandardCurve } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { createAnalysis, createInterval, computeNoise, createRange, createResult } from './hard-binding.ts';

interface Melt {
  readonly tms: readonly number[];
  readonly replicate?: number;
  readonly isDye?: boolean;
  readonly isFitted?: boolean;
  readonly tagg?: number;
  readonly scale?: number;
}

function createMelt({
  tms,
  replicate = 1,
  isDye = false,
  isFitted = true,
  tagg,
  scale = 0.4,
}: Melt): MeltCurve {
  const temperature = createRange(300).map((index) => 20 + index * 0.25);
  const computeUnfolded = (t: number) => tms.reduce((sum, tm) => sum + 1 / (1 + Math.exp((tm - t) / 1.4)), 0);
  const fit = temperature.map(
    (t) => scale * (computeUnfolded(t) + 1.8 + 0.001 * t) * (isDye && t > 80 ? 0.8 : 1),
  );
  const residual = fit.map((_, index) => 0.004 * scale * computeNoise(index + 31 * replicate));
  const scattering = temperature.map(
    (t) => 100 + (tagg === undefined ? 0 : 900 / (1 + Math.exp((tagg + 3 - t) / 0.8))),
  );
  return {
    kind: 'melt',
    replicate,
    plate: 'P1',
    well: 'C16',
    channel: isDye ? 'dye' : 'ratio',
    temperature_c: temperature,
    signal: fit.map((value, index) => value + (residual[index] ?? 0)),
    fit: isFitted ? fit : null,
    residual: isFitted ? residual : null,
    derivative_per_c: fit.map((value, index) => ((fit[index + 1] ?? value) - value) / 0.25),
    ...(tagg === undefined ? {} : { scattering_temperature_c: temperature, scattering, tagg_c: tagg }),
    tm_c: [...tms],
    tonset_c: tms[0] === undefined ? null : tms[0] - 9,
  };
}

export function createMeltCases(): (readonly [string, ResultCurves])[] {
  const createShown = (curves: MeltCurve[], changes: Partial<ResultCurves> = {}) => {
    const [tm] = curves[0]?.tm_c ?? [];
    return createResult('thermostability', {
      title: 'Thermostability of design-1',
      target_name: null,
      method: 'nanodsf',
      signal_unit: 'F350/F330',
      quantities:
        tm === undefined
          ? {}
          : {
              tm: {
                value: tm,
                unit: '°C',
                relation: '=',
                ci95_low: tm - 1.3,
                ci95_high: tm + 1.3,
                n: curves.length,
              },
            },
      summary: { tm_method: 'two_state' },
      analysis: createAnalysis({ baseline: 'free', derivative_half_window_c: 3 }),
      replicates: curves.map((curve) => ({
        replicate: curve.replicate,
        tm: curve.tm_c[0] ?? null,
        tm_all: curve.tm_c,
        tonset: curve.tonset_c,
        r2: 0.99991,
        no_transition_reason: tm === undefined ? 'amplitude_below_noise' : null,
      })),
      curves,
      ...changes,
    });
  };
  const times = (count: number, melt: Melt) =>
    createRange(count).map((index) => createMelt({ ...melt, replicate: index + 1 }));
  return [
    ['one', createShown(times(1, { tms: [62.3] }))],
    ['three', createShown(times(3, { tms: [77.2] }))],
    [
      'four of two transitions',
      createShown(times(4, { tms: [55.1, 58.9] }), { flags: ['SEVERAL_TRANSITIONS'] }),
    ],
    ['three transitions', createShown(times(3, { tms: [55.1, 57, 58.9], tagg: 58 }))],
    [
      'at the right edge',
      createShown(times(3, { tms: [93.9], tagg: 94 }), { flags: ['AGGREGATES_EARLY', 'TM_UNCERTAIN'] }),
    ],
    ['at the left edge', createShown(times(2, { tms: [20.4] }))],
    ['none', createShown(times(3, { tms: [], isFitted: false }), { flags: ['NO_TRANSITION'] })],
    [
      'dye',
      createShown(times(2, { tms: [51.4], isDye: true, scale: 40_000 }), {
        signal_unit: 'RFU',
        summary: { tm_method: 'boltzmann' },
      }),
    ],
    ['aggregation', createShown(times(3, { tms: [62], tagg: 66.2 }))],
    ['six', createShown(times(6, { tms: [62] }))],
  ];
}

export function listExpressionCases(): (readonly [string, ResultCurves])[] {
  const concentration = [0.25, 0.5, 1, 2, 5, 12, 31, 78, 195, 488];
  const rate = (c: number) => 0.045 / (1 + (90 / c) ** 1.1);
  const standard = (lloq: number | null, uloq: number | null): StandardCurve => ({
    kind: 'standard_curve',
    replicate: null,
    plate: 'P1',
    concentration_ng_per_ul: concentration,
    response: concentration.map((c, index) => rate(c) * (1 + 0.04 * computeNoise(index))),
    recovery_pct: concentration.map(() => 100),
    fit_concentration_ng_per_ul: createRange(60).map((index) => 0.2 * 1.15 ** index),
    fit_response: createRange(60).map((index) => rate(0.2 * 1.15 ** index)),
    lloq_ng_per_ul: lloq,
    uloq_ng_per_ul: uloq,
  });
  const capture = (replicate: number, slope: number): CaptureCurve => ({
    kind: 'capture',
    replicate,
    well: 'H04',
    time_s: createRange(120),
    signal: createRange(120).map(
      (t) => slope * 90 * (1 - Math.exp(-t / 90)) + 0.002 * computeNoise(t + replicate),
    ),
    fit: createRange(120).map((t) => (t <= 30 ? slope * t : null)),
  });
  const createShown = (
    amounts: readonly number[],
    limits: readonly [number | null, number | null],
    changes: Partial<ResultCurves> = {},
  ) =>
    createResult('expression', {
      title: 'Expression of design-1',
      target_name: null,
      quantities: { yield_ng_per_ul: createInterval(amounts[0] ?? 0, 1.5, amounts.length, 'ng/µL') },
      analysis: createAnalysis({ rate_from_s: 0, rate_to_s: 30, subtract_no_dna: true }),
      replicates: amounts.map((amount, index) => ({
        replicate: index + 1,
        yield_ng_per_ul: amount,
        yield_ng_per_ul_relation: '=',
        loading_signal_adjusted: rate(amount),
      })),
      curves: [standard(...limits), ...amounts.map((amount, index) => capture(index + 1, rate(amount)))],
      ...changes,
    });
  return [
    ['three', createShown([62, 70, 51], [0.5, 488])],
    ['narrow limits', createShown([62], [60, 78])],
    ['one limit', createShown([0.6, 0.5], [0.5, null], { flags: ['MIXED_RELATIONS', 'BELOW_LLOQ'] })],
    [
      'below',
      createShown([0.5, 0.5, 0.5], [0.5, 488], {
        outcome: 'not_expressed',
        quantities: { yield_ng_per_ul: { value: 0.5, unit: 'ng/µL', relation: '<', n: 3 } },
        replicates: createRange(3).map((index) => ({
          replicate: index + 1,
          yield_ng_per_ul: 0.5,
          yield_ng_per_ul_relation: '<',
          loading_signal_adjusted: 0.0001,
        })),
      }),
    ],
    ['much', createShown([123_456, 134_000], [0.5, 488])],
    ['no standards', createShown([62], [null, null], { curves: [capture(1, 0.01)] })],
  ];
}

function createPlate(rows: number, columns: number, name: string): PlateMap {
  const wells = createRange(rows * columns).filter((index) => index % 17 !== 3);
  const formatWell = (index: number) =>
    `${String.fromCharCode(65 + Math.floor(index / columns))}${String((index % columns) + 1).padStart(2, '0')}`;
  const roles = ['positive_control', 'negative_control', 'blank', 'standard'];
  const isEdge = (index: number) => index % columns === 0 || index % columns === columns - 1;
  const value = wells.map((index) =>
    index % 11 === 5 ? null : (index % 24) / 9 + (isEdge(index) ? 0.6 : 0),
  );
  return {
    kind: 'plate',
    replicate: null,
    plate: name,
    well: wells.map(formatWell),
    role: wells.map((index) => roles[index % 9] ?? 'sample'),
    sample: wells.map((index) => (index % 30 === 7 ? 'design-1' : `design-${index}`)),
    sample_replicate: wells.map(() => 1),
    signal: value.map((each) => (each === null ? null : each * 20_000)),
    normalized: value,
    saturated: wells.map((index) => index % 40 === 6),
  };
}

export function listFluorescenceCases(): (readonly [string, ResultCurves])[] {
  const createShown = (curves: Curve[], changes: Partial<ResultCurves> = {}) =>
    createResult('fluorescence', {
      title: 'Fluorescence of design-1',
      target_name: null,
      signal_unit: 'RFU',
      quantities: {
        normalized_to_control: {
          value: 1.824,
          unit: '',
          relation: '=',
          ci95_low: 1.72,
          ci95_high: 1.93,
          n: 4,
        },
        intensity: { value: 43_752, unit: 'RFU', relation: '=', ci95_low: 41_163, ci95_high: 46_340, n: 4 },
      },
      summary: { ex_nm: 488, em_nm: 520, z_prime_plate: 0.948 },
      replicates: [1.9, 1.8, 1.75, 1.85].map((value, index) => ({
        replicate: index + 1,
        normalized_to_control: value,
        normalized_to_control_relation: index === 3 ? '>' : '=',
        intensity: value * 2e4,
      })),
      curves,
      ...changes,
    });
  const bare = (map: PlateMap): PlateMap => ({ ...map, normalized: map.normalized.map(() => null) });
  return [
    ['one plate', createShown([createPlate(8, 12, 'P1')], { flags: ['EDGE_EFFECT', 'ROW_EFFECT'] })],
    ['four plates', createShown(createRange(4).map((index) => createPlate(8, 12, `P${index + 1}`)))],
    ['384 wells', createShown([createPlate(16, 24, 'P1')])],
    ['two of 384', createShown([createPlate(16, 24, 'P1'), createPlate(16, 24, 'W'.repeat(60))])],
    [
      'not normalized',
      createShown([bare(createPlate(8, 12, 'P1'))], {
        quantities: { intensity: { value: 43_752, unit: 'RFU', relation: '<', n: 1 } },
      }),
    ],
    ['failed', createShown([], { outcome: 'failed_qc', quantities: {} })],
  ];
}

/** The rows of the table of coverage: designs, noise and faults of runs whose truth is known. */
import type { BindingSettingsInput } from '#assays/binding/engine/settings.ts';
import type { Noise } from '#testing/analysis/noise.ts';
import type { NoisyPlate, NoisySample } from '#testing/analysis/noisy-plate.ts';

type Design = (uniform: () => number) => Omit<NoisySample, 'sample'>;

export interface TraceRow {
  kind: 'traces';
  name: string;
  technique: 'bli' | 'spr';
  design: Design;
  plate: Omit<NoisyPlate, 'samples' | 'seed'>;
  settings: BindingSettingsInput;
}

export interface CurveRow {
  kind: 'curves';
  name: string;
  noise: Noise;
  settings: BindingSettingsInput;
}

export interface SingleCycleRow {
  kind: 'single-cycle';
  name: string;
}

export type Row = TraceRow | CurveRow | SingleCycleRow;

/** Every rate within reach of the assay. */
const drawWell: Design = (uniform) => {
  return { kon: 10 ** (4.3 + 1.4 * uniform()), koff: 10 ** (-3.2 + 1.5 * uniform()), rmax: 0.4 };
};

const drawWide: Design = (uniform) => {
  const [a, b, c] = [uniform(), uniform(), uniform()];
  return { kon: 10 ** (3.5 + 3.3 * a), koff: 10 ** (-5 + 4.7 * b), rmax: 10 ** (-1.3 + 1.5 * c) };
};

/** One surface in RU. */
const drawSurface: Design = (uniform) => ({ ...drawWell(uniform), rmax: 60 });

const PLATE = {
  noise: { sd: 0.003, rho: 0.6 },
  concentrationsM: [3.162e-8, 1e-7, 3.162e-7, 1e-6],
  associationS: 180,
  dissociationS: 300,
  rmaxCv: 0.05,
  blanks: true,
  references: true,
  baselineS: 30,
} as const;
const DRIFT = { driftSdPerS: 1e-5 };
const FAST = { intervalS: 0.2 };
const JUMPS = { interStepSd: 0.005 };
const ALONE = { blanks: false, references: false };

function describeTraces(
  name: string,
  design: Design,
  plate: Partial<NoisyPlate> = {},
  settings: BindingSettingsInput = {},
): TraceRow {
  return { kind: 'traces', name, technique: 'bli', design, plate: { ...PLATE, ...plate }, settings };
}

const WELL = { baselineS: 60 };

export const ROWS: readonly Row[] = [
  describeTraces('well', drawWell, WELL),
  describeTraces('well-drift', drawWell, { ...WELL, ...DRIFT }),
  describeTraces('well-drift-none', drawWell, { ...WELL, ...DRIFT }, { drift: 'none' }),
  describeTraces('well-joined', drawWell, { ...WELL, ...FAST }),
  describeTraces('well-jumps', drawWell, { ...WELL, ...FAST, ...JUMPS }),
  describeTraces('wide', drawWide),
  describeTraces('wide-none', drawWide, {}, { drift: 'none' }),
  describeTraces('wide-drift', drawWide, DRIFT),
  describeTraces('wide-drift-none', drawWide, DRIFT, { drift: 'none' }),
  describeTraces('wide-drift-free', drawWide, DRIFT, { drift: 'free' }),
  describeTraces('wide-white', drawWide, { noise: { sd: 0.003 } }),
  describeTraces('wide-rho-0.9', drawWide, { noise: { sd: 0.003, rho: 0.9 } }),
  describeTraces('wide-slow', drawWide, { noise: { sd: 0.003, rho: 0.97, whiteSd: 0.003 } }),
  describeTraces('wide-no-blank', drawWide, { blanks: false }),
  describeTraces('wide-no-reference', drawWide, { references: false }),
  describeTraces('wide-alone', drawWide, ALONE),
  describeTraces('wide-alone-drift', drawWide, { ...ALONE, ...DRIFT }),
  describeTraces('wide-joined', drawWide, FAST),
  describeTraces('wide-joined-drift', drawWide, { ...FAST, ...DRIFT }),
  describeTraces('wide-jumps', drawWide, { ...FAST, ...JUMPS }),
  describeTraces('wide-jumps-1hz', drawWide, JUMPS),
  describeTraces('wide-not-joined', drawWide, FAST, { interStep: 'off' }),
  {
    ...describeTraces('surface', drawSurface, { ...WELL, rmaxCv: 0, noise: { sd: 0.3, rho: 0.6 } }),
    technique: 'spr',
  },
  { kind: 'curves', name: 'curves-white', noise: { sd: 0.004 }, settings: {} },
  { kind: 'curves', name: 'curves-rho-0.6', noise: { sd: 0.004, rho: 0.6 }, settings: {} },
  { kind: 'curves', name: 'curves-rho-0.9', noise: { sd: 0.004, rho: 0.9 }, settings: {} },
  {
    kind: 'curves',
    name: 'curves-slow',
    noise: { sd: 0.004, rho: 0.97, whiteSd: 0.004 },
    settings: { model: '1:1' },
  },
  {
    kind: 'curves',
    name: 'curves-drift-free',
    noise: { sd: 0.004, rho: 0.6, driftSd: 1e-5 },
    settings: { drift: 'free' },
  },
  { kind: 'single-cycle', name: 'single-cycle' },
];

/** Capture plates for tests: tag sensors that load at the initial rate of a known standard curve. */
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { createNormals, toFile } from './synthetic.ts';

export interface CaptureSensor {
  role: 'standard' | 'negative_control' | 'positive_control' | 'sample';
  sample: string;
  replicate?: number;
  ngPerUl: number;
  /** What the well held, where the plate map is wrong about it. */
  heldNgPerUl?: number;
  /** Without a loading step. */
  isBare?: boolean;
  /** Signal after so many seconds of loading, from what the rate alone gives. */
  computeSignal?: (loaded: number, loadingS: number) => number;
}

export interface CapturePlate {
  sensors: readonly CaptureSensor[];
  /** Null leaves it out of the file. */
  standardMassDa?: number | null;
  /** Relative standard deviation of a rate. */
  cv?: number;
  seed?: number;
}

const MASS_DA = 27_000;
const NOISE_SD_NM = 0.0005;
const BASELINE_S = 5;
const LOADING_S = 40;
const CURVE = { zero: 1e-4, full: 0.06, halfNgPerUl: 160 } as const;

/** Two wells of each level, and four zeros. */
export function createStandards(levels = [0.5, 1, 2, 5, 12.5, 31.25, 78.125, 195, 488]): CaptureSensor[] {
  return [...levels.flatMap((level) => [level, level]), 0, 0, 0, 0].map((ngPerUl, i) => {
    return { role: 'standard', sample: 'Standard', replicate: i + 1, ngPerUl };
  });
}

export function createWells(
  role: CaptureSensor['role'],
  sample: string,
  ...ngPerUl: readonly number[]
): CaptureSensor[] {
  return ngPerUl.map((each, i) => ({ role, sample, replicate: i + 1, ngPerUl: each }));
}

export function writeCaptureFile({
  sensors,
  standardMassDa = MASS_DA,
  cv = 0.01,
  seed = 3,
}: CapturePlate): InputFile {
  const normal = createNormals(seed);
  const rows = sensors.flatMap(({ isBare = false, computeSignal = (loaded) => loaded, ...sensor }, i) => {
    const ngPerUl = sensor.heldNgPerUl ?? sensor.ngPerUl;
    const { zero, full, halfNgPerUl } = CURVE;
    const rate = (zero + ((full - zero) * ngPerUl) / (ngPerUl + halfNgPerUl)) * (1 + cv * normal());
    return Array.from({ length: BASELINE_S + LOADING_S }, (_, t) => {
      const loadingS = Math.max(0, t - BASELINE_S);
      const loaded = computeSignal(rate * loadingS, loadingS);
      const step = t < BASELINE_S || isBare ? 'baseline' : 'loading';
      return `T${i + 1},${step},${t},${(loaded + NOISE_SD_NM * normal()).toFixed(6)}`;
    });
  });
  const text = [
    '# assayer-traces: 1',
    '# technique: bli',
    '# plate: P1',
    ...(standardMassDa === null ? [] : [`# standard_mass_da: ${standardMassDa}`]),
    '',
    'trace,well,role,sample,replicate,concentration_m',
    ...sensors.map(({ role, sample, replicate = 1, ngPerUl }, i) => {
      const molar = role === 'standard' ? ngPerUl / MASS_DA / 1e3 : '';
      return `T${i + 1},,${role},${sample},${replicate},${molar}`;
    }),
    '',
    'trace,step,time_s,signal',
    ...rows,
    '',
  ];
  return toFile('capture.csv', text.join('\n'));
}

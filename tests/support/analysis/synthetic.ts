/** Builders for tests: exact 1:1 traces, and an emitter of the assayer-traces file. */
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { NOMINAL_TIME, writeShape } from '#assays/binding/engine/kinetics/model.ts';
import type { TraceRole } from '#analysis/curves/trace.ts';

export interface Kinetics {
  kon: number;
  koff: number;
}

export interface SyntheticTrace {
  well?: string;
  role: TraceRole;
  sample: string;
  replicate?: number;
  concentrationM: number | null;
  /** What the well held, where the file is wrong about it. */
  heldM?: number;
  /** Null: nothing binds. */
  kinetics?: Kinetics | null;
  rmax?: number;
  loading?: number;
  driftPerS?: number;
  /** Non-specific signal at full concentration, seen by reference sensors as well. */
  nonSpecific?: number;
  /** Sample index within association at which a bubble adds to the signal for three samples. */
  spikeAt?: number;
}

export interface SyntheticPlate {
  plate?: string;
  technique?: 'bli' | 'spr';
  traces: SyntheticTrace[];
  noiseSd?: number;
  seed?: number;
  associationS?: number;
  dissociationS?: number;
}

const BASELINE_S = 60;
const LOADING_S = 60;

/** Deterministic uniform numbers between 0 and 1 (mulberry32). */
export function createUniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

/** Deterministic standard normal numbers (Box–Muller). */
export function createNormals(seed: number): () => number {
  const uniform = createUniforms(seed);
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** The lines of the samples of one trace, at 1 Hz. */
function sampleLines(
  id: string,
  trace: SyntheticTrace,
  plate: SyntheticPlate,
  noise: () => number,
): string[] {
  const associationS = plate.associationS ?? 200;
  const dissociationS = plate.dissociationS ?? 300;
  const startS = 2 * BASELINE_S + LOADING_S;
  const total = startS + associationS + dissociationS;
  const times = Float64Array.from({ length: associationS + dissociationS }, (_, i) => i);
  const n = times.length;
  const out = { shape: new Float64Array(n), byLnKon: new Float64Array(n), byLnKoff: new Float64Array(n) };
  const concentrationM = trace.heldM ?? trace.concentrationM ?? 0;
  const curve = { timeS: times, signal: times, concentrationM, associationS };
  if (trace.kinetics !== undefined && trace.kinetics !== null && concentrationM > 0) {
    writeShape(curve, trace.kinetics, NOMINAL_TIME, out, 0);
  }
  const lines: string[] = [];
  for (let t = 0; t < total; t += 1) {
    const loaded = (trace.loading ?? 1) * Math.min(1, Math.max(0, t - BASELINE_S) / (LOADING_S - 1));
    let signal = loaded + (trace.driftPerS ?? 0) * t + noise();
    let step = 'baseline';
    if (t >= BASELINE_S && t < BASELINE_S + LOADING_S) step = 'loading';
    if (t >= startS) {
      const i = t - startS;
      step = i < associationS ? 'association' : 'dissociation';
      signal += (trace.rmax ?? 1) * out.shape[i];
      if (step === 'association' && i > 0) signal += (trace.nonSpecific ?? 0) * concentrationM * 1e6;
      if (trace.spikeAt !== undefined && i >= trace.spikeAt && i < trace.spikeAt + 3) signal += 0.5;
    }
    lines.push(`${id},${step},${t},${signal.toFixed(9)}`);
  }
  return lines;
}

export function synthesize(plate: SyntheticPlate, name = 'plate.csv'): InputFile {
  const normal = createNormals(plate.seed ?? 1);
  const noise = (): number => (plate.noiseSd === undefined ? 0 : plate.noiseSd * normal());
  const head = [
    '# assayer-traces: 1',
    `# technique: ${plate.technique ?? 'bli'}`,
    '# instrument: Synthetic',
    '# signal_unit: nm',
    `# plate: ${plate.plate ?? 'P1'}`,
    '# operator: nobody',
    '',
    'trace,well,role,sample,replicate,concentration_m',
  ];
  const rows: string[] = [];
  for (const [index, trace] of plate.traces.entries()) {
    const id = `T${index + 1}`;
    const sample = /[",]/.test(trace.sample) ? `"${trace.sample.replaceAll('"', '""')}"` : trace.sample;
    head.push(
      [id, trace.well ?? '', trace.role, sample, trace.replicate ?? 1, trace.concentrationM ?? ''].join(','),
    );
    rows.push(...sampleLines(id, trace, plate, noise));
  }
  return toFile(name, [...head, '', 'trace,step,time_s,signal', ...rows, ''].join('\n'));
}

export const SERIES_M = [1e-6, 3e-7, 1e-7, 3e-8];

/** One sample at the usual series and in buffer. */
export function createSeries(
  trace: Omit<SyntheticTrace, 'concentrationM'>,
  concentrations = SERIES_M,
): SyntheticTrace[] {
  return [...concentrations, 0].map((concentrationM) => ({ ...trace, concentrationM }));
}

/** References over the series, a positive control and eight negative ones. */
export function createPlateControls(nonSpecific = 0.01): SyntheticTrace[] {
  const kinetics = { kon: 3e5, koff: 2e-3 };
  return [
    ...createSeries({ role: 'reference', sample: '', loading: 0, nonSpecific }),
    ...createSeries({ role: 'positive_control', sample: 'Cetuximab scFv', kinetics, nonSpecific }),
    ...Array.from({ length: 8 }, (_, i) => {
      return createSeries({ role: 'negative_control', sample: `nc-${i + 1}`, nonSpecific }, [SERIES_M[0]]);
    }).flat(),
  ];
}

export function toFile(name: string, text: string): InputFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

export function computeRelativeError(actual: number | null | undefined, expected: number): number {
  return Math.abs((actual ?? Number.NaN) / expected - 1);
}

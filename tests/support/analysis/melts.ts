/** Builders for tests: two-state melting curves with known truth, and melt sets of them. */
import { KELVIN, R_KCAL } from '#assays/thermostability/engine/model.ts';
import type { MeltSet, MeltTrace, WellRole } from '#analysis/curves/trace.ts';
import { createNormals } from './synthetic.ts';

export interface MeltTruth {
  /** Ascending; none for a curve without transition. */
  transitions: { tmC: number; dhKcalPerMol: number; amplitude: number }[];
  offset?: number;
  /** Of the folded baseline, and what is added on unfolding, per °C. */
  slopePerC?: number;
  slopeChangePerC?: number;
  /** Per °C²; bends the baseline. */
  bendPerC2?: number;
  noiseSd?: number;
  /** First-order autocorrelation of the noise. */
  rho?: number;
  seed?: number;
  fromC?: number;
  toC?: number;
  stepC?: number;
  /** Dye curves fall by this part of the signal per °C past the last transition. */
  dyeFallPerC?: number;
}

function createMeltCurve(truth: MeltTruth): { temperatureC: Float64Array; signal: Float64Array } {
  const { fromC = 25, toC = 95, stepC = 0.25, offset = 1, rho = 0 } = truth;
  const n = Math.round((toC - fromC) / stepC) + 1;
  const normal = createNormals(truth.seed ?? 1);
  const temperatureC = Float64Array.from({ length: n }, (_, i) => fromC + i * stepC);
  let noise = normal();
  const signal = temperatureC.map((t) => {
    let unfolded = 0;
    let value = offset + (truth.slopePerC ?? 0) * (t - 60) + (truth.bendPerC2 ?? 0) * (t - 60) ** 2;
    for (const { tmC, dhKcalPerMol, amplitude } of truth.transitions) {
      const f = 1 / (1 + Math.exp((dhKcalPerMol / R_KCAL) * (1 / (t + KELVIN) - 1 / (tmC + KELVIN))));
      value += amplitude * f;
      unfolded += f / truth.transitions.length;
    }
    value += (truth.slopeChangePerC ?? 0) * (t - 60) * unfolded;
    if (truth.dyeFallPerC !== undefined) {
      const past = t - truth.transitions[truth.transitions.length - 1].tmC;
      value -= truth.dyeFallPerC * Math.max(0, past) * unfolded;
    }
    noise = rho * noise + Math.sqrt(1 - rho * rho) * normal();
    return value + (truth.noiseSd ?? 0) * noise;
  });
  return { temperatureC, signal };
}

export interface MeltWell extends MeltTruth {
  well: string;
  sample?: string;
  role?: WellRole;
  replicate?: number;
  channel?: string;
}

export function createMeltTrace({ well, sample, role, replicate, channel, ...truth }: MeltWell): MeltTrace {
  return {
    well,
    sample: sample ?? well,
    role: role ?? 'sample',
    replicate: replicate ?? 1,
    concentrationM: null,
    concentrationNgPerUl: null,
    channel: channel ?? 'ratio',
    ...createMeltCurve(truth),
  };
}

/** The light at 330 nm is the same in every well with a ratio, unless the traces have it. */
export function createMeltSet(traces: MeltTrace[]): MeltSet {
  const lit = new Set(traces.flatMap(({ well, channel }) => (channel === '330nm' ? well : [])));
  const lights = traces
    .filter(({ well, channel }) => channel === 'ratio' && !lit.has(well))
    .map((trace): MeltTrace => ({ ...trace, channel: '330nm', signal: trace.signal.map(() => 1) }));
  return createBareMeltSet([...traces, ...lights]);
}

/** As `createMeltSet`, with the given traces alone. */
export function createBareMeltSet(traces: MeltTrace[]): MeltSet {
  return {
    format: 'synthetic',
    instrument: 'Synthetic',
    plate: 'P1',
    metadata: {},
    notices: [],
    traces,
  };
}

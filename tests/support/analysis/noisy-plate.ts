/** Whole plates of known truth whose every sensor, references and blanks too, has noise of its own. */
import type { Trace, TraceSet, TraceStep } from '#analysis/curves/trace.ts';
import { createEmptyCurve, createNoise, computeOneToOneResponse } from './noise.ts';
import type { Noise } from './noise.ts';
import { createNormals } from './synthetic.ts';
import type { Kinetics } from './synthetic.ts';

export interface NoisySample extends Kinetics {
  sample: string;
  replicate?: number;
  rmax: number;
}

export interface NoisyPlate {
  samples: readonly NoisySample[];
  seed: number;
  noise: Noise;
  /** Ascending, above zero. */
  concentrationsM: readonly number[];
  /** A sensor in buffer for every sample. */
  blanks: boolean;
  /** An empty sensor for every concentration, and for buffer where there are blanks. */
  references: boolean;
  baselineS: number;
  associationS: number;
  dissociationS: number;
  /** Relative standard deviation of Rmax over the sensors of a sample. */
  rmaxCv?: number;
  /** Seconds from sample to sample. Default 1. */
  intervalS?: number;
  /** Standard deviation of a jump of the signal where a sensor moves from association to dissociation. Default 0. */
  interStepSd?: number;
  /** Standard deviation, over the sensors, of a drift from the first baseline to the end, in signal/s. Default 0. */
  driftSdPerS?: number;
}

/** A plate of BLI sensors. */
export function createNoisyPlate(plate: NoisyPlate): TraceSet {
  const normal = createNormals(plate.seed);
  const traces: Trace[] = [];
  const add = (of: Omit<Trace, 'id' | 'well' | 'steps'>, kinetics: Kinetics | null, rmax: number): void => {
    const id = `T${traces.length + 1}`;
    traces.push({
      ...of,
      id,
      well: null,
      steps: createSteps(plate, { of, kinetics, rmax, drawNormal: normal }),
    });
  };
  const zero = plate.blanks ? [0] : [];
  for (const { sample, replicate = 1, rmax, kon, koff } of plate.samples) {
    for (const concentrationM of [...zero, ...plate.concentrationsM]) {
      const amplitude = rmax * (1 + (plate.rmaxCv ?? 0) * normal());
      add({ role: 'sample', sample, replicate, concentrationM }, { kon, koff }, amplitude);
    }
  }
  for (const concentrationM of plate.references ? [...zero, ...plate.concentrationsM] : []) {
    add({ role: 'reference', sample: '', replicate: 1, concentrationM }, null, 0);
  }
  const common = {
    format: 'test',
    technique: 'bli',
    signalUnit: 'nm',
    instrument: null,
    plate: 'P1',
  } as const;
  return { ...common, metadata: {}, notices: [], traces };
}

function createSteps(
  {
    baselineS,
    associationS,
    dissociationS,
    noise,
    intervalS = 1,
    interStepSd = 0,
    driftSdPerS = 0,
  }: NoisyPlate,
  sensor: {
    of: { concentrationM: number | null };
    kinetics: Kinetics | null;
    rmax: number;
    drawNormal: () => number;
  },
): TraceStep[] {
  const concentrationM = sensor.of.concentrationM ?? 0;
  const lengthS = associationS + dissociationS;
  const isBound = sensor.kinetics !== null && concentrationM > 0;
  const curve = createEmptyCurve({
    concentrationM,
    associationS,
    lengthS,
    points: Math.round(lengthS / intervalS),
  });
  const shape =
    isBound && sensor.kinetics !== null ? computeOneToOneResponse(curve, sensor.kinetics) : curve.signal;
  const noiseAt = createNoise(sensor.drawNormal, noise);
  const jump = interStepSd === 0 ? 0 : interStepSd * sensor.drawNormal();
  const driftPerS = driftSdPerS === 0 ? 0 : driftSdPerS * sensor.drawNormal();
  const step = (name: TraceStep['step'], fromS: number, toS: number): TraceStep => {
    const first = Math.round(fromS / intervalS);
    const timeS = Float64Array.from({ length: Math.round((toS - fromS) / intervalS) }, (_, i) => {
      return baselineS + (first + i) * intervalS;
    });
    const moved = name === 'dissociation' ? jump : 0;
    const signal = timeS.map((t, i) => {
      const at = first + i;
      return (at < 1 ? 0 : sensor.rmax * shape[at - 1]) + moved + driftPerS * t + noiseAt(t);
    });
    return { step: name, startS: baselineS + fromS, timeS, signal };
  };
  return [
    step('baseline', -baselineS, 0),
    step('association', 0, associationS),
    step('dissociation', associationS, lengthS),
  ];
}

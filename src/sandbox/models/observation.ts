/**
 * The simulated recording of one sensor with the design immobilized on it, dipped into one concentration of the antigen.
 *
 * Kinetics are 1:1 (Karlsson 1991; O'Shannessy 1993). Added to them are a refractive-index step during association,
 * non-specific binding, a drift per sensor, and first-order autoregressive noise. Signals are in nm.
 */
import { createRandomSource } from './random.ts';
import type { RandomSource, SeedPart } from './random.ts';
import type { Truth } from './truth.ts';

export type StepName = 'baseline' | 'loading' | 'association' | 'dissociation';

export interface Step {
  name: StepName;
  durationS: number;
  /** Time between two samples, in s. */
  intervalS: number;
}

/** Baseline, loading, baseline, association, dissociation: the steps every sensor goes through. */
export const STEPS: readonly Step[] = [
  { name: 'baseline', durationS: 60, intervalS: 1 },
  { name: 'loading', durationS: 120, intervalS: 5 },
  { name: 'baseline', durationS: 60, intervalS: 1 },
  { name: 'association', durationS: 300, intervalS: 1 },
  { name: 'dissociation', durationS: 600, intervalS: 1 },
];

/** Effects that all sensors of one plate share. */
export interface PlateEffects {
  /** Step of the signal while the sensor is in 1 µM antigen, in nm. */
  refractiveIndexNmPerMicromolar: number;
  /**
   * Antigen that binds to a bare sensor, in nm at 1 µM; it is the same on a loaded sensor, so a reference removes it.
   */
  sensorNsbNmPerMicromolar: number;
}

export interface Sensor {
  seed: readonly SeedPart[];
  /** Null for a reference sensor, which is not loaded. */
  truth: Truth | null;
  concentrationM: number;
  /** Whether an artifact of the replicate (`failure: 'spike'`) affects this sensor. */
  spiked: boolean;
}

export interface Sample {
  step: StepName;
  timeS: number;
  signalNm: number;
}

const LOADING_MAX_NM = 2;
/**
 * Yield of half-maximal loading. Loading rises with the cube of the yield, so 2 ng/µL (the limit of expression) gives
 * 13 % and 10 ng/µL 95 %.
 */
const LOADING_HALF_NG_PER_UL = 3.73;
const LOADING_RATE_PER_S = 0.035;
/** Relative SD of the loading between sensors. */
const LOADING_RELATIVE_SD = 0.02;
/** Fraction of the loading that remains on the sensor of a replicate whose loading failed. */
const FAILED_LOADING_FRACTION = 0.02;
/** Signal of a saturated surface per nm of loading; above 1, because an antigen is usually heavier than a design. */
const RMAX_PER_LOADING = 1.4;
const DRIFT_SD_NM_PER_S = 1e-5;
const NOISE_SD_NM = 0.004;
const NOISE_CORRELATION_PER_S = 0.6;
/** Non-specific binding of the antigen to the loaded protein itself, SD in nm at 1 µM and full loading. */
const PROTEIN_NSB_SD_NM = 0.003;
const NSB_RATE_PER_S = 0.02;
/** Heterogeneous surface: this fraction of it dissociates ten times faster. */
const SECOND_SITE_FRACTION = 0.35;
const SECOND_SITE_KOFF_FACTOR = 10;
const SPIKE_DURATION_S = 3;

/** Returns the effects common to the sensors of one plate. */
export function drawPlateEffects(...seed: readonly SeedPart[]): PlateEffects {
  const random = createRandomSource('plate', ...seed);
  return {
    refractiveIndexNmPerMicromolar: 0.01 * (1 + 0.3 * random.drawNormal()),
    sensorNsbNmPerMicromolar: 0.006 * Math.abs(1 + 0.3 * random.drawNormal()),
  };
}

/** Returns the expected loading of a protein, in nm, from its expression yield. */
export function computeLoadingNm(yieldNgPerUl: number): number {
  const cube = yieldNgPerUl ** 3;
  return (LOADING_MAX_NM * cube) / (cube + LOADING_HALF_NG_PER_UL ** 3);
}

/**
 * Returns the signal of the antigen on the surface as a fraction of Rmax, 1:1 model. `sinceStartS` counts from the
 * start of association, which lasts `associationS`; dissociation in buffer follows.
 */
export function boundFraction(
  kinetics: { konPerMS: number; koffPerS: number },
  concentrationM: number,
  times: { sinceStartS: number; associationS: number },
): number {
  const { konPerMS, koffPerS } = kinetics;
  const approach = konPerMS * concentrationM + koffPerS;
  const plateau = (konPerMS * concentrationM) / approach;
  const associated = Math.min(Math.max(times.sinceStartS, 0), times.associationS);
  const bound = plateau * (1 - Math.exp(-approach * associated));
  return bound * Math.exp(-koffPerS * Math.max(0, times.sinceStartS - times.associationS));
}

/** Records every sample of one sensor over all steps, in time order, zero at the start of the first baseline. */
export function recordSensor(sensor: Sensor, plate: PlateEffects): Sample[] {
  const random = createRandomSource('sensor', ...sensor.seed);
  const surface = drawSurface(sensor, random);
  const driftNmPerS = DRIFT_SD_NM_PER_S * random.drawNormal();
  const noise = createAutoregressiveNoise(random);
  const spike = createSpike(sensor, random);
  const samples: Sample[] = [];
  let startS = 0;
  let loadedNm = 0;
  for (const step of STEPS) {
    for (let t = 0; t < step.durationS; t += step.intervalS) {
      const timeS = startS + t;
      if (step.name === 'loading') loadedNm = surface.loadingNm * (1 - Math.exp(-LOADING_RATE_PER_S * t));
      const signalNm =
        loadedNm +
        computeAntigenSignal(step, t, surface, sensor, plate) +
        driftNmPerS * timeS +
        noise(step.intervalS) +
        spike(step, t);
      samples.push({ step: step.name, timeS, signalNm });
    }
    startS += step.durationS;
  }
  return samples;
}

interface Surface {
  loadingNm: number;
  proteinNsbNm: number;
}

function drawSurface(sensor: Sensor, random: RandomSource): Surface {
  const variation = 1 + LOADING_RELATIVE_SD * random.drawNormal();
  const nsb = PROTEIN_NSB_SD_NM * Math.abs(random.drawNormal());
  if (sensor.truth === null) return { loadingNm: 0, proteinNsbNm: 0 };
  const failed = sensor.truth.failure === 'no_loading' ? FAILED_LOADING_FRACTION : 1;
  const loading = computeLoadingNm(sensor.truth.yieldNgPerUl) * variation * failed;
  return { loadingNm: loading, proteinNsbNm: (nsb * loading) / LOADING_MAX_NM };
}

function computeAntigenSignal(
  step: Step,
  t: number,
  surface: Surface,
  sensor: Sensor,
  plate: PlateEffects,
): number {
  if (step.name !== 'association' && step.name !== 'dissociation') return 0;
  const associationS = getAssociationDurationS();
  const sinceStartS = step.name === 'association' ? t : associationS + t;
  const micromolar = sensor.concentrationM * 1e6;
  const nsbMax = (plate.sensorNsbNmPerMicromolar + surface.proteinNsbNm) * micromolar;
  const nsb =
    nsbMax *
    (1 - Math.exp(-NSB_RATE_PER_S * Math.min(sinceStartS, associationS))) *
    Math.exp(-NSB_RATE_PER_S * Math.max(0, sinceStartS - associationS));
  const inAntigen = step.name === 'association' && t > 0;
  const refractiveIndex = inAntigen ? plate.refractiveIndexNmPerMicromolar * micromolar : 0;
  return nsb + refractiveIndex + computeSpecificSignal(surface, sensor, { sinceStartS, associationS });
}

function computeSpecificSignal(
  surface: Surface,
  sensor: Sensor,
  times: { sinceStartS: number; associationS: number },
): number {
  const { truth, concentrationM } = sensor;
  if (truth === null || truth.konPerMS === null || truth.koffPerS === null) return 0;
  const rmaxNm = RMAX_PER_LOADING * surface.loadingNm;
  const { konPerMS, koffPerS } = truth;
  const main = boundFraction({ konPerMS, koffPerS }, concentrationM, times);
  if (truth.failure !== 'heterogeneous') return rmaxNm * main;
  const faster = { konPerMS, koffPerS: koffPerS * SECOND_SITE_KOFF_FACTOR };
  const second = boundFraction(faster, concentrationM, times);
  return rmaxNm * ((1 - SECOND_SITE_FRACTION) * main + SECOND_SITE_FRACTION * second);
}

function getAssociationDurationS(): number {
  return STEPS.find((step) => step.name === 'association')?.durationS ?? 0;
}

/** Returns AR(1) noise of constant variance; a longer interval between samples reduces the correlation. */
function createAutoregressiveNoise(random: RandomSource): (intervalS: number) => number {
  let value = random.drawNormal();
  return (intervalS) => {
    const correlation = NOISE_CORRELATION_PER_S ** intervalS;
    value = correlation * value + Math.sqrt(1 - correlation * correlation) * random.drawNormal();
    return NOISE_SD_NM * value;
  };
}

/** Adds an air bubble: a few seconds of a far too high signal somewhere in association. */
function createSpike(sensor: Sensor, random: RandomSource): (step: Step, t: number) => number {
  const startS = Math.floor(20 + 240 * random.drawUniform());
  const heightNm = 0.2 + 0.3 * random.drawUniform();
  return (step, t) =>
    sensor.spiked && step.name === 'association' && t >= startS && t < startS + SPIKE_DURATION_S
      ? heightNm
      : 0;
}

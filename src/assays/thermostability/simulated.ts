import { makeWellAssay, type Prepared, type WellRun } from '../simulated-wells.ts';
import { MELT_CONTROL, spoilControl, type AssayTruth } from '#sandbox/models/assay-truth.ts';
import { createRandomSource, type RandomSource, type SeedPart } from '#sandbox/models/random.ts';
import { writeWellFile, type FileWell } from '#sandbox/models/recorded-files.ts';

/**
 * The simulated nanoDSF recording: intrinsic fluorescence at 330 and 350 nm over temperature, and their ratio.
 *
 * Unfolding is two-state without heat-capacity change; fluorescence at 350 nm rises on unfolding while that at 330 nm hardly changes, so that the ratio
 * follows the fraction unfolded. Added to it are quenching with temperature, drift and first-order autoregressive noise.
 */

interface Capillary extends FileWell {
  /** Null for buffer alone. */
  truth: AssayTruth | null;
}

const CAPILLARIES = 48;
const FROM_C = 20;
const TO_C = 95;
const STEP_C = 0.25;
const R_KCAL = 1.987204e-3;
const KELVIN = 273.15;
/** Counts of a protein at 60 ng/µL, at 20 °C. */
const COUNTS = 12_000;
const YIELD_REFERENCE = 60;
const BUFFER_COUNTS = 150;
/** F350/F330 of the folded protein, and its increase on unfolding. */
const FOLDED_RATIO = 0.75;
const UNFOLDED_GAIN = 0.35;
const QUENCH_PER_C = 0.006;
const RATIO_SLOPE_PER_C = 0.0006;
const NOISE = 0.0012;
const NOISE_CORRELATION = 0.4;
const BUBBLE_NOISE = 0.12;

/** Number of capillaries available for samples. */
export const MELT_ROOM = CAPILLARIES - 3;

/** Returns the file of one run; `prepared` has at most `MELT_ROOM` samples. */
export function writeMeltFile(run: WellRun, prepared: readonly Prepared[]): Uint8Array {
  const { name, truth } = run.controlsFail ? spoilControl(MELT_CONTROL) : MELT_CONTROL;
  const control = { role: 'positive_control', sample: name, truth };
  const all: Omit<Capillary, 'well'>[] = [
    { ...control, replicate: 1 },
    { ...control, replicate: 2 },
    { role: 'blank', sample: '', replicate: 1, truth: null },
    ...prepared.map((each) => ({ role: 'sample', ...each })),
  ];
  const capillaries = all.map((each, index): Capillary => ({
    ...each,
    well: `C${String(index + 1).padStart(2, '0')}`,
  }));
  const rows = capillaries.flatMap((capillary) => writeRows(capillary, run.seed));
  return writeWellFile({
    magic: 'assayer-melts',
    head: {
      instrument: 'Simulated nanoDSF',
      plate: run.plate,
      experiment: run.experimentCode,
      heating_rate_c_per_min: '1',
    },
    wells: capillaries,
    data: ['well,channel,temperature_c,signal', ...rows],
  });
}

function writeRows(capillary: Capillary, seed: readonly SeedPart[]): string[] {
  const random = createRandomSource(
    'capillary',
    ...seed,
    capillary.role,
    capillary.sample,
    capillary.replicate,
  );
  const { truth } = capillary;
  const fill = 1 + 0.03 * random.drawNormal();
  const concentration = truth === null ? 0 : (truth.yieldNgPerUl / YIELD_REFERENCE) ** 0.7;
  const counts = COUNTS * concentration * fill;
  const drift = 1e-4 * random.drawNormal();
  const noise330 = createNoise(random, truth);
  const noise350 = createNoise(random, truth);
  const channels: Record<'ratio' | '330nm' | '350nm', string[]> = { ratio: [], '330nm': [], '350nm': [] };
  for (let index = 0; index <= (TO_C - FROM_C) / STEP_C; index += 1) {
    const celsius = FROM_C + index * STEP_C;
    const since = celsius - FROM_C;
    const quench = Math.exp(-QUENCH_PER_C * since) * (1 + drift * since);
    const unfolded = truth === null ? 0 : computeFractionUnfolded(truth, celsius);
    const ratio = FOLDED_RATIO + RATIO_SLOPE_PER_C * since + UNFOLDED_GAIN * unfolded;
    const background = BUFFER_COUNTS + 6 * random.drawNormal();
    const f330 = background + counts * quench * (1 - 0.02 * unfolded) * (1 + noise330());
    const f350 = 0.8 * background + counts * quench * ratio * (1 - 0.02 * unfolded) * (1 + noise350());
    const at = `${capillary.well},%,${celsius.toFixed(2)},`;
    channels.ratio.push(`${at.replace('%', 'ratio')}${(f350 / f330).toFixed(5)}`);
    channels['330nm'].push(`${at.replace('%', '330nm')}${f330.toFixed(1)}`);
    channels['350nm'].push(`${at.replace('%', '350nm')}${f350.toFixed(1)}`);
  }
  return [...channels.ratio, ...channels['330nm'], ...channels['350nm']];
}

function computeFractionUnfolded(
  { tmC, unfoldingEnthalpyKcalPerMol: enthalpy }: AssayTruth,
  celsius: number,
): number {
  if (tmC === null) return 0;
  const kelvin = celsius + KELVIN;
  const free = enthalpy * (1 - kelvin / (tmC + KELVIN));
  return 1 / (1 + Math.exp(free / (R_KCAL * kelvin)));
}

function createNoise(random: RandomSource, truth: AssayTruth | null): () => number {
  const sd = truth?.failure === 'bubble' ? BUBBLE_NOISE : NOISE;
  let value = random.drawNormal();
  return () => {
    value = NOISE_CORRELATION * value + Math.sqrt(1 - NOISE_CORRELATION ** 2) * random.drawNormal();
    return sd * value;
  };
}

export const thermostability = makeWellAssay({
  price: { unit_price_cents: 9_900, replicate_price_cents: 1_900 },
  nameInstrument: () => 'Simulated nanoDSF',
  room: MELT_ROOM,
  failure: 'bubble',
  writeFile: writeMeltFile,
});

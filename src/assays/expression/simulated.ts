import { nameBindingInstrument } from '../binding/simulated.ts';
import { makeWellAssay, type Prepared, type WellRun } from '../simulated-wells.ts';
import { EXPRESSION_CONTROL, NO_DNA, spoilControl } from '#sandbox/models/assay-truth.ts';
import { formatWellName } from '#sandbox/models/layout.ts';
import { createRandomSource, type SeedPart } from '#sandbox/models/random.ts';
import { toOneLine, quoteField } from '#sandbox/models/recorded-files.ts';

/**
 * The simulated BLI recording of expression: tag sensors dipped into the reactions, into a standard at known
 * concentrations and into a reaction without DNA. The first seconds of loading show how much tagged protein there is.
 */

interface Sensor {
  role: 'standard' | 'negative_control' | 'positive_control' | 'sample';
  sample: string;
  replicate: number;
  ngPerUl: number;
  /** Concentration of a standard in M; null for the others. */
  concentrationM: number | null;
  /** Whether the sensor fails to load. */
  isBad: boolean;
}

const WELLS = 96;
const STANDARD_NAME = 'Tagged standard';
const STANDARD_MASS_DA = 27_000;
const STANDARD_NG_PER_UL = [0.5, 1, 2, 5, 12.5, 31.25, 78.125, 195.3125, 488.28125];
const STANDARD_WELLS = 2;
const ZERO_WELLS = 4;
const NO_DNA_WELLS = 4;
const CONTROL_WELLS = 2;
/** Initial rate in nm/s of an empty sensor in buffer, and of a full solution; the concentration halfway; the Hill slope. */
const RATE_ZERO = 1e-4;
const RATE_FULL = 0.06;
const HALF_NG_PER_UL = 160;
const HILL = 1.05;
/** Rate that the lysate itself adds. */
const RATE_LYSATE = 1.5e-4;
const CAPACITY_NM = 5;
const SENSOR_RELATIVE_SD = 0.02;
const NOISE_SD_NM = 0.0008;
const NOISE_CORRELATION = 0.5;
const BASELINE_S = 30;
const LOADING_S = 120;

/** Number of wells available for samples. */
export const CAPTURE_ROOM =
  WELLS - STANDARD_NG_PER_UL.length * STANDARD_WELLS - ZERO_WELLS - NO_DNA_WELLS - CONTROL_WELLS;

/** Returns the file of one plate; `prepared` has at most `CAPTURE_ROOM` samples. */
export function writeCaptureFile(run: WellRun, prepared: readonly Prepared[]): Uint8Array {
  const samples = prepared.map(({ sample, replicate, truth }): Sensor => {
    const isBad = truth.failure === 'bad_sensor';
    return { role: 'sample', sample, replicate, ngPerUl: truth.yieldNgPerUl, concentrationM: null, isBad };
  });
  const sensors = [...listControls(run), ...samples];
  const table: string[] = [];
  const rows: string[] = [];
  for (const [index, sensor] of sensors.entries()) {
    const id = `T${String(index + 1).padStart(3, '0')}`;
    const { role, sample, replicate, concentrationM } = sensor;
    table.push(
      [id, formatWellName(index), role, quoteField(sample), replicate, concentrationM ?? ''].join(','),
    );
    rows.push(...simulateSamples(id, sensor, run.seed));
  }
  const lines = [
    '# assayer-traces: 1',
    '# technique: bli',
    '# instrument: Simulated BLI',
    '# signal_unit: nm',
    `# plate: ${toOneLine(run.plate)}`,
    `# experiment: ${toOneLine(run.experimentCode)}`,
    '# experiment_type: expression',
    `# standard_mass_da: ${STANDARD_MASS_DA}`,
    '',
    'trace,well,role,sample,replicate,concentration_m',
    ...table,
    '',
    'trace,step,time_s,signal',
    ...rows,
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

function listControls({ controlsFail }: WellRun): Sensor[] {
  const control = controlsFail ? spoilControl(EXPRESSION_CONTROL) : EXPRESSION_CONTROL;
  const createStandard = (ngPerUl: number, replicate: number): Sensor => ({
    role: 'standard',
    sample: STANDARD_NAME,
    replicate,
    ngPerUl,
    concentrationM: Number((ngPerUl / STANDARD_MASS_DA / 1e3).toPrecision(9)),
    isBad: false,
  });
  const standards = STANDARD_NG_PER_UL.flatMap((level) =>
    repeat(STANDARD_WELLS, (n) => createStandard(level, n)),
  );
  const zeros = repeat(ZERO_WELLS, (n) => createStandard(0, n));
  const createReaction = (of: typeof NO_DNA, role: Sensor['role']) => (replicate: number) => ({
    role,
    sample: of.name,
    replicate,
    ngPerUl: of.truth.yieldNgPerUl,
    concentrationM: null,
    isBad: false,
  });
  return [
    ...standards,
    ...zeros,
    ...repeat(NO_DNA_WELLS, createReaction(NO_DNA, 'negative_control')),
    ...repeat(CONTROL_WELLS, createReaction(control, 'positive_control')),
  ];
}

function repeat<Item>(count: number, make: (replicate: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

function simulateSamples(id: string, sensor: Sensor, seed: readonly SeedPart[]): string[] {
  const parts = [sensor.role, sensor.sample, sensor.replicate, sensor.ngPerUl];
  const random = createRandomSource('capture', ...seed, ...parts);
  const variation = 1 + SENSOR_RELATIVE_SD * random.drawNormal();
  const power = sensor.ngPerUl ** HILL;
  const bound = ((RATE_FULL - RATE_ZERO) * power) / (power + HALF_NG_PER_UL ** HILL);
  const lysate = sensor.role === 'standard' ? 0 : RATE_LYSATE * (1 + 0.1 * random.drawNormal());
  const rate = (RATE_ZERO + (sensor.isBad ? 0 : bound)) * variation + lysate;
  let noise = random.drawNormal();
  const rows: string[] = [];
  for (let time = 0; time < BASELINE_S + LOADING_S; time += 1) {
    const isLoading = time >= BASELINE_S;
    const loaded = isLoading ? CAPACITY_NM * (1 - Math.exp((-rate * (time - BASELINE_S)) / CAPACITY_NM)) : 0;
    noise = NOISE_CORRELATION * noise + Math.sqrt(1 - NOISE_CORRELATION ** 2) * random.drawNormal();
    const signal = (loaded + NOISE_SD_NM * noise).toFixed(5);
    rows.push(`${id},${isLoading ? 'loading' : 'baseline'},${time},${Number(signal) === 0 ? '0' : signal}`);
  }
  return rows;
}

export const expression = makeWellAssay({
  price: { unit_price_cents: 7_900, replicate_price_cents: 1_500 },
  nameInstrument: nameBindingInstrument,
  room: CAPTURE_ROOM,
  failure: 'bad_sensor',
  writeFile: writeCaptureFile,
});

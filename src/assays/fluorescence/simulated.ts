import { makeWellAssay, type Prepared, type WellRun } from '../simulated-wells.ts';
import { DARK, spoilControl, WILD_TYPE } from '#sandbox/models/assay-truth.ts';
import { formatWellName } from '#sandbox/models/layout.ts';
import { createRandomSource, type RandomSource } from '#sandbox/models/random.ts';
import { writeWellFile, type FileWell } from '#sandbox/models/recorded-files.ts';

/**
 * The simulated plate-reader recording: one fluorescence value per well. The positions of controls and samples are
 * random by seed, as in a lab, so that position and content of a well are independent.
 */

interface Content extends Omit<FileWell, 'well'> {
  brightness: number;
}

const WELLS = 96;
const ROWS = 8;
const COLUMNS = 12;
const REFERENCE_WELLS = 6;
const BLANK_WELLS = 6;
const DARK_WELLS = 4;
const BLANK_RFU = 120;
const REFERENCE_RFU = 18_000;
const READ_NOISE_RFU = 9;
const PIPETTING_SD = 0.02;
const DETECTOR_MAX_RFU = 65_535;
/** On one plate in eight a clogged tip fills one row less. */
const CLOGGED_SHARE = 0.125;
const CLOGGED_FACTOR = 0.82;
const OPTICS = { ex: 488, em: 520, gain: 75 };

/** Number of wells available for samples. */
export const READER_ROOM = WELLS - REFERENCE_WELLS - BLANK_WELLS - DARK_WELLS;

/** Returns the file of one plate; `prepared` has at most `READER_ROOM` samples. */
export function writeReaderFile(run: WellRun, prepared: readonly Prepared[]): Uint8Array {
  const random = createRandomSource('reader', ...run.seed);
  const wildType = run.controlsFail ? spoilControl(WILD_TYPE) : WILD_TYPE;
  const contents: Content[] = [
    ...createControlWells(REFERENCE_WELLS, 'positive_control', wildType.name, wildType.truth.brightness),
    ...createControlWells(BLANK_WELLS, 'blank', '', 0),
    ...createControlWells(DARK_WELLS, 'negative_control', DARK.name, DARK.truth.brightness),
    ...prepared.map(({ sample, replicate, truth }) => ({
      role: 'sample',
      sample,
      replicate,
      brightness: truth.failure === 'empty_well' ? 0 : truth.brightness,
    })),
  ];
  const places = shuffleOrder(WELLS, random);
  const factorOf = createPlaceFactors(random);
  const filled = contents
    .map((content, index) => ({ ...content, place: places[index] ?? index }))
    .toSorted((a, b) => a.place - b.place);
  const rows = filled.map(({ place, brightness }) => {
    const signal = brightness * REFERENCE_RFU * factorOf(place) * (1 + PIPETTING_SD * random.drawNormal());
    const value = Math.round(BLANK_RFU + signal + READ_NOISE_RFU * random.drawNormal());
    const text = value > DETECTOR_MAX_RFU ? 'OVER' : String(Math.max(0, value));
    return `${formatWellName(place)},fluorescence,${OPTICS.ex},${OPTICS.em},${OPTICS.gain},${text}`;
  });
  return writeWellFile({
    magic: 'assayer-plate',
    head: {
      instrument: 'Simulated plate reader',
      plate: run.plate,
      unit: 'RFU',
      experiment: run.experimentCode,
    },
    wells: filled.map(({ place, role, sample, replicate }) => ({
      well: formatWellName(place),
      role,
      sample,
      replicate,
    })),
    data: ['well,channel,ex_nm,em_nm,gain,value', ...rows],
  });
}

function createControlWells(count: number, role: string, sample: string, brightness: number): Content[] {
  return Array.from({ length: count }, (_, index) => ({ role, sample, replicate: index + 1, brightness }));
}

/** Fisher–Yates shuffle. */
function shuffleOrder(count: number, random: RandomSource): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const chosen = Math.floor(random.drawUniform() * (last + 1));
    [order[last], order[chosen]] = [order[chosen] ?? last, order[last] ?? chosen];
  }
  return order;
}

/**
 * Returns the factor of each position: a slight slope along rows and columns, and occasionally a row that got less.
 */
function createPlaceFactors(random: RandomSource): (place: number) => number {
  const [rowSlope, columnSlope] = [0.01 * random.drawNormal(), 0.01 * random.drawNormal()];
  const clogged = random.drawUniform() < CLOGGED_SHARE ? Math.floor(random.drawUniform() * ROWS) : null;
  return (place) => {
    const row = place % ROWS;
    const column = Math.floor(place / ROWS);
    const tilt = 1 + rowSlope * (row / (ROWS - 1) - 0.5) + columnSlope * (column / (COLUMNS - 1) - 0.5);
    return tilt * (row === clogged ? CLOGGED_FACTOR : 1);
  };
}

export const fluorescence = makeWellAssay({
  price: { unit_price_cents: 8_900, replicate_price_cents: 1_700 },
  nameInstrument: () => 'Simulated plate reader',
  room: READER_ROOM,
  failure: 'empty_well',
  writeFile: writeReaderFile,
});

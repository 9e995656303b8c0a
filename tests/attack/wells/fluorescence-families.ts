/** Fluorescence of variants on a plate, and what places, detectors and blanks do to it. */
import { LIMITS, type Limits, type SimulatedRun, type WellsFamily } from './family.ts';
import {
  createFluorescenceRun,
  drawLight,
  fillColumns,
  JUDGED,
  listOccupants,
  readPlate,
  shuffleOver,
  type FluorescentWell,
  type PlateLight,
  type Reading,
} from './fluorescence-plate.ts';
import { decideOutcomes } from './judge.ts';
import { COLUMN_COUNT, ROWS } from './plate-map.ts';
import { createRandom, type Random } from './random.ts';

interface Plate {
  readonly light: PlateLight;
  readonly wells: readonly FluorescentWell[];
}

interface PlateChoice {
  readonly judged?: number;
  readonly blanks?: number;
}

function drawPlate(random: Random, choice: PlateChoice = {}): Plate {
  const designs = random.integer(8, 18);
  const light = drawLight(random, designs, choice.judged ?? random.logUniform(0.08, 2.5));
  const occupants = listOccupants(designs, {
    replicates: 3,
    references: random.integer(4, 8),
    darks: random.integer(4, 6),
    blanks: choice.blanks ?? random.integer(4, 8),
  });
  return { light, wells: shuffleOver(random, occupants) };
}

function simulatePlate(
  random: Random,
  { light, wells }: Plate,
  reading: Reading,
  facts: SimulatedRun['truth']['facts'],
): SimulatedRun {
  const layout = random.chance(0.4) ? 'blocks' : 'own';
  return createFluorescenceRun(readPlate(random, wells, light, reading), light, layout, facts);
}

function drawClean(random: Random): SimulatedRun {
  return simulatePlate(random, drawPlate(random), {}, {});
}

/** Wells at the edge dry out or warm up, or light falls off across the plate. */
function drawEdgeGradient(random: Random): SimulatedRun {
  const strength = random.uniform(0.1, 0.45) * random.pick([-1, 1]);
  const isEdge = random.chance(0.5);
  const placeFactor = ({ row, column }: FluorescentWell) => {
    if (!isEdge) return 1 + strength * (column / (COLUMN_COUNT - 1));
    const depth = Math.min(row, ROWS.length - 1 - row, column, COLUMN_COUNT - 1 - column);
    return 1 + strength * 0.3 ** depth;
  };
  return simulatePlate(
    random,
    drawPlate(random),
    { placeFactor },
    { strength, kind: isEdge ? 'edge' : 'gradient' },
  );
}

/** Columns differ, and all wells of a design share one: nothing on the plate tells the two apart. */
function drawConfounded(random: Random): SimulatedRun {
  const designs = 2 * random.integer(4, 8);
  const light = drawLight(random, designs, random.logUniform(0.08, 2.5));
  const occupants = listOccupants(designs, { replicates: 4, references: 8, darks: 8, blanks: 8 });
  const spread = random.uniform(0.1, 0.35);
  const factors = Array.from({ length: COLUMN_COUNT }, () => Math.exp(spread * random.normal()));
  const wells = fillColumns(occupants);
  const placeFactor = ({ column }: FluorescentWell) => factors[column] ?? 1;
  const own = wells.find(({ sample }) => sample === JUDGED);
  const facts = { spread, own_column_factor: factors[own?.column ?? 0] ?? null };
  return simulatePlate(random, { light, wells }, { placeFactor }, facts);
}

/** Some or all wells of the design are brighter than the detector can show. */
function drawSaturated(random: Random): SimulatedRun {
  const plate = drawPlate(random, { judged: random.uniform(1.5, 6) });
  const bright = (plate.light.relative.get(JUDGED) ?? 0) * plate.light.reference;
  const limit = random.pick([65_535, 260_000, 99_999]);
  // The gain brings the design from just below the limit to far beyond it.
  const factor = (limit / bright) * random.logUniform(0.95, 3);
  const light = { ...plate.light, reference: plate.light.reference * factor };
  const detector = { limit, writesWord: random.chance(0.5) };
  return simulatePlate(
    random,
    { ...plate, light },
    { detector },
    { limit, word: String(detector.writesWord) },
  );
}

/** One blank well holds light that is not the buffer's. */
function drawBadBlank(random: Random): SimulatedRun {
  const plate = drawPlate(random, { judged: random.logUniform(0.03, 1.5), blanks: random.integer(4, 8) });
  const share = random.logUniform(0.03, 1);
  const addedLight = ({ role, replicate }: FluorescentWell) =>
    role === 'blank' && replicate === 1 ? share * plate.light.reference : 0;
  return simulatePlate(random, plate, { addedLight }, { share });
}

function define(name: string, limits: Limits, draw: (random: Random) => SimulatedRun): WellsFamily {
  return { name, limits, judge: decideOutcomes, simulate: (seed) => draw(createRandom(`${name}:${seed}`)) };
}

const intensity: Limits = { intensity_interval_miss: { share: 0.05, side: 'most' } };

export const FLUORESCENCE_FAMILIES: readonly WellsFamily[] = [
  define('clean_fluorescence', { ...LIMITS.clean, ...intensity }, drawClean),
  define('edge_gradient', { ...LIMITS.common, ...intensity }, drawEdgeGradient),
  define('plate_effect_confounded', { ...LIMITS.toldFault, ...intensity }, drawConfounded),
  define('saturated_wells', { ...LIMITS.common, ...intensity }, drawSaturated),
  define('bad_blank', { ...LIMITS.common, ...intensity }, drawBadBlank),
];

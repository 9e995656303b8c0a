/**
 * Figures of fluorescence: the plates of a sequence as heat maps with its wells ringed, and its intensity beside the
 * reference.
 */
import { formatCount, formatNoun } from '#core/words.ts';
import type { PlateMap } from '#features/results/curves.ts';
import { selectCurves, composeResult, type Body } from '#features/results/figures/picture.ts';
import { getSeriesColor } from '#documents/colors.ts';
import type { ResultCurves } from '#features/results/store.ts';
import {
  HEAT_SERIES,
  drawHeatMap,
  computeHeatMapHeight,
  computeHeatMapWidth,
  drawHeatScale,
  getPlateSize,
  SCALE_HEIGHT,
  type HeatScale,
  type HeatWell,
} from '#documents/figures/heat-map.ts';
import { MARGIN, drawPanelTitle } from '#documents/figures/panel.ts';
import { drawValuePlot, type ReplicateDot } from '#features/results/figures/values.ts';
import { listFailedPlates, namePlate } from '#features/results/words/failed-plate.ts';
import { group, type Mark, type Scene } from '#documents/scene.ts';
import {
  describeDots,
  isMadeSince,
  readSettings,
  writeAggregate,
  writeSource,
} from '#features/results/figures/captions.ts';
import { formatFixed, formatQuantity, writePlainLine } from '#features/results/words/quantities.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';

const VALUE = { width: 170, height: 190 } as const;
const AXIS_WIDTH = 66;
const GAP = 28;
const VALUE_HEAD = 40;
const SAMPLE = getSeriesColor(2, 3);
const MARKS: Readonly<Record<string, string>> = {
  positive_control: 'R',
  negative_control: 'D',
  blank: 'B',
  standard: 'S',
};

export function drawFluorescence(result: ResultCurves): Scene {
  const plates = selectCurves(result.curves, 'plate').filter(({ well }) => well.length > 0);
  const [first] = plates;
  if (first === undefined) return composeResult(result, fluorescenceWords, null);
  const { isNormalized, getValues, scale } = chooseColors(plates, result.signal_unit);
  const size = getPlateSize(plates.flatMap(({ well }) => well.map((name) => ({ well: name }))));
  const [mapWidth, mapHeight] = [computeHeatMapWidth(size), computeHeatMapHeight(size)];
  const columns = size.columns > 12 ? 1 : Math.min(2, plates.length);
  const mapsHeight = Math.ceil(plates.length / columns) * (mapHeight + GAP);
  const mapsWidth = columns * (mapWidth + GAP) - GAP;
  const failed = new Set(listFailedPlates(result.replicates));
  const maps = plates.map((plate) => ({
    plate,
    wells: buildWells(plate, getValues(plate), result.sequence_name),
  }));
  // A single small plate leaves space beside it; with more the figure would be too wide to read in print.
  const isBeside = plates.length === 1 && size.columns <= 12;
  const valueBox = VALUE.height + VALUE_HEAD + 24;
  const body: Body = {
    width: 2 * MARGIN + (isBeside ? mapsWidth + GAP + AXIS_WIDTH + VALUE.width : mapsWidth),
    height: isBeside
      ? Math.max(mapsHeight + SCALE_HEIGHT, valueBox)
      : mapsHeight + Math.max(SCALE_HEIGHT, valueBox),
    series: [SAMPLE, ...HEAT_SERIES],
    caption: writeFluorescenceCaption(result, { isNormalized, wells: maps.flatMap(({ wells }) => wells) }),
    drawParts: (top) => [
      ...maps.map(({ plate, wells }, index) =>
        drawHeatMap({
          left: MARGIN + (index % columns) * (mapWidth + GAP),
          top: top + Math.floor(index / columns) * (mapHeight + GAP),
          title: namePlate(plate.plate, failed.has(plate.plate)),
          isFailed: failed.has(plate.plate),
          wells,
          scale,
        }),
      ),
      drawHeatScale({ left: MARGIN + 20, top: top + mapsHeight, width: 200 }, scale),
      drawIntensityPanel(result, isNormalized, {
        left: MARGIN + (isBeside ? mapsWidth + GAP : mapsWidth - VALUE.width - AXIS_WIDTH) + AXIS_WIDTH,
        top: top + (isBeside ? 0 : mapsHeight) + VALUE_HEAD,
      }),
    ],
  };
  return composeResult(
    result,
    fluorescenceWords,
    body,
    `Fluorescence of ${result.sequence_name}, experiment ${result.experiment_code}, ${formatCount(plates.length, 'plate')} as ${formatNoun(plates.length, 'heat map')} and its intensity: ${fluorescenceWords.writeLine(result)}.`,
  );
}

interface Colors {
  readonly isNormalized: boolean;
  readonly getValues: (plate: PlateMap) => readonly (number | null)[];
  readonly scale: HeatScale;
}

/** Colors by the reference if every plate has one, by the signal otherwise; one scale for all plates. */
export function chooseColors(plates: readonly PlateMap[], signalUnit: string): Colors {
  const isNormalized = plates.every(({ normalized }) => normalized.some((value) => value !== null));
  const getValues = (plate: PlateMap) => (isNormalized ? plate.normalized : plate.signal);
  const high = plates
    .flatMap(getValues)
    .reduce<number>((most, value) => Math.max(most, value ?? 0), isNormalized ? 1 : 0);
  const scale: HeatScale = {
    low: 0,
    high,
    name: isNormalized ? 'intensity relative to the reference' : `signal (${signalUnit})`,
    ...(isNormalized ? { level: { value: 1, name: 'reference' } } : {}),
  };
  return { isNormalized, getValues, scale };
}

/** Rings the samples called `name`. */
export function buildWells(
  plate: PlateMap,
  values: readonly (number | null)[],
  name: string | null,
): HeatWell[] {
  return plate.well.map((well, index) => {
    const role = plate.role[index] ?? 'sample';
    const isSaturated = plate.saturated[index] ?? false;
    return {
      well,
      value: values[index] ?? null,
      mark: isSaturated ? '>' : (MARKS[role] ?? ''),
      isChosen: role === 'sample' && plate.sample[index] === name,
    };
  });
}

function drawIntensityPanel(
  result: ResultCurves,
  isNormalized: boolean,
  { left, top }: { readonly left: number; readonly top: number },
): Mark {
  const key = isNormalized ? 'normalized_to_control' : 'intensity';
  const dots = result.replicates.flatMap((row): ReplicateDot[] => {
    const value = row[key];
    const relation = row[`${key}_relation`];
    return typeof value === 'number'
      ? [{ value, relation: typeof relation === 'string' ? relation : '=' }]
      : [];
  });
  return group([
    drawPanelTitle(left, top - 16, 'Intensity', VALUE.width),
    ...drawValuePlot({
      box: { left, top, ...VALUE },
      name: isNormalized ? 'Relative intensity' : `Signal (${result.signal_unit})`,
      quantity: result.quantities[key],
      dots,
      color: SAMPLE,
      level: isNormalized ? 1 : undefined,
    }),
  ]);
}

const MARK_WORDS: Readonly<Record<string, string>> = {
  R: 'reference',
  D: 'dark control',
  B: 'blank',
  S: 'standard',
  '>': 'saturated',
};

/** Explains the marks that some well has: `R: reference; dashed: no value`. */
function describeMarks(wells: readonly HeatWell[]): string[] {
  const seen = new Set(wells.map(({ mark }) => mark));
  return [
    ...Object.entries(MARK_WORDS).flatMap(([mark, words]) => (seen.has(mark) ? [`${mark}: ${words}`] : [])),
    ...(wells.some(({ value }) => value === null) ? ['dashed: no value'] : []),
  ];
}

function describeWells(isNormalized: boolean): string {
  return `Wells by ${isNormalized ? '(F − blank)/(reference − blank)' : 'signal'}`;
}

/** Writes the caption of the plates of a whole experiment. */
export function writePlatesCaption(isNormalized: boolean, wells: readonly HeatWell[]): string {
  const marks = [...describeMarks(wells), 'point: no well'].join('; ');
  return `${describeWells(isNormalized)}; each sample well is one replicate. ${marks.charAt(0).toUpperCase()}${marks.slice(1)}.`;
}

/** The first engine whose interval of an intensity contains how much places of the plate differ. */
const PLACES_SINCE = [1, 9] as const;

export function writeFluorescenceCaption(
  result: ResultCurves,
  { isNormalized, wells }: { readonly isNormalized: boolean; readonly wells: readonly HeatWell[] },
): string {
  const { ex_nm: ex, em_nm: em, z_prime_plate: z } = result.summary;
  const { reference, plate_effects: effects } = readSettings(result);
  const member = isNormalized ? 'normalized_to_control' : 'intensity';
  const quantity = result.quantities[member];
  const optics = typeof ex === 'number' && typeof em === 'number' ? `, ${ex}/${em} nm` : '';
  const basis = isNormalized && typeof reference === 'string' ? `, reference: ${reference} of its wells` : '';
  const corrected = describePlateEffects(effects);
  return [
    `${describeWells(isNormalized)}${optics}${basis}${corrected === '' ? '' : `; ${corrected}`}. ${['Ringed: this sequence', ...describeMarks(wells)].join('; ')}.`,
    typeof z === 'number' ? `Z′ ${formatFixed(z, 2)}, the lowest of its plates.` : '',
    typeof quantity?.value === 'number'
      ? `Bar: ${writeAggregate(result, quantity, { mean: 'arithmetic', member, error: 'plate', amongLimits: 'median' })}`
      : 'No intensity was determined.',
    typeof quantity?.ci95_low === 'number' ? 'Whiskers: that interval.' : '',
    typeof result.quantities.intensity?.ci95_low === 'number' &&
    effects !== 'correct' &&
    isMadeSince(result, PLACES_SINCE)
      ? `The interval in ${result.signal_unit} also contains how much places of the plate differ, as far as replicates show it.`
      : '',
    describeDots(
      result.replicates.map((row) => ({ value: row[member], relation: row[`${member}_relation`] })),
      { quantity, where: '' },
    ),
    isNormalized ? 'Dashed line: the reference.' : '',
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** What was done with effects of rows and columns. */
const EFFECTS: Readonly<Record<string, string>> = {
  correct: 'row and column effects divided out where they are known (median polish)',
  flag: 'row and column effects (median polish) flagged, not corrected',
  off: 'row and column effects not examined',
};

/** Empty where the setting is not recorded. */
export function describePlateEffects(setting: unknown): string {
  return typeof setting === 'string' ? (EFFECTS[setting] ?? '') : '';
}

export const fluorescenceWords: ResultWords = {
  writeLine,
  curves: 'wells',
};

function writeLine(result: ResultCurves): string {
  const normalized = formatQuantity(result.quantities.normalized_to_control);
  const intensity = formatQuantity(result.quantities.intensity);
  if (normalized !== undefined)
    return `relative intensity ${normalized}${intensity === undefined ? '' : `, intensity ${intensity}`}`;
  return intensity === undefined ? writePlainLine(result) : `intensity ${intensity}`;
}

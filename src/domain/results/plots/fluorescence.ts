/** Fluorescence: the plates of a sequence as heat maps with its wells ringed, and its intensity beside the reference. */
import { curvesOf, type PlateMap } from '../curves.ts';
import { text } from '../plot-panel.ts';
import { seriesColour } from '../plot-style.ts';
import { fitText } from '../plot-text.ts';
import type { ResultCurves } from '../store.ts';
import {
  HEAT_SERIES,
  heatMap,
  heatMapHeight,
  heatMapWidth,
  heatScale,
  plateSize,
  type HeatWell,
} from './heat-map.ts';
import { MARGIN, picture } from './picture.ts';
import { valuePlot, type ReplicateDot } from './values.ts';

const VALUE_WIDTH = 210;
const AXIS_WIDTH = 66;
const GAP = 30;
const SCALE_HEIGHT = 54;
const SAMPLE = seriesColour(2, 3);
const MARKS: Readonly<Record<string, string>> = {
  positive_control: 'R',
  negative_control: 'D',
  blank: 'B',
  standard: 'S',
};

export function fluorescenceSvg(result: ResultCurves): string {
  const plates = curvesOf(result.curves, 'plate').filter(({ well }) => well.length > 0);
  const [first] = plates;
  if (first === undefined) return picture(result, null);
  const isNormalized = plates.every(({ normalized }) => normalized.some((value) => value !== null));
  const valuesOf = (plate: PlateMap) => (isNormalized ? plate.normalized : plate.signal);
  const high = plates
    .flatMap(valuesOf)
    .reduce<number>((most, value) => Math.max(most, value ?? 0), isNormalized ? 1 : 0);
  const range = { low: 0, high };
  const size = plateSize(plates.flatMap(({ well }) => well.map((name) => ({ well: name }))));
  const [mapWidth, mapHeight] = [heatMapWidth(size), heatMapHeight(size)];
  const columns = Math.min(2, plates.length);
  const rows = Math.ceil(plates.length / columns);
  const plotsWidth = columns * (mapWidth + GAP);
  return picture(result, {
    width: 2 * MARGIN + plotsWidth + AXIS_WIDTH + VALUE_WIDTH,
    height: rows * (mapHeight + GAP) + SCALE_HEIGHT,
    series: [SAMPLE, ...HEAT_SERIES],
    key: 'ringed: this sequence; R reference, D dark control, B blank; bar: mean with 95 % interval; triangles: limits',
    description: `Fluorescence of ${result.sequence_name}, experiment ${result.experiment_code}: ${plates.length} plates as heat maps and its intensity`,
    parts: (top) => [
      ...plates.flatMap((plate, index) =>
        heatMap({
          left: MARGIN + (index % columns) * (mapWidth + GAP),
          top: top + 6 + Math.floor(index / columns) * (mapHeight + GAP),
          title: fitText(`Plate ${plate.plate}`, 12, mapWidth),
          wells: wellsOf(plate, valuesOf(plate), result.sequence_name),
          range,
        }),
      ),
      ...heatScale(
        { left: MARGIN + 20, top: top + rows * (mapHeight + GAP) + 4, width: 200 },
        range,
        isNormalized ? 'intensity relative to the reference' : `signal (${result.signal_unit})`,
      ),
      ...intensityPanel(result, isNormalized, MARGIN + plotsWidth + AXIS_WIDTH, top + 46),
    ],
  });
}

function wellsOf(plate: PlateMap, values: readonly (number | null)[], name: string): HeatWell[] {
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

function intensityPanel(result: ResultCurves, isNormalized: boolean, left: number, top: number): string[] {
  const key = isNormalized ? 'normalized_to_control' : 'intensity';
  const dots = result.replicates.flatMap((row): ReplicateDot[] => {
    const value = row[key];
    const relation = row[`${key}_relation`];
    return typeof value === 'number'
      ? [{ value, relation: typeof relation === 'string' ? relation : '=' }]
      : [];
  });
  return [
    '<g>',
    text(left, top - 24, 'Intensity', { weight: 600, size: 12 }),
    ...valuePlot({
      box: { left, top, width: VALUE_WIDTH, height: 216 },
      name: isNormalized ? 'Relative to reference' : `Signal (${result.signal_unit})`,
      quantity: result.quantities[key],
      dots,
      colour: SAMPLE,
      level: isNormalized ? { value: 1, name: 'reference' } : undefined,
    }),
    '</g>',
  ];
}

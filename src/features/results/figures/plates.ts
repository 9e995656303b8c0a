/** All plates of an experiment as heat maps of the values of its samples. */
import { formatCount } from '#core/words.ts';
import { isLimit } from '#core/relations.ts';
import type { RankedExperiment, RankedResult } from '../ranked.ts';
import { listFailedPlates, namePlate } from '../words/failed-plate.ts';
import { computeTextWidth } from '#documents/figures/width.ts';
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
import { listReplicates, type Measure } from './measures.ts';
import { composeFigure } from './picture.ts';
import { MARGIN } from '#documents/figures/panel.ts';
import type { Scene } from '#documents/scene.ts';

interface PlateWell extends HeatWell {
  readonly plate: string;
}

const GAP = 28;
const COLUMNS_MAX = 2;
const WIDTH_MIN = 560;
/** Number of plates on a page of a report, of 96 and of 384 wells. */
const PLATES_OF_PAGE = { small: 6, large: 2 } as const;

/** Draws the plates of an assay that is measured in wells; undefined if no replicate has a well. */
export function drawPlates(experiment: RankedExperiment, assay: PlateAssay): Scene | undefined {
  const plates = buildPlates(experiment, assay);
  return plates === undefined ? undefined : drawPage(experiment, plates.plates, plates);
}

/** Draws one figure per page of a report, on one color scale; none without plates. */
export function drawPlatesPages(experiment: RankedExperiment, assay: PlateAssay): Scene[] {
  const builtPlates = buildPlates(experiment, assay);
  return builtPlates === undefined
    ? []
    : splitPages(builtPlates.plates).map((plates) => drawPage(experiment, plates, builtPlates));
}

/** Groups the plates by pages of a report. */
export function splitPages(plates: readonly Plate[]): (readonly Plate[])[] {
  const isLarge = getPlateSize(plates.flatMap(([, wells]) => wells)).columns > 12;
  const step = isLarge ? PLATES_OF_PAGE.large : PLATES_OF_PAGE.small;
  return Array.from({ length: Math.ceil(plates.length / step) }, (_, index) =>
    plates.slice(index * step, (index + 1) * step),
  );
}

export type Plate = readonly [name: string, wells: readonly HeatWell[]];

/** What the wells of an assay show. */
export interface PlateAssay {
  readonly measure: Measure;
  /** Whether a well is called a binder or not. */
  readonly isCall: boolean;
}

interface Plates extends PlateAssay {
  /** Plates on which a control failed. */
  readonly failed: ReadonlySet<string>;
  readonly plates: readonly Plate[];
  readonly scale: HeatScale;
}

function buildPlates(experiment: RankedExperiment, assay: PlateAssay): Plates | undefined {
  const { measure } = assay;
  const wells = experiment.results.flatMap((result) => listWells(result, measure));
  const plates = [...Map.groupBy(wells, ({ plate }) => plate)].sort(([a], [b]) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  if (wells.length === 0) return undefined;
  const failed = new Set(listFailedPlates(experiment.results.flatMap(listReplicates)));
  return { ...assay, plates, failed, scale: computeScale(wells, measure) };
}

function drawPage(
  experiment: RankedExperiment,
  plates: readonly Plate[],
  { failed, isCall, measure, scale }: Omit<Plates, 'plates'>,
): Scene {
  return drawPlateMaps(plates, {
    code: experiment.code,
    shown: `every sample well by its ${measure.axis.toLowerCase()}`,
    failed,
    scale,
    caption: `Each well is one replicate. ${describeWells(
      plates.flatMap(([, wells]) => wells),
      isCall,
    )}.`,
  });
}

/** Explains the marks that some well has. */
function describeWells(wells: readonly HeatWell[], isScreen: boolean): string {
  const has = (mark: string) => wells.some((well) => well.mark === mark);
  const words = [
    ...(isScreen && wells.some(({ isChosen }) => isChosen) ? ['ringed: binder'] : []),
    ...(has('C') ? ['C: control of the client'] : []),
    ...(wells.some(({ value }) => value === null) ? ['dashed: measured, but without a value'] : []),
    ...(has('<') ? ['<: the value lies below the limit that is colored'] : []),
    ...(has('>') ? ['>: the value lies above the limit that is colored'] : []),
    'point: no sample of this experiment (empty, or a control of the plate)',
  ].join('; ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export interface PlatesFigure {
  /** Code of the experiment. */
  readonly code: string;
  /** Describes the colors in words, for people who cannot see them. */
  readonly shown: string;
  /** Plates on which a control failed. */
  readonly failed: ReadonlySet<string>;
  readonly scale: HeatScale;
  readonly caption: string;
}

/** Draws at most two plates side by side, above their color scale. */
export function drawPlateMaps(
  plates: readonly Plate[],
  { code, shown, failed, scale, caption }: PlatesFigure,
): Scene {
  const size = getPlateSize(plates.flatMap(([, wells]) => wells));
  const [mapWidth, mapHeight] = [computeHeatMapWidth(size), computeHeatMapHeight(size)];
  const columns = size.columns > 12 ? 1 : Math.min(COLUMNS_MAX, plates.length);
  const rows = Math.ceil(plates.length / columns);
  const title = `Plates of ${code}`;
  const names = plates.map(([name]) => name).join(', ');
  const line = `${plates.length === 1 ? 'Plate' : 'Plates'} ${names}`;
  const doubted = plates.flatMap(([name]) => (failed.has(name) ? [name] : []));
  const warning = doubted.length === 0 ? '' : `; in doubt, because a control failed: ${doubted.join(', ')}`;
  const width = 2 * MARGIN + Math.max(columns * (mapWidth + GAP) - GAP, WIDTH_MIN);
  return composeFigure(
    {
      title,
      line: `${computeTextWidth(line, 14) < width ? line : formatCount(plates.length, 'plate')}${warning}`,
      description: `${title}: ${formatCount(plates.length, 'plate')}, ${shown}${warning}.`,
    },
    {
      width,
      height: rows * (mapHeight + GAP) + SCALE_HEIGHT,
      series: HEAT_SERIES,
      caption,
      drawParts: (top) => [
        ...plates.map(([name, members], index) =>
          drawHeatMap({
            left: MARGIN + (index % columns) * (mapWidth + GAP),
            top: top + Math.floor(index / columns) * (mapHeight + GAP),
            title: namePlate(name, failed.has(name)),
            isFailed: failed.has(name),
            wells: members,
            scale,
          }),
        ),
        drawHeatScale({ left: MARGIN + 20, top: top + rows * (mapHeight + GAP), width: 240 }, scale),
      ],
    },
  );
}

/** Smallest ratio of the ends of a logarithmic scale. */
const DECADES_SPAN_MIN = 10;

function computeScale(wells: readonly PlateWell[], { axis: name, isDecades, level }: Measure): HeatScale {
  const values = [
    ...wells.flatMap(({ value }) => value ?? []),
    ...(level === undefined ? [] : [level.value]),
  ];
  const marked = level === undefined ? {} : { level };
  if (values.length === 0) return { low: 0, high: 1, name, ...marked };
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  // Replicates that agree should look alike: without it their scatter would take all colors.
  const room = Math.max(1, Math.sqrt(DECADES_SPAN_MIN / (high / low)));
  return isDecades
    ? { low: low / room, high: high * room, isDecades, name, ...marked }
    : { low: Math.min(0, low), high, name, ...marked };
}

function listWells(result: RankedResult, measure: Measure): PlateWell[] {
  return listReplicates(result).flatMap((row) => {
    const { well, plate, binding } = row;
    if (typeof well !== 'string' || typeof plate !== 'string') return [];
    const value = measure.getReplicateValue(row);
    const relation = measure.getReplicateRelation(row);
    const isShown = typeof value === 'number' && (!measure.isDecades || value > 0);
    return {
      well,
      plate,
      value: isShown ? value : null,
      mark: result.is_control ? 'C' : isShown && isLimit(relation) ? relation : '',
      isChosen: binding === 'true',
    };
  });
}

/** A microplate as a grid of colored wells, with the color scale. */
import { locateWell } from '#core/wells.ts';
import { listMultiples, formatPx } from './scale.ts';
import { getColor, interpolateRamp, type Color } from '../colors.ts';
import { computeTextWidth } from './width.ts';
import { spaceApart } from './labels.ts';
import { drawPanelTitle, SMALLEST } from './panel.ts';
import { drawCircle, fill, group, drawPath, drawRect, createStroke, drawText, type Mark } from '../scene.ts';

export interface HeatWell {
  /** `B07`. */
  readonly well: string;
  /** Null for a measured well without a value. */
  readonly value: number | null;
  /** One or two characters on the well, such as the letter of a control. */
  readonly mark: string;
  /** Whether the well is ringed, because the figure is about it. */
  readonly isChosen: boolean;
}

export interface HeatMap {
  readonly left: number;
  readonly top: number;
  readonly title: string;
  /** Whether a control of the plate failed, which its title then says. */
  readonly isFailed: boolean;
  readonly wells: readonly HeatWell[];
  readonly scale: HeatScale;
}

/** Maps values to colors; on a logarithmic scale a step of color is a factor. */
export interface HeatScale {
  readonly low: number;
  readonly high: number;
  readonly isDecades?: boolean;
  readonly name: string;
  /** A value marked on the scale, such as a threshold. */
  readonly level?: { readonly value: number; readonly name: string };
}

const PITCH = 26;
const RADIUS = 10.5;
const HEAD = 40;
const LABELS = 20;
const SHADES = 24;
/** Low values are close to the paper color and high ones far from it, in even steps of lightness. */
const RAMP = {
  light: ['#eef4dc', '#a9dbb0', '#55b3a6', '#2f7f9f', '#2a4f8f', '#2a2a6e'],
  dark: ['#232c57', '#2a4f8f', '#2f7f9f', '#4fae9f', '#9fd6a4', '#eef4c8'],
} as const;
export const HEAT_SHADES: readonly Color[] = Array.from({ length: SHADES }, (_, index) => ({
  name: `h${index}`,
  light: interpolateRamp(RAMP.light, index / (SHADES - 1)),
  dark: interpolateRamp(RAMP.dark, index / (SHADES - 1)),
}));
/** Letter colors on low, middle and high values: black or white, whichever has more contrast, in each look. */
const INKS: readonly (Color & { readonly below: number })[] = [
  { below: 10, name: 'onlow', light: '#111316', dark: '#ffffff' },
  { below: 14, name: 'onmiddle', light: '#111316', dark: '#111316' },
  { below: SHADES, name: 'onhigh', light: '#ffffff', dark: '#111316' },
];
/** All colors of a heat map. */
export const HEAT_SERIES: readonly Color[] = [...HEAT_SHADES, ...INKS];

/** Returns the color of a letter on the shade `index`. */
export function getInk(index: number): Color {
  return INKS.find(({ below }) => index < below) ?? getColor('ink');
}

export interface PlateSize {
  readonly rows: number;
  readonly columns: number;
}

/** Returns the plate size: 96 wells unless a well lies outside. */
export function getPlateSize(wells: readonly { readonly well: string }[]): PlateSize {
  const isLarge = wells.some(({ well }) => {
    const place = locateWell(well);
    return place !== null && (place.row > 7 || place.column > 11);
  });
  return isLarge ? { rows: 16, columns: 24 } : { rows: 8, columns: 12 };
}

export function computeHeatMapWidth({ columns }: PlateSize): number {
  return LABELS + columns * PITCH;
}

export function computeHeatMapHeight({ rows }: PlateSize): number {
  return HEAD + rows * PITCH;
}

export function drawHeatMap({ left, top, title, isFailed, wells, scale }: HeatMap): Mark {
  const size = getPlateSize(wells);
  const x = (column: number) => left + LABELS + column * PITCH + PITCH / 2;
  const y = (row: number) => top + HEAD + row * PITCH + PITCH / 2;
  const muted = { size: SMALLEST, anchor: 'middle' as const, color: getColor('muted') };
  const columns = Array.from({ length: size.columns }, (_, column) =>
    drawText(x(column), top + HEAD - 6, String(column + 1), muted),
  );
  const rows = Array.from({ length: size.rows }, (_, row) =>
    drawText(left + 8, y(row) + 3.5, String.fromCharCode(65 + row), muted),
  );
  const byPlace = new Map(
    wells.flatMap((well) => {
      const place = locateWell(well.well);
      return place === null ? [] : [[`${place.row}/${place.column}`, well] as const];
    }),
  );
  const circles: Mark[] = [];
  for (let row = 0; row < size.rows; row += 1) {
    for (let column = 0; column < size.columns; column += 1)
      circles.push(...drawWell(x(column), y(row), byPlace.get(`${row}/${column}`), scale));
  }
  return group([
    drawPanelTitle(left, top + 16, title, computeHeatMapWidth(size), getColor(isFailed ? 'warning' : 'ink')),
    ...columns,
    ...rows,
    ...circles,
  ]);
}

function drawWell(x: number, y: number, well: HeatWell | undefined, scale: HeatScale): Mark[] {
  const edge = getColor('axis');
  if (well === undefined) return [drawCircle(x, y, 1.2, fill(edge))];
  const shade = well.value === null ? undefined : getShade(well.value, scale);
  const paint =
    shade === undefined
      ? createStroke(edge, 1, { dash: [2, 2] })
      : { ...fill(shade.color), ...createStroke(edge, 0.6) };
  const style = {
    size: SMALLEST,
    weight: 650,
    anchor: 'middle',
    color: shade === undefined ? getColor('muted') : getInk(shade.index),
  } as const;
  return [
    drawCircle(x, y, RADIUS, paint),
    ...(well.isChosen ? [drawCircle(x, y, RADIUS + 1, createStroke(getColor('fit'), 2.2))] : []),
    ...(well.mark === '' ? [] : [drawText(x, y + 4, well.mark, style)]),
  ];
}

/** Returns the position of a value on the scale, from zero to one. */
function computeShare(value: number, { low, high, isDecades }: HeatScale): number {
  const place = (each: number) => (isDecades === true ? Math.log10(Math.max(each, low)) : each);
  const share = high > low ? (place(value) - place(low)) / (place(high) - place(low)) : 0.5;
  return Math.max(0, Math.min(1, share));
}

function getShade(value: number, scale: HeatScale): { color: Color; index: number } {
  const index = Math.round(computeShare(value, scale) * (SHADES - 1));
  return { index, color: HEAT_SHADES[index] ?? getColor('ink') };
}

/** Height of the bar with its numbers, the name above and the level marked on it. */
export const SCALE_HEIGHT = 52;

/** Draws the colors with their values as a bar. */
export function drawHeatScale(
  place: { readonly left: number; readonly top: number; readonly width: number },
  scale: HeatScale,
): Mark {
  const { left, top, width } = place;
  const { level } = scale;
  const bar = top + 18;
  const step = width / SHADES;
  const bars = HEAT_SHADES.map((color, index) => {
    const overlap = index < SHADES - 1 ? 0.6 : 0;
    return drawRect({ x: left + index * step, y: bar, width: step + overlap, height: 10 }, fill(color));
  });
  const values = [...listTicks(scale), ...(level === undefined ? [] : [level.value])];
  const labels = values.map((value, index) => {
    const isLevel = level !== undefined && index === values.length - 1;
    const words = isLevel ? `${level.name} ${formatShort(value)}` : formatShort(value);
    const isEnd = value === scale.low || value === scale.high;
    const at = left + computeShare(value, scale) * width;
    return { at, words, width: computeTextWidth(words, SMALLEST), isLevel, isEnd };
  });
  // A number at the position of the level would repeat it, and one next to it has no space.
  const marked = labels.find(({ isLevel }) => isLevel);
  const shown = labels.filter(({ at, width: own, isLevel, isEnd }) => {
    if (isLevel || marked === undefined) return true;
    return Math.abs(marked.at - at) > (isEnd ? 3 : (marked.width + own) / 2 + 8);
  });
  const middles = spaceApart(shown, { low: left - 12, high: left + width + 90, gap: 8 });
  return group([
    drawText(left, top + 10, scale.name, { color: getColor('muted') }),
    ...bars,
    drawRect({ x: left, y: bar, width, height: 10 }, createStroke(getColor('axis'), 0.6)),
    ...shown.flatMap(({ at, words, isLevel }, index) => [
      drawPath(
        `M${formatPx(at)} ${formatPx(bar + (isLevel ? -2 : 10))}V${formatPx(bar + 14)}`,
        isLevel ? createStroke(getColor('fit'), 1.4) : createStroke(getColor('axis'), 1),
      ),
      drawText(middles[index] ?? at, bar + 26, words, { anchor: 'middle' }),
    ]),
  ]);
}

function listTicks({ low, high, isDecades }: HeatScale): number[] {
  if (isDecades !== true) return high > low ? [low, (low + high) / 2, high] : [low];
  const ends = [low, high];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const decades = listMultiples(1, first, last).map((decade) => 10 ** decade);
  return decades.length >= 2 ? decades : ends;
}

function formatShort(value: number): string {
  const shown = String(Number(Math.abs(value).toPrecision(Math.abs(value) >= 100 ? 3 : 2)));
  return value < 0 && shown !== '0' ? `−${shown}` : shown;
}

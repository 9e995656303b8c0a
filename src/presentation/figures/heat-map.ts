/** A microplate as a grid of colored wells, with the color scale. */
import { locateWell } from '#core/wells.ts';
import { multiples, px } from './scale.ts';
import { colourOf, ramp, type Colour } from '../colours.ts';
import { textWidth } from './width.ts';
import { apart } from './labels.ts';
import { panelTitle, SMALLEST } from './picture.ts';
import { circle, fill, group, path, rect, stroke, text, type Mark } from '../scene.ts';

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
export const HEAT_SHADES: readonly Colour[] = Array.from({ length: SHADES }, (_, index) => ({
  name: `h${index}`,
  light: ramp(RAMP.light, index / (SHADES - 1)),
  dark: ramp(RAMP.dark, index / (SHADES - 1)),
}));
/** Letter colors on low, middle and high values: black or white, whichever has more contrast, in each look. */
const INKS: readonly (Colour & { readonly below: number })[] = [
  { below: 10, name: 'onlow', light: '#111316', dark: '#ffffff' },
  { below: 14, name: 'onmiddle', light: '#111316', dark: '#111316' },
  { below: SHADES, name: 'onhigh', light: '#ffffff', dark: '#111316' },
];
/** All colors of a heat map. */
export const HEAT_SERIES: readonly Colour[] = [...HEAT_SHADES, ...INKS];

/** Returns the color of a letter on the shade `index`. */
export function inkOn(index: number): Colour {
  return INKS.find(({ below }) => index < below) ?? colourOf('ink');
}

export interface PlateSize {
  readonly rows: number;
  readonly columns: number;
}

/** Returns the plate size: 96 wells unless a well lies outside. */
export function plateSize(wells: readonly { readonly well: string }[]): PlateSize {
  const isLarge = wells.some(({ well }) => {
    const place = locateWell(well);
    return place !== null && (place.row > 7 || place.column > 11);
  });
  return isLarge ? { rows: 16, columns: 24 } : { rows: 8, columns: 12 };
}

export function heatMapWidth({ columns }: PlateSize): number {
  return LABELS + columns * PITCH;
}

export function heatMapHeight({ rows }: PlateSize): number {
  return HEAD + rows * PITCH;
}

export function drawHeatMap({ left, top, title, wells, scale }: HeatMap): Mark {
  const size = plateSize(wells);
  const x = (column: number) => left + LABELS + column * PITCH + PITCH / 2;
  const y = (row: number) => top + HEAD + row * PITCH + PITCH / 2;
  const muted = { size: SMALLEST, anchor: 'middle' as const, colour: colourOf('muted') };
  const columns = Array.from({ length: size.columns }, (_, column) =>
    text(x(column), top + HEAD - 6, String(column + 1), muted),
  );
  const rows = Array.from({ length: size.rows }, (_, row) =>
    text(left + 8, y(row) + 3.5, String.fromCharCode(65 + row), muted),
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
      circles.push(...wellMarks(x(column), y(row), byPlace.get(`${row}/${column}`), scale));
  }
  return group([panelTitle(left, top + 16, title, heatMapWidth(size)), ...columns, ...rows, ...circles]);
}

function wellMarks(x: number, y: number, well: HeatWell | undefined, scale: HeatScale): Mark[] {
  const edge = colourOf('axis');
  if (well === undefined) return [circle(x, y, 1.2, fill(edge))];
  const shade = well.value === null ? undefined : shadeAt(well.value, scale);
  const paint =
    shade === undefined ? stroke(edge, 1, { dash: [2, 2] }) : { ...fill(shade.colour), ...stroke(edge, 0.6) };
  const style = {
    size: SMALLEST,
    weight: 650,
    anchor: 'middle',
    colour: shade === undefined ? colourOf('muted') : inkOn(shade.index),
  } as const;
  return [
    circle(x, y, RADIUS, paint),
    ...(well.isChosen ? [circle(x, y, RADIUS + 1, stroke(colourOf('fit'), 2.2))] : []),
    ...(well.mark === '' ? [] : [text(x, y + 4, well.mark, style)]),
  ];
}

/** Returns the position of a value on the scale, from zero to one. */
function shareOf(value: number, { low, high, isDecades }: HeatScale): number {
  const place = (each: number) => (isDecades === true ? Math.log10(Math.max(each, low)) : each);
  const share = high > low ? (place(value) - place(low)) / (place(high) - place(low)) : 0.5;
  return Math.max(0, Math.min(1, share));
}

function shadeAt(value: number, scale: HeatScale): { colour: Colour; index: number } {
  const index = Math.round(shareOf(value, scale) * (SHADES - 1));
  return { index, colour: HEAT_SHADES[index] ?? colourOf('ink') };
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
  const bars = HEAT_SHADES.map((colour, index) => {
    const overlap = index < SHADES - 1 ? 0.6 : 0;
    return rect({ x: left + index * step, y: bar, width: step + overlap, height: 10 }, fill(colour));
  });
  const values = [...ticksOf(scale), ...(level === undefined ? [] : [level.value])];
  const labels = values.map((value, index) => {
    const isLevel = level !== undefined && index === values.length - 1;
    const words = isLevel ? `${level.name} ${shortText(value)}` : shortText(value);
    const isEnd = value === scale.low || value === scale.high;
    const at = left + shareOf(value, scale) * width;
    return { at, words, width: textWidth(words, SMALLEST), isLevel, isEnd };
  });
  // A number at the position of the level would repeat it, and one next to it has no space.
  const marked = labels.find(({ isLevel }) => isLevel);
  const shown = labels.filter(({ at, width: own, isLevel, isEnd }) => {
    if (isLevel || marked === undefined) return true;
    return Math.abs(marked.at - at) > (isEnd ? 3 : (marked.width + own) / 2 + 8);
  });
  const middles = apart(shown, { low: left - 12, high: left + width + 90, gap: 8 });
  return group([
    text(left, top + 10, scale.name, { colour: colourOf('muted') }),
    ...bars,
    rect({ x: left, y: bar, width, height: 10 }, stroke(colourOf('axis'), 0.6)),
    ...shown.flatMap(({ at, words, isLevel }, index) => [
      path(
        `M${px(at)} ${px(bar + (isLevel ? -2 : 10))}V${px(bar + 14)}`,
        isLevel ? stroke(colourOf('fit'), 1.4) : stroke(colourOf('axis'), 1),
      ),
      text(middles[index] ?? at, bar + 26, words, { anchor: 'middle' }),
    ]),
  ]);
}

function ticksOf({ low, high, isDecades }: HeatScale): number[] {
  if (isDecades !== true) return high > low ? [low, (low + high) / 2, high] : [low];
  const ends = [low, high];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const decades = multiples(1, first, last).map((decade) => 10 ** decade);
  return decades.length >= 2 ? decades : ends;
}

function shortText(value: number): string {
  const shown = String(Number(Math.abs(value).toPrecision(Math.abs(value) >= 100 ? 3 : 2)));
  return value < 0 && shown !== '0' ? `−${shown}` : shown;
}

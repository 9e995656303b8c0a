/** A microplate as a grid of coloured wells, with the scale of the colours. */
import { text } from '../plot-panel.ts';
import { px, tickText } from '../plot-scale.ts';
import { colourOf, fill, seriesColour, stroke, type Colour } from '../plot-style.ts';

export interface HeatWell {
  /** `B07`. */
  readonly well: string;
  /** Null: measured, but without a value. */
  readonly value: number | null;
  /** One or two characters on the well, such as the letter of a control. */
  readonly mark: string;
  /** Ringed: what the picture is about. */
  readonly isChosen: boolean;
}

export interface HeatMap {
  readonly left: number;
  readonly top: number;
  readonly title: string;
  readonly wells: readonly HeatWell[];
  readonly range: { readonly low: number; readonly high: number };
}

const PITCH = 28;
const RADIUS = 11.5;
const HEAD = 40;
const LABELS = 20;
const SHADES = 24;
export const HEAT_SERIES: readonly Colour[] = Array.from({ length: SHADES }, (_, index) => ({
  ...seriesColour(index, SHADES),
  name: `h${index}`,
}));

export interface PlateSize {
  readonly rows: number;
  readonly columns: number;
}

/** 96 wells unless one lies outside. */
export function plateSize(wells: readonly { readonly well: string }[]): PlateSize {
  const isLarge = wells.some(({ well }) => {
    const place = placeOf(well);
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

function placeOf(well: string): { row: number; column: number } | null {
  const [, letter = '', digits = ''] = /^([A-Pa-p])0?(\d{1,2})$/.exec(well) ?? [];
  return letter === '' ? null : { row: letter.toUpperCase().charCodeAt(0) - 65, column: Number(digits) - 1 };
}

export function heatMap({ left, top, title, wells, range }: HeatMap): string[] {
  const size = plateSize(wells);
  const x = (column: number) => left + LABELS + column * PITCH + PITCH / 2;
  const y = (row: number) => top + HEAD + row * PITCH + PITCH / 2;
  const muted = { size: 10, anchor: 'middle' as const, colour: colourOf('muted') };
  const columns = Array.from({ length: size.columns }, (_, column) =>
    text(x(column), top + HEAD - 6, String(column + 1), muted),
  );
  const rows = Array.from({ length: size.rows }, (_, row) =>
    text(left + 8, y(row) + 3.5, String.fromCharCode(65 + row), muted),
  );
  const byPlace = new Map(
    wells.flatMap((well) => {
      const place = placeOf(well.well);
      return place === null ? [] : [[`${place.row}/${place.column}`, well] as const];
    }),
  );
  const circles: string[] = [];
  for (let row = 0; row < size.rows; row += 1) {
    for (let column = 0; column < size.columns; column += 1)
      circles.push(wellMark(x(column), y(row), byPlace.get(`${row}/${column}`), range));
  }
  return [
    '<g>',
    text(left, top + 16, title, { weight: 600, size: 12 }),
    ...columns,
    ...rows,
    ...circles,
    '</g>',
  ];
}

function wellMark(x: number, y: number, well: HeatWell | undefined, range: HeatMap['range']): string {
  const at = `cx="${px(x)}" cy="${px(y)}"`;
  if (well === undefined) return `<circle ${at} r="${RADIUS}" ${stroke(colourOf('grid'), 1)}/>`;
  const paint = well.value === null ? stroke(colourOf('axis'), 1) : fill(shadeOf(well.value, range));
  const ring = well.isChosen ? `<circle ${at} r="${RADIUS + 1.5}" ${stroke(colourOf('fit'), 2.4)}/>` : '';
  const mark =
    well.mark === ''
      ? ''
      : text(x, y + 3.6, well.mark, {
          size: 10,
          weight: 650,
          anchor: 'middle',
          colour: well.value === null ? colourOf('muted') : PAPER_INK,
        });
  return `<circle ${at} r="${RADIUS}" ${paint}/>${ring}${mark}`;
}

/** White on every shade, in both looks. */
const PAPER_INK: Colour = { name: 'on', light: '#ffffff', dark: '#ffffff' };

function shadeOf(value: number, { low, high }: HeatMap['range']): Colour {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  const index = Math.round(Math.max(0, Math.min(1, share)) * (SHADES - 1));
  return HEAT_SERIES[index] ?? PAPER_INK;
}

/** The colours with their values, as a bar. */
export function heatScale(
  place: { readonly left: number; readonly top: number; readonly width: number },
  range: HeatMap['range'],
  name: string,
): string[] {
  const { left, top, width } = place;
  const step = width / SHADES;
  const bars = HEAT_SERIES.map(
    (colour, index) =>
      `<rect x="${px(left + index * step)}" y="${px(top)}" width="${px(step + 0.6)}" height="9" ${fill(colour)}/>`,
  );
  const decimals = range.high - range.low >= 20 ? 0 : range.high - range.low >= 2 ? 1 : 2;
  const label = (share: number, anchor?: 'middle' | 'end') =>
    text(left + share * width, top + 22, tickText(range.low + share * (range.high - range.low), decimals), {
      size: 10.5,
      ...(anchor === undefined ? {} : { anchor }),
    });
  return [
    '<g>',
    ...bars,
    label(0),
    label(0.5, 'middle'),
    label(1, 'end'),
    text(left + width + 10, top + 8, name, { size: 11, colour: colourOf('muted') }),
    '</g>',
  ];
}

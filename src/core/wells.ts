/** Wells of plates by their names and numbers. Rows and columns count from 0. */

export type PlateSize = 96 | 384;

export const PLATE_SHAPES: Readonly<Record<PlateSize, { readonly rows: number; readonly columns: number }>> =
  {
    96: { rows: 8, columns: 12 },
    384: { rows: 16, columns: 24 },
  };

export interface WellPlace {
  readonly row: number;
  readonly column: number;
}

/** Parses a well name: `B07` is row 1, column 6; null for a name outside a plate of up to 384 wells. */
export function locateWell(well: string): { row: number; column: number } | null {
  const [, letter = '', digits = ''] = /^([A-Pa-p])0?(\d{1,2})$/.exec(well.trim()) ?? [];
  const column = Number(digits) - 1;
  if (letter === '' || column < 0 || column > 23) return null;
  return { row: letter.toUpperCase().charCodeAt(0) - 65, column };
}

/** Returns the name without leading zeros: row 1, column 6 is `B7`. */
export function formatWell({ row, column }: WellPlace): string {
  return `${String.fromCharCode(65 + row)}${column + 1}`;
}

/** Parses a well name of a plate of this size; null for a name outside it. */
export function locateWellOn(size: PlateSize, well: string): WellPlace | null {
  const place = locateWell(well);
  const { rows, columns } = PLATE_SHAPES[size];
  return place === null || place.row >= rows || place.column >= columns ? null : place;
}

/** Returns the number from 1 that counts down the columns: A2 of 96 wells is 9. */
export function countDownColumns(size: PlateSize, { row, column }: WellPlace): number {
  return column * PLATE_SHAPES[size].rows + row + 1;
}

/** Returns the number from 1 that counts along the rows: B1 of 384 wells is 25. */
export function countAlongRows(size: PlateSize, { row, column }: WellPlace): number {
  return row * PLATE_SHAPES[size].columns + column + 1;
}

/** Lists the places of a plate down its columns. */
export function listPlaces(size: PlateSize): WellPlace[] {
  const { rows, columns } = PLATE_SHAPES[size];
  return Array.from({ length: rows * columns }, (_, index) => ({
    row: index % rows,
    column: Math.floor(index / rows),
  }));
}

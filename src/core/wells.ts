/** Wells of plates by their names. */

/** Parses a well name: `B07` is row 1, column 6; null for a name outside a plate of up to 384 wells. */
export function locateWell(well: string): { row: number; column: number } | null {
  const [, letter = '', digits = ''] = /^([A-Pa-p])0?(\d{1,2})$/.exec(well.trim()) ?? [];
  const column = Number(digits) - 1;
  if (letter === '' || column < 0 || column > 23) return null;
  return { row: letter.toUpperCase().charCodeAt(0) - 65, column };
}

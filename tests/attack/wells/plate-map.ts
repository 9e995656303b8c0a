/** Wells of a 96-well plate and their map, one block for each property. */
export const ROWS = 'ABCDEFGH';
export const COLUMN_COUNT = 12;

export interface MapWell {
  readonly well: string;
  readonly role: string;
  readonly sample: string;
  readonly replicate: number;
  readonly ngPerUl: number | null;
}

/** Names the well of an index that counts down the columns. */
export function nameWell(index: number): string {
  return `${ROWS.charAt(index % ROWS.length)}${Math.floor(index / ROWS.length) + 1}`;
}

export function writePlateMap(wells: readonly MapWell[]): string {
  const blocks = [
    writeBlock('sample', wells, ({ role, sample }) => (role === 'blank' ? 'Buffer' : sample)),
    writeBlock('role', wells, ({ role }) => role),
    writeBlock('replicate', wells, ({ replicate }) => String(replicate)),
  ];
  if (wells.some(({ ngPerUl }) => ngPerUl !== null))
    blocks.push(writeBlock('concentration ng/µL', wells, ({ ngPerUl }) => ngPerUl?.toString() ?? ''));
  return blocks.join('\n');
}

/** Writes one block in the shape of the plate. */
export function writeBlock<Well extends { readonly well: string }>(
  title: string,
  wells: readonly Well[],
  describe: (well: Well) => string,
): string {
  const cells = new Map(wells.map((each) => [each.well, describe(each)]));
  const columns = Array.from({ length: COLUMN_COUNT }, (_, i) => i + 1);
  const lines = ROWS.split('').map((row) =>
    [row, ...columns.map((column) => cells.get(`${row}${column}`) ?? '')].join(','),
  );
  return `${title}\n,${columns.join(',')}\n${lines.join('\n')}\n`;
}

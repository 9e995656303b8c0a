/** Columns of the curve table. */

export type ColumnType = 'STRING' | 'DOUBLE' | 'INT32' | 'BOOLEAN';

export interface CurveColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export function strings(...names: string[]): CurveColumn[] {
  return names.map((name) => ({ name, type: 'STRING' }));
}

export function doubles(...names: string[]): CurveColumn[] {
  return names.map((name) => ({ name, type: 'DOUBLE' }));
}

export const FITTED = doubles('signal', 'fit', 'residual');
export const replicate: CurveColumn = { name: 'replicate', type: 'INT32' };
export const PLACE = strings('plate', 'well');

/** Columns of the curve table. */

export type ColumnType = 'STRING' | 'DOUBLE' | 'INT32' | 'BOOLEAN';

export interface CurveColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export function defineStrings(...names: string[]): CurveColumn[] {
  return names.map((name) => ({ name, type: 'STRING' }));
}

export function defineDoubles(...names: string[]): CurveColumn[] {
  return names.map((name) => ({ name, type: 'DOUBLE' }));
}

export const FITTED = defineDoubles('signal', 'fit', 'residual');
export const replicate: CurveColumn = { name: 'replicate', type: 'INT32' };
export const PLACE = defineStrings('plate', 'well');

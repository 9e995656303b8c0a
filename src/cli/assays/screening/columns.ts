import { bindingRow } from '#domain/assays/binding/row.ts';
import { threeDigits } from '../../numbers.ts';
import { bindingParts, classColumn } from '../binding/columns.ts';
import type { AssayColumns, Result } from '../columns.ts';

export const screening: AssayColumns = {
  ...bindingParts,
  gives: 'binds or not',
  columns: [
    { title: 'RESPONSE', align: 'right', cell: responseText },
    { title: 'THRESHOLD', rank: 5, align: 'right', cell: (result) => digits(bindingRow(result)?.threshold) },
    { title: 'Z', rank: 5, align: 'right', cell: (result) => digits(bindingRow(result)?.z_score) },
    classColumn,
  ],
};

function responseText(result: Result): string {
  const row = bindingRow(result);
  const value = digits(row?.response);
  return value === '' ? '' : `${value} ${row?.response_unit ?? ''}`.trim();
}

function digits(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : threeDigits(value);
}

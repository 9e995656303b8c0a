import { findBindingRow } from '../binding/row.ts';
import { formatThreeDigits } from '#cli/numbers.ts';
import { bindingParts, classColumn } from '../binding/columns.ts';
import type { AssayColumns, Result } from '../columns.ts';

export const screening: AssayColumns = {
  ...bindingParts,
  gives: 'binds or not',
  columns: [
    { title: 'RESPONSE', align: 'right', getCell: formatResponse },
    {
      title: 'THRESHOLD',
      rank: 5,
      align: 'right',
      getCell: (result) => formatDigits(findBindingRow(result)?.threshold),
    },
    {
      title: 'Z',
      rank: 5,
      align: 'right',
      getCell: (result) => formatDigits(findBindingRow(result)?.z_score),
    },
    classColumn,
  ],
};

function formatResponse(result: Result): string {
  const row = findBindingRow(result);
  const value = formatDigits(row?.response);
  return value === '' ? '' : `${value} ${row?.response_unit ?? ''}`.trim();
}

function formatDigits(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : formatThreeDigits(value);
}

import { fluorescenceRow } from '#domain/assays/fluorescence/row.ts';
import { fixed, parts, quantityColumns, quantityCsv, valueCsv } from '../columns.ts';
import type { AssayColumns } from '../columns.ts';

export const fluorescence: AssayColumns = {
  columns: [
    ...quantityColumns('OF REFERENCE', 'normalized_to_control'),
    { title: 'LOG2', align: 'right', cell: (result) => fixed(fluorescenceRow(result)?.log2_fold, 2) },
    { title: 'INTENSITY', rank: 5, align: 'right', cell: (result) => parts(result, 'intensity').value },
  ],
  csv: [
    ...quantityCsv('normalized_to_control', 'normalized_to_control'),
    ...valueCsv('log2_fold', 'log2_fold'),
    ...valueCsv('intensity', 'intensity'),
    ['intensity_unit', (result) => result.quantities.intensity?.unit],
    ['saturated', (result) => fluorescenceRow(result)?.saturated],
    ['z_prime_plate', (result) => fluorescenceRow(result)?.z_prime_plate],
  ],
  verb: ['is bright', 'are bright'],
  counts: ({ place }) => typeof place === 'number',
  value: (result) => parts(result, 'normalized_to_control').value,
};

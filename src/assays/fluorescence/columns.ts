import { findFluorescenceRow } from './row.ts';
import {
  formatFixed,
  getQuantityParts,
  createQuantityColumns,
  createQuantityCsv,
  createValueCsv,
} from '../columns.ts';
import type { AssayColumns } from '../columns.ts';

export const fluorescence: AssayColumns = {
  columns: [
    ...createQuantityColumns('OF REFERENCE', 'normalized_to_control'),
    {
      title: 'LOG2',
      align: 'right',
      getCell: (result) => formatFixed(findFluorescenceRow(result)?.log2_fold, 2),
    },
    {
      title: 'INTENSITY',
      rank: 5,
      align: 'right',
      getCell: (result) => getQuantityParts(result, 'intensity').value,
    },
  ],
  csv: [
    ...createQuantityCsv('normalized_to_control', 'normalized_to_control'),
    ...createValueCsv('log2_fold', 'log2_fold'),
    ...createValueCsv('intensity', 'intensity'),
    ['intensity_unit', (result) => result.quantities.intensity?.unit],
    ['saturated', (result) => findFluorescenceRow(result)?.saturated],
    ['z_prime_plate', (result) => findFluorescenceRow(result)?.z_prime_plate],
  ],
  verb: ['is bright', 'are bright'],
  isCounted: ({ place }) => typeof place === 'number',
  formatValue: (result) => getQuantityParts(result, 'normalized_to_control').value,
};

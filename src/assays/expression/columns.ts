import { findExpressionRow } from './row.ts';
import { getQuantityParts, createQuantityColumns, createQuantityCsv, createValueCsv } from '../columns.ts';
import type { AssayColumns } from '../columns.ts';

export const expression: AssayColumns = {
  columns: [
    ...createQuantityColumns('YIELD', 'yield_ng_per_ul'),
    { title: 'CLASS', rank: 2, getCell: (result) => findExpressionRow(result)?.expression_class ?? '' },
  ],
  csv: [
    ...createQuantityCsv('yield_ng_per_ul', 'yield_ng_per_ul'),
    ...createValueCsv('yield_ug', 'yield_ug'),
    ...createValueCsv('molar_um', 'molar_um'),
    ['expression_class', (result) => findExpressionRow(result)?.expression_class],
    ['expressed', (result) => findExpressionRow(result)?.expressed],
    ['lloq_ng_per_ul', (result) => findExpressionRow(result)?.lloq],
    ['uloq_ng_per_ul', (result) => findExpressionRow(result)?.uloq],
  ],
  verb: ['is expressed', 'are expressed'],
  isCounted: (result) => findExpressionRow(result)?.expressed === true,
  formatValue: (result) => getQuantityParts(result, 'yield_ng_per_ul').value,
};

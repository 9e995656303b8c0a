import { expressionRow } from '#domain/assays/expression/row.ts';
import { parts, quantityColumns, quantityCsv, valueCsv } from '../columns.ts';
import type { AssayColumns } from '../columns.ts';

export const expression: AssayColumns = {
  columns: [
    ...quantityColumns('YIELD', 'yield_ng_per_ul'),
    { title: 'CLASS', cell: (result) => expressionRow(result)?.expression_class ?? '' },
  ],
  csv: [
    ...quantityCsv('yield_ng_per_ul', 'yield_ng_per_ul'),
    ...valueCsv('yield_ug', 'yield_ug'),
    ...valueCsv('molar_um', 'molar_um'),
    ['expression_class', (result) => expressionRow(result)?.expression_class],
    ['expressed', (result) => expressionRow(result)?.expressed],
    ['lloq_ng_per_ul', (result) => expressionRow(result)?.lloq],
    ['uloq_ng_per_ul', (result) => expressionRow(result)?.uloq],
  ],
  verb: ['is expressed', 'are expressed'],
  counts: (result) => expressionRow(result)?.expressed === true,
  value: (result) => parts(result, 'yield_ng_per_ul').value,
};

import { findThermostabilityRow } from './row.ts';
import { describeWithoutTm } from './without-tm.ts';
import {
  formatFixed,
  getQuantityParts,
  createQuantityColumns,
  createQuantityCsv,
  createValueCsv,
} from '../columns.ts';
import type { AssayColumns } from '../columns.ts';

export const thermostability: AssayColumns = {
  columns: [
    ...createQuantityColumns('TM', 'tm', 1),
    {
      title: 'ΔTM',
      rank: 2,
      unit: '°C',
      align: 'right',
      getCell: (result) => formatFixed(findThermostabilityRow(result)?.delta_tm_vs_control, 1),
    },
    {
      title: 'ONSET',
      unit: '°C',
      rank: 5,
      align: 'right',
      getCell: (result) => getQuantityParts(result, 'tonset', 1).number,
    },
  ],
  describeMeasured: (result) =>
    describeWithoutTm({ ...findThermostabilityRow(result), flags: result.qc.flags }),
  csv: [
    ...createQuantityCsv('tm', 'tm_c'),
    ...createQuantityCsv('tm_2', 'tm_2_c'),
    ...createQuantityCsv('tm_3', 'tm_3_c'),
    ['tm_method', (result) => findThermostabilityRow(result)?.tm_method],
    ...createValueCsv('tonset', 'tonset_c'),
    ...createValueCsv('tagg', 'tagg_c'),
    ...createValueCsv('dh', 'dh_kcal_per_mol'),
    ['delta_tm_vs_control_c', (result) => findThermostabilityRow(result)?.delta_tm_vs_control],
    ['no_transition_reason', (result) => findThermostabilityRow(result)?.no_transition_reason],
  ],
  verb: ['unfolds', 'unfold'],
  isCounted: ({ quantities }) => quantities.tm !== undefined,
  formatValue: (result) => getQuantityParts(result, 'tm', 1).value,
};

import { thermostabilityRow } from '#domain/assays/thermostability/row.ts';
import { fixed, parts, quantityColumns, quantityCsv, valueCsv } from '../columns.ts';
import type { AssayColumns } from '../columns.ts';

export const thermostability: AssayColumns = {
  columns: [
    ...quantityColumns('TM', 'tm', 1),
    {
      title: 'ΔTM',
      unit: '°C',
      align: 'right',
      cell: (result) => fixed(thermostabilityRow(result)?.delta_tm_vs_control, 1),
    },
    {
      title: 'ONSET',
      unit: '°C',
      rank: 5,
      align: 'right',
      cell: (result) => parts(result, 'tonset', 1).number,
    },
  ],
  csv: [
    ...quantityCsv('tm', 'tm_c'),
    ['tm_method', (result) => thermostabilityRow(result)?.tm_method],
    ...valueCsv('tonset', 'tonset_c'),
    ...valueCsv('tagg', 'tagg_c'),
    ...valueCsv('dh', 'dh_kcal_per_mol'),
    ['delta_tm_vs_control_c', (result) => thermostabilityRow(result)?.delta_tm_vs_control],
    ['no_transition_reason', (result) => thermostabilityRow(result)?.no_transition_reason],
  ],
  verb: ['unfolds', 'unfold'],
  counts: ({ quantities }) => quantities.tm !== undefined,
  value: (result) => parts(result, 'tm', 1).value,
};

import { molarText } from '#presentation/words/results.ts';
import { formatRate } from '../../numbers.ts';
import { paletteFor } from '../../terminal.ts';
import { bindingParts, classColumn } from '../binding/columns.ts';
import type { AssayColumns } from '../columns.ts';

export const affinity: AssayColumns = {
  ...bindingParts,
  gives: 'KD, kon, koff',
  columns: [
    {
      title: 'KD',
      align: 'right',
      cell: ({ quantities }) => molarText(quantities.kd)?.signed ?? '',
      style: () => paletteFor(process.stdout).bold,
    },
    {
      title: '95 % INTERVAL',
      align: 'right',
      cell: ({ quantities }) => molarText(quantities.kd)?.interval ?? '',
    },
    {
      title: 'KON',
      unit: '1/(M·s)',
      rank: 5,
      align: 'right',
      cell: ({ quantities }) => formatRate(quantities.kon),
    },
    {
      title: 'KOFF',
      unit: '1/s',
      rank: 5,
      align: 'right',
      cell: ({ quantities }) => formatRate(quantities.koff),
    },
    classColumn,
  ],
};

import { formatMolar } from '#features/results/words/results.ts';
import { formatRate } from '#cli/numbers.ts';
import { getPalette, getTerminal } from '#cli/terminal.ts';
import { bindingParts, classColumn } from '../binding/columns.ts';
import type { AssayColumns } from '../columns.ts';

export const affinity: AssayColumns = {
  ...bindingParts,
  gives: 'KD, kon, koff',
  columns: [
    {
      title: 'KD',
      align: 'right',
      getCell: ({ quantities }) => formatMolar(quantities.kd)?.signed ?? '',
      getStyle: () => getPalette(getTerminal().stdout).bold,
    },
    {
      title: '95 % INTERVAL',
      rank: 1,
      align: 'right',
      getCell: ({ quantities }) => formatMolar(quantities.kd)?.interval ?? '',
    },
    {
      title: 'KON',
      unit: '1/(M·s)',
      rank: 5,
      align: 'right',
      getCell: ({ quantities }) => formatRate(quantities.kon),
    },
    {
      title: 'KOFF',
      unit: '1/s',
      rank: 5,
      align: 'right',
      getCell: ({ quantities }) => formatRate(quantities.koff),
    },
    classColumn,
  ],
};

/** Prints the lines and sums of a quote or an invoice. */
import { formatUsd } from '#core/money.ts';
import type { LineItem } from '#features/pricing/contract.ts';
import { layTable, type Column } from './table.ts';
import { toPlainText } from './terminal.ts';

export interface Sums {
  readonly line_items: readonly LineItem[];
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly currency: string;
  readonly tax: { readonly name: string; readonly note: string };
}

const columns: readonly Column<LineItem>[] = [
  { title: 'Item', getCell: (line) => line.description },
  { title: 'Quantity', align: 'right', getCell: (line) => line.quantity.toLocaleString('en-US') },
  { title: 'Price', align: 'right', getCell: (line) => formatUsd(line.unit_price_cents) },
  { title: 'Amount', align: 'right', getCell: (line) => formatUsd(line.total_cents) },
];

export function listMoneyLines(sums: Sums): readonly string[] {
  const rows = [
    ['Subtotal', sums.subtotal_cents],
    [sums.tax.name, sums.tax_cents],
    [`Total ${sums.currency.toUpperCase()}`, sums.total_cents],
  ] as const;
  const amounts = rows.map(
    ([label, cents]) => `${toPlainText(label).padEnd(14)}${formatUsd(cents).padStart(16)}`,
  );
  const note = sums.tax.note === '' ? [] : [toPlainText(sums.tax.note)];
  return [...layTable(columns, sums.line_items).lines, '', ...amounts, ...note];
}

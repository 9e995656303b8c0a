/** `assayer quote`: shows the binding price of an experiment as text, JSON or a document. */
import type { Output } from '#core/operation.ts';
import type { getQuoteInfo } from '#features/quotes/contract.ts';
import { connect } from './api.ts';
import { refuseExisting, saveDocument } from './files.ts';
import { formatTime } from './words.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { createQuoteNotReadyError, formatExperimentPath, findQuote } from './purchase.ts';
import { toPlainLines, toPlainText, print } from './terminal.ts';
import { formatUsd } from '#core/money.ts';
import type { LineItem } from '#features/pricing/contract.ts';
import { layTable, type Column } from './table.ts';

const columns: readonly Column<LineItem>[] = [
  { title: 'ITEM', getCell: (line) => line.description },
  { title: 'QUANTITY', align: 'right', getCell: (line) => line.quantity.toLocaleString('en-US') },
  { title: 'PRICE', align: 'right', getCell: (line) => formatUsd(line.unit_price_cents) },
  { title: 'AMOUNT', align: 'right', getCell: (line) => formatUsd(line.total_cents) },
];

export const guide = {
  name: 'quote',
  usage: ['CODE [--output FILE [--force]] [--json]'],
  about: 'Shows the quote of an experiment: lines, tax, total and end date.',
  options: {
    'output FILE': 'saves the quote as a PDF document; - is standard output',
    force: 'replace a file that exists',
    json: 'print the answer of the API as JSON',
    ...CONNECTION,
  },
  examples: ['quote DEMO-001-004', 'quote DEMO-001-004 --output quote.pdf'],
};

const MEMBERS =
  `quote_number organization_name status valid_until currency notes tax.name tax.note subtotal_cents:number
tax_cents:number total_cents:number line_items[].description line_items[].quantity:number
line_items[].unit_price_cents:number line_items[].total_cents:number`.replaceAll('\n', ' ');

type QuoteInfo = Output<typeof getQuoteInfo>;

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const { output, force = false } = values;
  if (output !== undefined) refuseExisting(output, force);
  const code = positionals[0] ?? '';
  const api = connect(values);
  const currentQuote = await findQuote(api, code);
  if (currentQuote === undefined) throw createQuoteNotReadyError(code);
  if (output !== undefined)
    await saveDocument(
      output,
      await api.open(formatExperimentPath(code, '/quote/pdf'), 'application/pdf'),
      force,
    );
  if (output === '-') return;
  const quote = await api.get<QuoteInfo>(`/quotes/${encodeURIComponent(currentQuote.quote_id)}`, MEMBERS);
  if (values.json === true) print(JSON.stringify(quote, null, 2));
  else printQuote(quote, code);
}

function printQuote(quote: QuoteInfo, code: string): void {
  print(`Quote ${quote.quote_number} for ${toPlainText(quote.organization_name)}, ${quote.status}`);
  print(`Valid until ${formatTime(quote.valid_until)}\n`);
  print([...layTable(columns, quote.line_items).lines, ''].join('\n'));
  for (const [label, cents] of [
    ['Subtotal', quote.subtotal_cents],
    [quote.tax.name, quote.tax_cents],
    [`Total ${quote.currency.toUpperCase()}`, quote.total_cents],
  ] as const)
    print(`${toPlainText(label).padEnd(14)}${formatUsd(cents).padStart(16)}`);
  if (quote.tax.note !== '') print(toPlainText(quote.tax.note));
  if (quote.notes !== '') print(`\n${toPlainLines(quote.notes)}`);
  if (quote.status === 'draft')
    print('\nA draft: submit the experiment to open it; until then its price may change.');
  if (quote.status === 'open')
    print(`\nNext: assayer accept ${code}, or assayer quotes reject ${code} --reason price`);
}

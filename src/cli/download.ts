/** `assayer download`: saves the data package, the quote or the invoice of an experiment. */
import { connect } from './api.ts';
import { CONNECTION, createUsageError, type Parsed } from './options.ts';
import { formatExperimentPath, requireInvoiceId } from './purchase.ts';
import { refuseExisting, saveDocument } from './files.ts';
import { getTerminal } from './terminal.ts';

export const guide = {
  name: 'download',
  usage: ['CODE [--quote | --invoice] [--output FILE] [--force]'],
  about: `Saves the data package of the released results: a zip archive with results, curves, fits, plots and the report.
A terminal shows how far the service is with it, and then how much has arrived.`,
  options: {
    quote: 'the quote instead, as PDF',
    invoice: 'the invoice instead, as PDF',
    'output FILE': 'where to; default: CODE.zip, CODE-quote.pdf or CODE-invoice.pdf; - is standard output',
    force: 'replace a file that exists',
    ...CONNECTION,
  },
  examples: ['download DEMO-001-004', 'download DEMO-001-004 --output - > package.zip'],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const code = positionals[0] ?? '';
  const kind = values.quote === true ? 'quote' : values.invoice === true ? 'invoice' : undefined;
  const name = kind === undefined ? `${code}.zip` : `${code}-${kind}.pdf`;
  const file = values.output ?? name.replaceAll(/[^\w.-]/g, '_');
  const mayReplace = values.force === true;
  if (file === '-' && getTerminal().stdout.isTTY === true)
    throw createUsageError(guide, 'A document is no text for a terminal; name a file or redirect the output');
  refuseExisting(file, mayReplace);
  const api = connect(values);
  const path =
    kind === 'invoice'
      ? `/invoices/${encodeURIComponent(await requireInvoiceId(api, code))}/pdf`
      : formatExperimentPath(code, kind === 'quote' ? '/quote/pdf' : '/data-package');
  const type = kind === undefined ? 'application/zip' : 'application/pdf';
  await saveDocument(file, await api.open(path, type), mayReplace);
}

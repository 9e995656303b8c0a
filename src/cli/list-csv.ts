/** The CSV fields of each list. They stand in the contract, whose schemas only this needs to load. */
import { ExperimentListItem } from '#features/experiments/contract.ts';
import { InvoiceListItem } from '#features/invoices/contract.ts';
import { QuoteListItem } from '#features/quotes/contract.ts';
import { ResultInfo } from '#features/results/contract.ts';
import { SequenceListItem } from '#features/sequences/contract.ts';
import { TargetInfo } from '#features/targets/contract.ts';
import { TokenListItem } from '#features/tokens/contract.ts';
import { UpdateItem } from '#features/updates/contract.ts';
import { writeCsvField } from '#core/csv.ts';
import { toText, type Item } from './list-columns.ts';
import type { ListName } from './list-names.ts';

const itemSchemas: Readonly<Record<ListName, { readonly properties: object }>> = {
  experiments: ExperimentListItem,
  sequences: SequenceListItem,
  targets: TargetInfo,
  quotes: QuoteListItem,
  invoices: InvoiceListItem,
  results: ResultInfo,
  updates: UpdateItem,
  tokens: TokenListItem,
};

/** Every field of an item, in the order of the contract. */
export function listFields(name: ListName): readonly string[] {
  return Object.keys(itemSchemas[name].properties);
}

export function writeCsvLine(fields: readonly string[], item: Item): string {
  const cells = fields.map((field) => {
    const value = item[field];
    return typeof value === 'number' ? String(value) : writeCsvField(toText(value));
  });
  return `${cells.join(',')}\r\n`;
}

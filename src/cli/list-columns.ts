/** The columns of each list: of its table, and the CSV fields, which stand in the contract. */
import { formatUsd } from '#core/money.ts';
import type { ListName } from './list-names.ts';
import { formatTime } from './words.ts';
import { formatThreeDigits } from './numbers.ts';
import type { Column } from './table.ts';
import { getTerminal, shortenText } from './terminal.ts';
import { ExperimentListItem } from '#features/experiments/contract.ts';
import { InvoiceListItem } from '#features/invoices/contract.ts';
import { QuoteListItem } from '#features/quotes/contract.ts';
import { ResultInfo } from '#features/results/contract.ts';
import { SequenceListItem } from '#features/sequences/contract.ts';
import { TargetInfo } from '#features/targets/contract.ts';
import { TokenListItem } from '#features/tokens/contract.ts';
import { UpdateItem } from '#features/updates/contract.ts';
import { writeCsvField } from '#core/csv.ts';

export type Item = Readonly<Record<string, unknown>>;

export interface ItemColumn extends Column<Item> {
  /** Width in a table of several pages, whose first lines are printed before the last ones are known. */
  readonly fixedWidth: number;
}

const LONGEST = 40;

export const toText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function createColumn(title: string, field: string, fixedWidth: number, rank?: number): ItemColumn {
  const getCell = (item: Item): string => {
    const text = toText(item[field]);
    // What a program reads stays whole.
    return getTerminal().stdout.isTTY === true ? shortenText(text, LONGEST) : text;
  };
  return { title, fixedWidth, getCell: getCell, ...(rank === undefined ? {} : { rank }) };
}

/** Such as `2026-03-02 14:30 +05:30`: the reader's own zone. */
function createTimeColumn(title: string, field: string, rank?: number): ItemColumn {
  const formatShown = (item: Item): string => formatTime(toText(item[field]));
  return { ...createColumn(title, field, 24, rank), getCell: formatShown };
}

function createNumberColumn(
  title: string,
  field: string,
  format: (value: number) => string,
  rank?: number,
): ItemColumn {
  const getCell = (item: Item): string => {
    const value = item[field];
    return typeof value === 'number' ? format(value) : '';
  };
  return { ...createColumn(title, field, 14, rank), align: 'right', getCell: getCell };
}

const id = createColumn('ID', 'id', 36, 9);
const formatWhole = (value: number): string => String(value);

const columnsByList: Readonly<Record<ListName, readonly ItemColumn[]>> = {
  experiments: [
    createColumn('CODE', 'code', 16),
    createColumn('NAME', 'name', 32),
    createColumn('STATUS', 'status', 24),
    createColumn('TYPE', 'experiment_type', 18, 3),
    createColumn('TARGET', 'target_name', 24, 4),
    createNumberColumn('SEQUENCES', 'sequence_count', formatWhole, 5),
    createTimeColumn('CREATED', 'created_at', 2),
    id,
  ],
  sequences: [
    createColumn('EXPERIMENT', 'experiment_code', 16),
    createColumn('NAME', 'name', 32),
    createNumberColumn('LENGTH', 'length', formatWhole),
    createColumn('BEGINS', 'aa_preview', 20, 4),
    createColumn('CONTROL', 'is_control', 7, 5),
    createTimeColumn('CREATED', 'created_at', 3),
    id,
  ],
  targets: [
    createColumn('NAME', 'name', 32),
    createColumn('UNIPROT', 'uniprot_id', 10),
    createColumn('ORGANISM', 'organism', 32, 2),
    createColumn('FAMILY', 'family', 24, 4),
    createColumn('VENDOR', 'vendor_name', 24, 5),
    createColumn('CATALOG', 'catalog_number', 16, 3),
    id,
  ],
  quotes: [
    createColumn('NUMBER', 'quote_number', 16),
    createColumn('EXPERIMENT', 'experiment_code', 16),
    createColumn('STATUS', 'status', 10),
    createNumberColumn('AMOUNT', 'amount_cents', formatUsd),
    createTimeColumn('VALID UNTIL', 'valid_until', 3),
    createTimeColumn('CREATED', 'created_at', 2),
    id,
  ],
  invoices: [
    createColumn('NUMBER', 'invoice_number', 16),
    createColumn('EXPERIMENT', 'experiment_code', 16),
    createColumn('STATUS', 'status', 13),
    createNumberColumn('AMOUNT', 'amount_cents', formatUsd),
    createTimeColumn('DUE', 'due_date', 3),
    createTimeColumn('CREATED', 'created_at', 2),
    id,
  ],
  results: [
    createColumn('EXPERIMENT', 'experiment_code', 16),
    createColumn('SEQUENCE', 'sequence_name', 32),
    createColumn('TARGET', 'target_name', 24, 4),
    createColumn('TYPE', 'experiment_type', 18, 3),
    createColumn('OUTCOME', 'outcome', 13),
    createNumberColumn('SCORE', 'binding_score', formatThreeDigits, 5),
    createTimeColumn('CREATED', 'created_at', 2),
    id,
  ],
  updates: [
    createTimeColumn('TIME', 'timestamp'),
    createColumn('EXPERIMENT', 'experiment_code', 16),
    createColumn('TYPE', 'type', 13),
    createColumn('UPDATE', 'name', 40),
    createColumn('STATUS', 'status', 24, 3),
    id,
  ],
  tokens: [
    createColumn('NAME', 'name', 32),
    createColumn('KIND', 'kind', 10),
    createColumn('ROLE', 'role', 10),
    createTimeColumn('CREATED', 'created_at', 3),
    createTimeColumn('EXPIRES', 'expires_at', 4),
    createTimeColumn('REVOKED', 'revoked_at', 5),
    id,
  ],
};

export function getColumns(name: ListName): readonly ItemColumn[] {
  return columnsByList[name];
}

/** The same columns at widths that do not depend on the rows. */
export function fixColumns(columns: readonly ItemColumn[]): ItemColumn[] {
  return columns.map((each) => {
    const { fixedWidth: width, align = 'left' } = each;
    const fill = (shown: string): string => (align === 'right' ? shown.padStart(width) : shown.padEnd(width));
    return {
      ...each,
      title: fill(each.title),
      getCell: (item) => fill(shortenText(each.getCell(item), width)),
    };
  });
}

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

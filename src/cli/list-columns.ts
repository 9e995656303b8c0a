/** The table columns and the CSV fields of each list. */
import { formatUsd } from '#core/money.ts';
import { ExperimentListItem } from '#domain/experiments/contract.ts';
import { InvoiceListItem } from '#domain/invoices/contract.ts';
import { QuoteListItem } from '#domain/quotes/contract.ts';
import { csvField } from '#presentation/data-package/csv.ts';
import { ResultInfo } from '#domain/results/contract.ts';
import { SequenceListItem } from '#domain/sequences/contract.ts';
import { TargetInfo } from '#domain/targets/contract.ts';
import { TokenListItem } from '#domain/tokens/contract.ts';
import { UpdateItem } from '#domain/updates/contract.ts';
import type { ListName } from './list-names.ts';
import { threeDigits } from './numbers.ts';
import type { Column } from './table.ts';
import { shortened } from './terminal.ts';

export type Item = Readonly<Record<string, unknown>>;

export interface ListLook {
  readonly columns: readonly ItemColumn[];
  /** Every field of an item, in the order of the contract. */
  readonly fields: readonly string[];
}

export interface ItemColumn extends Column<Item> {
  /** Width in a table of several pages, whose first lines are printed before the last ones are known. */
  readonly fixedWidth: number;
}

const LONGEST = 40;

const text = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function column(title: string, field: string, fixedWidth: number, rank?: number): ItemColumn {
  const cell = (item: Item): string => shortened(text(item[field]), LONGEST);
  return { title, fixedWidth, cell, ...(rank === undefined ? {} : { rank }) };
}

/** Such as `2026-03-02 09:00` in UTC, as the API writes it. */
function time(title: string, field: string, rank?: number): ItemColumn {
  const shown = (item: Item): string => text(item[field]).slice(0, 16).replace('T', ' ');
  return { ...column(title, field, 16, rank), cell: shown };
}

function number(title: string, field: string, format: (value: number) => string, rank?: number): ItemColumn {
  const cell = (item: Item): string => {
    const value = item[field];
    return typeof value === 'number' ? format(value) : '';
  };
  return { ...column(title, field, 14, rank), align: 'right', cell };
}

const id = column('ID', 'id', 36, 9);
const whole = (value: number): string => String(value);

const looks: Readonly<Record<ListName, ListLook>> = {
  experiments: {
    columns: [
      column('CODE', 'code', 16),
      column('NAME', 'name', 32),
      column('STATUS', 'status', 24),
      column('TYPE', 'experiment_type', 18, 3),
      column('TARGET', 'target_name', 24, 4),
      number('SEQUENCES', 'sequence_count', whole, 5),
      time('CREATED', 'created_at', 2),
      id,
    ],
    fields: Object.keys(ExperimentListItem.properties),
  },
  sequences: {
    columns: [
      column('EXPERIMENT', 'experiment_code', 16),
      column('NAME', 'name', 32),
      number('LENGTH', 'length', whole),
      column('BEGINS', 'aa_preview', 20, 4),
      column('CONTROL', 'is_control', 7, 5),
      time('CREATED', 'created_at', 3),
      id,
    ],
    fields: Object.keys(SequenceListItem.properties),
  },
  targets: {
    columns: [
      column('NAME', 'name', 32),
      column('UNIPROT', 'uniprot_id', 10),
      column('ORGANISM', 'organism', 32, 2),
      column('FAMILY', 'family', 24, 4),
      column('VENDOR', 'vendor_name', 24, 5),
      column('CATALOGUE', 'catalog_number', 16, 3),
      id,
    ],
    fields: Object.keys(TargetInfo.properties),
  },
  quotes: {
    columns: [
      column('NUMBER', 'quote_number', 16),
      column('EXPERIMENT', 'experiment_code', 16),
      column('STATUS', 'status', 10),
      number('AMOUNT', 'amount_cents', formatUsd),
      time('VALID UNTIL', 'valid_until', 3),
      time('CREATED', 'created_at', 2),
      id,
    ],
    fields: Object.keys(QuoteListItem.properties),
  },
  invoices: {
    columns: [
      column('NUMBER', 'invoice_number', 16),
      column('EXPERIMENT', 'experiment_code', 16),
      column('STATUS', 'status', 13),
      number('AMOUNT', 'amount_cents', formatUsd),
      time('DUE', 'due_date', 3),
      time('CREATED', 'created_at', 2),
      id,
    ],
    fields: Object.keys(InvoiceListItem.properties),
  },
  results: {
    columns: [
      column('EXPERIMENT', 'experiment_code', 16),
      column('SEQUENCE', 'sequence_name', 32),
      column('TARGET', 'target_name', 24, 4),
      column('TYPE', 'experiment_type', 18, 3),
      column('OUTCOME', 'outcome', 13),
      number('SCORE', 'binding_score', threeDigits, 5),
      time('CREATED', 'created_at', 2),
      id,
    ],
    fields: Object.keys(ResultInfo.properties),
  },
  updates: {
    columns: [
      time('TIME', 'timestamp'),
      column('EXPERIMENT', 'experiment_code', 16),
      column('TYPE', 'type', 13),
      column('UPDATE', 'name', 40),
      column('STATUS', 'status', 24, 3),
      id,
    ],
    fields: Object.keys(UpdateItem.properties),
  },
  tokens: {
    columns: [
      column('NAME', 'name', 32),
      column('KIND', 'kind', 10),
      column('ROLE', 'role', 10),
      time('CREATED', 'created_at', 3),
      time('EXPIRES', 'expires_at', 4),
      time('REVOKED', 'revoked_at', 5),
      id,
    ],
    fields: Object.keys(TokenListItem.properties),
  },
};

export function lookOf(name: ListName): ListLook {
  return looks[name];
}

/** The same columns at widths that do not depend on the rows. */
export function fixedColumns(columns: readonly ItemColumn[]): ItemColumn[] {
  return columns.map((each) => {
    const { fixedWidth: width, align = 'left' } = each;
    const fill = (shown: string): string => (align === 'right' ? shown.padStart(width) : shown.padEnd(width));
    return { ...each, title: fill(each.title), cell: (item) => fill(shortened(each.cell(item), width)) };
  });
}

export function csvLine(fields: readonly string[], item: Item): string {
  const cells = fields.map((field) => {
    const value = item[field];
    return typeof value === 'number' ? String(value) : csvField(text(value));
  });
  return `${cells.join(',')}\r\n`;
}

/** Columns of results in the terminal and in CSV. */
import type { Static } from '#core/schema.ts';
import type { ResultInfo } from '#features/results/contract.ts';
import { formatQuantityParts, type QuantityParts } from '#features/results/words/quantities.ts';
import type { Column } from '#cli/table.ts';
import { getPalette, getTerminal } from '#cli/terminal.ts';

export type Result = Static<typeof ResultInfo>;
export type Cell = string | number | boolean | null | undefined;

/** What an assay shows in its table, in CSV and in the sentence below the table. */
export interface AssayColumns {
  /** In the help, where assays on a target are told apart. */
  readonly gives?: string;
  readonly columns: readonly Column<Result>[];
  /** Of the outcome `measured`, where the assay can say more. */
  readonly describeMeasured?: (result: Result) => string | undefined;
  readonly csv: readonly (readonly [name: string, cell: (result: Result) => Cell])[];
  /** Such as `12 of 14 unfold`. */
  readonly verb: readonly [singular: string, plural: string];
  readonly isCounted: (result: Result) => boolean;
  /** Of the best; empty without one. */
  readonly formatValue: (result: Result) => string;
}

/** The texts are empty when the result has no such value. */
export function getQuantityParts(
  result: Result,
  name: string,
  decimals?: number,
): Record<keyof QuantityParts, string> {
  const parts = formatQuantityParts(result.quantities[name], decimals);
  return { number: parts?.number ?? '', value: parts?.value ?? '', interval: parts?.interval ?? '' };
}

export function createQuantityColumns(title: string, name: string, decimals?: number): Column<Result>[] {
  return [
    {
      title,
      align: 'right',
      getCell: (result) => getQuantityParts(result, name, decimals).value,
      getStyle: () => getPalette(getTerminal().stdout).bold,
    },
    {
      title: '95 % INTERVAL',
      rank: 1,
      align: 'right',
      getCell: (result) => getQuantityParts(result, name, decimals).interval,
    },
  ];
}

export function formatFixed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' ? value.toFixed(decimals) : '';
}

/** A limit without its relation would look like a value, so the relation has a column of its own. */
export function createValueCsv(name: string, column: string): AssayColumns['csv'] {
  return [
    [column, (result) => result.quantities[name]?.value],
    [`${column}_relation`, (result) => result.quantities[name]?.relation],
  ];
}

export function createQuantityCsv(name: string, column: string): AssayColumns['csv'] {
  return [
    ...createValueCsv(name, column),
    [`${column}_ci95_low`, (result) => result.quantities[name]?.ci95_low],
    [`${column}_ci95_high`, (result) => result.quantities[name]?.ci95_high],
  ];
}

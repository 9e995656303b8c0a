/** What the verbs of the lab that print a list share: options, help and the table. */
import { createApi } from './api.ts';
import { requireConnection, type ConnectionOptions } from './connection.ts';
import { CONNECTION_OPTIONS } from './options.ts';
import { layTable, type Column } from './table.ts';
import { getPalette, getTableWidth, getTerminal, print, printNote } from './terminal.ts';

export const LIST_OPTIONS = {
  ...CONNECTION_OPTIONS,
  filter: { type: 'string' },
  sort: { type: 'string' },
  search: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const LIST_HELP = `  --filter FILTER  one condition, as docs/guide/filtering.md explains it
  --sort SORT      such as desc(created_at)
  --search TEXT    items that contain the text
  --json           the records of the API`;

export interface ListValues extends ConnectionOptions {
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly search?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Prints every item of a list. `nothing` is what it says about an empty one. */
export async function printList<Item>(
  path: string,
  values: ListValues,
  { columns, nothing, sort }: { columns: readonly Column<Item>[]; nothing: string; sort: string },
): Promise<void> {
  const query = new URLSearchParams({ sort: values.sort ?? sort });
  for (const key of ['filter', 'search'] as const) {
    const value = values[key];
    if (value !== undefined) query.set(key, value);
  }
  const page = await createApi(requireConnection(values)).list<Item>(`${path}?${query.toString()}`);
  if (values.json === true) return print(JSON.stringify(page, null, 2));
  if (page.items.length === 0) return printNote(nothing);
  printTable(columns, page.items);
}

export function printTable<Item>(columns: readonly Column<Item>[], items: readonly Item[]): void {
  const bold = getPalette(getTerminal().stdout).bold;
  print(layTable(columns, items, { width: getTableWidth(), styleTitle: bold }).lines.join('\n'));
}

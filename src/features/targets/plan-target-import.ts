/** Reads a file of targets against the current catalog: what it would change, and what is wrong with it. */
import type { LineProblem } from '#core/csv.ts';
import type { Sql } from '#core/sql.ts';
import { planCatalogImport, readCatalogCsv, type PlannedEntry } from './catalog-csv.ts';
import { selectEntries } from './catalog-store.ts';
import { EMPTY_ENTRY, listChanges, readEntry, type EntryRow } from './entry.ts';

export interface ImportPlan {
  readonly planned: readonly PlannedEntry[];
  readonly problems: readonly LineProblem[];
  readonly rows: ReadonlyMap<string, EntryRow>;
}

export async function planTargetImport(sql: Sql, content: string): Promise<ImportPlan> {
  const rows = new Map((await selectEntries(sql)).map((row) => [row.catalog_number, row] as const));
  const present = new Map([...rows].map(([number, row]) => [number, readEntry(row)] as const));
  return { ...planCatalogImport(readCatalogCsv(content), present), rows };
}

export function describeImport({ planned }: ImportPlan) {
  const count = (action: PlannedEntry['action']): number =>
    planned.filter((entry) => entry.action === action).length;
  return {
    added: count('add'),
    changed: count('change'),
    unchanged: count('keep'),
    items: planned.flatMap(({ line, action, before, after }) =>
      action === 'keep'
        ? []
        : [
            {
              line,
              catalog_number: after.catalog_number,
              name: after.name,
              action,
              changes: listChanges(before ?? EMPTY_ENTRY, after),
            },
          ],
    ),
  };
}

/** Results for the tables of a report, and what stands in them. */
import type { Quantity } from '#features/results/contract.ts';
import type { PackagedResult } from '#features/results/package/packaged.ts';
import type { PdfBlock } from '#documents/document.ts';
import { buildWithoutValue } from '#features/results/report/without-value.ts';

export const KD: Quantity = {
  value: 9e-9,
  unit: 'M',
  relation: '=',
  ci95_low: 8e-9,
  ci95_high: 1e-8,
  log10_sd: null,
  n: 2,
};

export function createPackaged(changes: Partial<PackagedResult>): PackagedResult {
  return {
    id: 'r1',
    title: 'Affinity of design-1',
    sequence_name: 'design-1',
    is_control: false,
    outcome: 'non_binder',
    status: 'final',
    version: 1,
    place: null,
    binding_score: null,
    n_replicates_ordered: 2,
    n_replicates: 2,
    n_curves_planned: null,
    n_curves: null,
    n_replicates_passed: 2,
    excluded_replicates: [],
    qc: { pass: true, flags: [] },
    quantities: {},
    rows: [{}],
    details: null,
    analysis: {},
    ...changes,
  };
}

/** Returns each row by the titles of its columns. */
export function readRows(blocks: readonly PdfBlock[]): Record<string, string>[] {
  const table = blocks.find((block) => block.kind === 'table');
  if (table?.kind !== 'table') return [];
  return table.rows.map((row) =>
    Object.fromEntries(table.columns.map(({ title }, index) => [title, row[index] ?? ''])),
  );
}

export const readWithoutValue = (type: string, results: readonly PackagedResult[]) =>
  readRows(buildWithoutValue(type, results, results));

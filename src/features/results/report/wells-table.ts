/** The wells of the replicates of each sequence, with the value of each. */
import type { PdfBlock } from '#documents/document.ts';
import { formatQuantityParts } from '../words/quantities.ts';
import { listReplicates, type PackagedResult } from '../package/packaged.ts';

type Row = Readonly<Record<string, unknown>>;

/** Makes one row per sequence: `P1 B12: 1.89; P1 H08: > 2.1`, relative to the reference if any replicate is. */
export function buildWellsTable(results: readonly PackagedResult[]): PdfBlock {
  const isRelative = results.some((result) =>
    listReplicates(result).some((row) => typeof row.normalized_to_control === 'number'),
  );
  const key = isRelative ? 'normalized_to_control' : 'intensity';
  const unit = results.flatMap(({ quantities }) => quantities.intensity?.unit ?? [])[0] ?? '';
  const name = isRelative ? 'relative intensity' : `intensity${unit === '' ? '' : ` (${unit})`}`;
  return {
    kind: 'table',
    columns: [
      { title: '#', align: 'right' },
      { title: 'Sequence', align: 'left', grows: true },
      { title: `Replicates: plate, well, ${name}`, align: 'left', grows: true },
    ],
    rows: results.map((result) => [
      result.place === null ? '' : String(result.place),
      result.sequence_name,
      listReplicates(result)
        .map((row) => formatReplicate(row, key))
        .join('; '),
    ]),
  };
}

function formatReplicate(row: Row, key: string): string {
  const { plate, well } = row;
  const place = [plate, well].filter((part) => typeof part === 'string').join(' ');
  return `${place}: ${formatValue(row[key], row[`${key}_relation`])}`;
}

function formatValue(value: unknown, relation: unknown): string {
  if (typeof value !== 'number') return 'no value';
  const parts = formatQuantityParts({ value, relation: typeof relation === 'string' ? relation : '=' });
  return parts?.number ?? 'no value';
}

/** The last file of a data package: it lists the others, so that a copy can be verified file by file. */
import type { ColumnMeaning } from './tables.ts';

export interface PackedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ManifestInput {
  readonly experimentCode: string;
  readonly releasedAt: Date;
  readonly files: readonly PackedFile[];
  /** Columns of `results.csv`. */
  readonly columns: readonly ColumnMeaning[];
}

export function writeManifest({ experimentCode, releasedAt, files, columns }: ManifestInput): string {
  const manifest = {
    format: 'assayer-data-package',
    version: 1,
    experiment_code: experimentCode,
    released_at: releasedAt.toISOString(),
    files,
    columns: { 'results.csv': columns },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const FORBIDDEN = /[^A-Za-z0-9._-]+/g;
const NAME_MAX = 80;

/** Returns `plots/ranking.svg`, or `plots/ranking-1.svg` if one figure would not fit on a page. */
export function getOverviewPath(kind: string, page: number | null): string {
  return `plots/${kind}${page === null ? '' : `-${page}`}.svg`;
}

/** Makes a file name from a sequence name: safe on every file system, and unique by its ordinal. */
export function formatPlotPath(ordinal: number, sequenceName: string): string {
  const name = sequenceName
    .replaceAll(FORBIDDEN, '_')
    .replaceAll(/^[._]+/g, '')
    .slice(0, NAME_MAX);
  return `plots/${String(ordinal).padStart(4, '0')}_${name || 'sequence'}.svg`;
}

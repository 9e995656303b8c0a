/** What staff stated by hand of the raw files that are analyzed together. */
import { formatCount } from '#core/counts.ts';
import type { RunMappingEntry } from '#analysis/curves/map-wells.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findMapping, type MappingRow } from './mapping-store.ts';
import type { AnalyzedFile } from './raw-file-store.ts';

export interface RunMapping extends MappingRow {
  /** The number of a run that repeats; null for the first. */
  readonly ofRun: number | null;
}

/** Returns the mapping of each run whose files are analyzed; runs without one, or with an empty one, have none. */
export async function loadMappings(
  scope: OrganizationScope,
  sql: Sql,
  files: readonly AnalyzedFile[],
): Promise<RunMapping[]> {
  const runs = new Map(files.map((file) => [file.run_id, file.run]));
  const mappings: RunMapping[] = [];
  for (const [id, ofRun] of runs) {
    const mapping = await findMapping(scope, sql, id);
    if (mapping !== undefined && mapping.entries.length > 0) mappings.push({ ...mapping, ofRun });
  }
  return mappings;
}

/** A result says that people overruled the files, because nobody could see it in them. */
export function describeMapping({ version, entries, ofRun }: RunMapping): string {
  const lines = formatCount(entries.length, 'line');
  const of = ofRun === null ? '' : ` of run ${ofRun}`;
  return `The lab stated by hand what wells or samples of the raw files${of} are: version ${version}, ${lines}.`;
}

/** The entries as the analysis takes them, each with its run. */
export function listEntries({ entries, ofRun }: RunMapping): RunMappingEntry[] {
  return entries.map((entry) => ({ ...entry, ...(ofRun === null ? {} : { run: ofRun }) }));
}

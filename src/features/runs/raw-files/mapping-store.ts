/** What staff say by hand of the wells and samples of a run's files. */
import type { MappingEntry } from '#core/raw-mapping.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';

export interface MappingRow {
  readonly version: number;
  readonly entries: readonly MappingEntry[];
  readonly reason: string | null;
  readonly created_by: string;
  readonly created_at: string;
}

const COLUMNS = 'version, entries, reason, created_by, created_at';

/** Returns every version, the newest first. */
export async function selectMappings(scope: Scope, sql: Sql, runId: string): Promise<readonly MappingRow[]> {
  return sql.query<MappingRow>(
    `select ${COLUMNS} from raw_file_mappings
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by version desc`,
    [getOrganizationId(scope), runId],
  );
}

/** Returns the version that counts; undefined where nobody mapped anything. */
export async function findMapping(scope: Scope, sql: Sql, runId: string): Promise<MappingRow | undefined> {
  const rows = await sql.query<MappingRow>(
    `select ${COLUMNS} from raw_file_mappings
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by version desc limit 1`,
    [getOrganizationId(scope), runId],
  );
  return getFirst(rows);
}

export interface NewMapping extends Omit<MappingRow, 'created_at'> {
  readonly runId: string;
  readonly at: Date;
}

export async function insertMapping(
  scope: OrganizationScope,
  sql: Sql,
  mapping: NewMapping,
): Promise<MappingRow> {
  const [text, values] = insertInto('raw_file_mappings', {
    run_id: mapping.runId,
    version: mapping.version,
    organization_id: scope.organizationId,
    entries: JSON.stringify(mapping.entries),
    reason: mapping.reason,
    created_by: mapping.created_by,
    created_at: mapping.at,
  });
  return getExactlyOne(await sql.query<MappingRow>(`${text} returning ${COLUMNS}`, values));
}

/** The raw files of a run, each with what its parser read. */
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import { first, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { NewRawFile } from './store.ts';

export interface UnderstoodSet {
  readonly format: string;
  readonly instrument: string | null;
  readonly plate: string | null;
  readonly nTraces: number;
  readonly notices: readonly string[];
}

export interface Understood {
  readonly sets: readonly UnderstoodSet[];
  readonly samples: readonly string[];
  readonly controls: readonly string[];
  readonly nUnnamedWells: number;
}

export interface UnderstoodFileRow {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly created_at: string;
  /** Null for a file of the simulated lab. */
  readonly understood: Understood | null;
}

const COLUMNS = 'id, name, sha256, size_bytes, created_at, understood';

/** Stores one file of a run. A file of the same name is replaced and keeps its id. */
export async function putRawFile(
  scope: OrganizationScope,
  sql: Sql,
  of: { readonly experimentId: string; readonly runId: string; readonly at: Date },
  file: NewRawFile & { readonly understood: Understood },
): Promise<UnderstoodFileRow> {
  const rows = await sql.query<UnderstoodFileRow>(
    ...insertInto(
      'raw_files',
      {
        id: file.id,
        organization_id: scope.organizationId,
        experiment_id: of.experimentId,
        run_id: of.runId,
        name: file.name,
        sha256: file.sha256,
        size_bytes: file.sizeBytes,
        created_at: of.at,
        understood: JSON.stringify(file.understood),
      },
      `on conflict (run_id, name) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
         created_at = excluded.created_at, understood = excluded.understood
         where raw_files.organization_id = excluded.organization_id
       returning ${COLUMNS}`,
    ),
  );
  const kept = first(rows);
  if (kept === undefined) throw new Error('the file belongs to another organization');
  return kept;
}

export async function understoodFiles(
  scope: Scope,
  sql: Sql,
  runId: string,
): Promise<readonly UnderstoodFileRow[]> {
  return sql.query<UnderstoodFileRow>(
    `select ${COLUMNS} from raw_files
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by name`,
    [organizationOf(scope), runId],
  );
}

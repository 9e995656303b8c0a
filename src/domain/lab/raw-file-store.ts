/** The raw files of a run with what was understood of them. */
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import { first, type Sql } from '#core/sql.ts';
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

/** Keeps one file of a run; a file of the same name is replaced and keeps its id. */
export async function putRawFile(
  scope: OrganizationScope,
  sql: Sql,
  of: { readonly experimentId: string; readonly runId: string; readonly at: Date },
  file: NewRawFile & { readonly understood: Understood },
): Promise<UnderstoodFileRow> {
  const rows = await sql.query<UnderstoodFileRow>(
    `insert into raw_files as f (id, organization_id, experiment_id, run_id, name, sha256, size_bytes, created_at,
       understood)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (run_id, name) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
       created_at = excluded.created_at, understood = excluded.understood
       where f.organization_id = $2
     returning ${COLUMNS}`,
    [
      file.id,
      organizationOf(scope),
      of.experimentId,
      of.runId,
      file.name,
      file.sha256,
      file.sizeBytes,
      of.at,
      JSON.stringify(file.understood),
    ],
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

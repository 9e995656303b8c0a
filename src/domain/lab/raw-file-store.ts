/** The raw files of a run, each with what its parser read. */
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { insertMany, createManyValues } from '#core/write-rows.ts';

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

export interface NewRawFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Null for a file of the simulated lab. */
  readonly understood: Understood | null;
}

/** Stores files of a run. A file of the same name is replaced and keeps its id. */
export async function putRawFiles(
  scope: OrganizationScope,
  sql: Sql,
  of: { readonly experimentId: string; readonly runId: string; readonly at: Date },
  files: readonly NewRawFile[],
): Promise<UnderstoodFileRow[]> {
  const kept = await sql.query<UnderstoodFileRow>(
    ...insertMany(
      'raw_files',
      {
        id: createManyValues(
          'uuid',
          files.map(({ id }) => id),
        ),
        organization_id: scope.organizationId,
        experiment_id: of.experimentId,
        run_id: of.runId,
        name: createManyValues(
          'text',
          files.map(({ name }) => name),
        ),
        sha256: createManyValues(
          'text',
          files.map(({ sha256 }) => sha256),
        ),
        size_bytes: createManyValues(
          'bigint',
          files.map(({ sizeBytes }) => sizeBytes),
        ),
        created_at: of.at,
        understood: createManyValues(
          'jsonb',
          files.map(({ understood }) => (understood === null ? null : JSON.stringify(understood))),
        ),
      },
      `on conflict (run_id, name) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
         created_at = excluded.created_at, understood = excluded.understood
         where raw_files.organization_id = excluded.organization_id
       returning ${COLUMNS}`,
    ),
  );
  if (kept.length < files.length) throw new Error('a file belongs to another organization');
  return kept;
}

export async function selectUnderstoodFiles(
  scope: Scope,
  sql: Sql,
  runId: string,
): Promise<readonly UnderstoodFileRow[]> {
  return sql.query<UnderstoodFileRow>(
    `select ${COLUMNS} from raw_files
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by name`,
    [getOrganizationId(scope), runId],
  );
}

/** Where the files of a run are kept, and under which names. */
export async function selectRawFilesOfRun(
  scope: Scope,
  sql: Sql,
  runId: string,
): Promise<{ readonly name: string; readonly sha256: string }[]> {
  return sql.query(
    `select name, sha256 from raw_files
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by name`,
    [getOrganizationId(scope), runId],
  );
}

/**
 * Where the files are that are analyzed with a run: its own, and where it repeats replicates, those of the runs before
 * it. `run` is the number of a run that repeats, and null for the first.
 */
export async function selectRawFilesOfAnalysis(
  scope: Scope,
  sql: Sql,
  runId: string,
): Promise<{ readonly name: string; readonly sha256: string; readonly run: number | null }[]> {
  return sql.query(
    `select f.name, f.sha256, case when r.adds_to_earlier then r.ordinal end as run
     from runs latest join runs r on r.experiment_id = latest.experiment_id and r.ordinal <= latest.ordinal
       and r.ordinal >= (select max(whole.ordinal) from runs whole where whole.experiment_id = latest.experiment_id
         and whole.ordinal <= latest.ordinal and not whole.adds_to_earlier)
     join raw_files f on f.run_id = r.id
     where ($1::uuid is null or latest.organization_id = $1) and latest.id = $2 order by r.ordinal, f.name`,
    [getOrganizationId(scope), runId],
  );
}

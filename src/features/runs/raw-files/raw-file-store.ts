/** The raw files of a run, each with what its parser read. */
import { getOrganizationId, type OrganizationScope, type Scope, type LabScope } from '#core/scope.ts';
import { type Sql, getFirst } from '#core/sql.ts';
import { insertManyOwned, insertInto, createColumnMaker } from '#core/write-rows.ts';

interface UnderstoodSet {
  readonly format: string;
  readonly instrument: string | null;
  readonly plate: string | null;
  readonly nTraces: number;
  readonly notices: readonly string[];
  /** Of the measured values; absent from files of earlier versions. */
  readonly digest?: string | null;
}

export interface Understood {
  readonly sets: readonly UnderstoodSet[];
  readonly samples: readonly string[];
  readonly controls: readonly string[];
  readonly nUnnamedWells: number;
}

/** The digests of what was measured in a file. */
export function listDigests(understood: Understood | null): string[] {
  return understood?.sets.flatMap(({ digest }) => digest ?? []) ?? [];
}

export interface UnderstoodFileRow {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly created_at: string;
  /** From 1; the same bytes again are no new version. */
  readonly version: number;
  /** E-mail address of the person; null for a file of the simulated lab. */
  readonly uploaded_by: string | null;
  /** Null for a file of the simulated lab. */
  readonly understood: Understood | null;
}

const COLUMNS = 'id, name, sha256, size_bytes, created_at, version, uploaded_by, understood';

/** The shared files that a file was cut from. Clients read their digests and never their names. */
interface CutFrom {
  /** Digest of everything that the cut depends on: another one means that the files have to be cut again. */
  readonly key: string;
  readonly sources: readonly WithheldFile[];
  /** Curves or readings in the file that people mapped by hand. */
  readonly n_mapped: number;
}

export interface WithheldFile {
  readonly sha256: string;
  readonly size_bytes: number;
  readonly format: string;
}

export interface NewRawFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Null for a file of the simulated lab. */
  readonly understood: Understood | null;
  /** Of a file that was cut from shared ones. */
  readonly cutFrom?: CutFrom;
}

/**
 * Stores files of a run. Other bytes under a known name become its next version, and the version before is recorded
 * beside it; the file keeps its id. The same bytes again keep their version, time and person.
 */
export async function putRawFiles(
  scope: OrganizationScope,
  sql: Sql,
  of: {
    readonly experiment_id: string;
    readonly run_id: string;
    readonly at: Date;
    /** E-mail address of the person; null for the simulated lab. */
    readonly uploaded_by: string | null;
  },
  files: readonly NewRawFile[],
): Promise<UnderstoodFileRow[]> {
  await recordReplaced(scope, sql, of.run_id, files);
  const listValues = createColumnMaker(files);
  const insertedFiles = await sql.query<UnderstoodFileRow>(
    ...insertManyOwned(
      scope,
      'raw_files',
      {
        id: listValues('uuid', ({ id }) => id),
        experiment_id: of.experiment_id,
        run_id: of.run_id,
        name: listValues('text', ({ name }) => name),
        sha256: listValues('text', ({ sha256 }) => sha256),
        size_bytes: listValues('bigint', ({ sizeBytes }) => sizeBytes),
        created_at: of.at,
        uploaded_by: of.uploaded_by,
        understood: listValues('jsonb', ({ understood }) =>
          understood === null ? null : JSON.stringify(understood),
        ),
        is_shared: listValues('boolean', ({ cutFrom }) => cutFrom !== undefined),
        cut_from: listValues('jsonb', ({ cutFrom }) =>
          cutFrom === undefined ? null : JSON.stringify(cutFrom),
        ),
      },
      `on conflict (run_id, name) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
         understood = excluded.understood, is_shared = excluded.is_shared, cut_from = excluded.cut_from,
         version = raw_files.version + (raw_files.sha256 <> excluded.sha256)::integer,
         created_at = case when raw_files.sha256 = excluded.sha256 then raw_files.created_at
           else excluded.created_at end,
         uploaded_by = case when raw_files.sha256 = excluded.sha256 then raw_files.uploaded_by
           else excluded.uploaded_by end
         where raw_files.organization_id = excluded.organization_id
       returning ${COLUMNS}`,
    ),
  );
  if (insertedFiles.length < files.length) throw new Error('a file belongs to another organization');
  return insertedFiles;
}

async function recordReplaced(
  scope: OrganizationScope,
  sql: Sql,
  runId: string,
  files: readonly NewRawFile[],
): Promise<void> {
  await sql.query(
    `insert into raw_file_versions
       (file_id, version, organization_id, sha256, size_bytes, uploaded_by, created_at)
     select f.id, f.version, f.organization_id, f.sha256, f.size_bytes, f.uploaded_by, f.created_at
     from raw_files f join unnest($3::text[], $4::text[]) as given (name, sha256) on given.name = f.name
     where f.organization_id = $1 and f.run_id = $2 and f.sha256 <> given.sha256`,
    [scope.organizationId, runId, files.map(({ name }) => name), files.map(({ sha256 }) => sha256)],
  );
}

export interface EarlierVersionRow {
  readonly file_id: string;
  readonly version: number;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly uploaded_by: string | null;
  readonly created_at: string;
}

/** Returns the replaced versions of the files of a run, newest first. */
export async function selectEarlierVersions(
  scope: Scope,
  sql: Sql,
  runId: string,
): Promise<readonly EarlierVersionRow[]> {
  return sql.query<EarlierVersionRow>(
    `select v.file_id, v.version, v.sha256, v.size_bytes, v.uploaded_by, v.created_at
     from raw_file_versions v join raw_files f on f.id = v.file_id
     where ($1::uuid is null or v.organization_id = $1) and f.run_id = $2 order by v.version desc`,
    [getOrganizationId(scope), runId],
  );
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
): Promise<{ readonly name: string; readonly sha256: string; readonly cut_from: CutFrom | null }[]> {
  return sql.query(
    `select name, sha256, cut_from from raw_files
     where ($1::uuid is null or organization_id = $1) and run_id = $2 order by name`,
    [getOrganizationId(scope), runId],
  );
}

export interface AnalyzedFile {
  readonly name: string;
  readonly sha256: string;
  readonly run_id: string;
  /** The number of a run that repeats; null for the first. */
  readonly run: number | null;
  /** Null for a file of the experiment alone. */
  readonly cut_from: CutFrom | null;
  readonly understood: Understood | null;
}

/**
 * Where the files are that are analyzed with a run: its own, and where it repeats replicates, those of the runs before
 * it. `run` is the number of a run that repeats, and null for the first.
 */
export async function selectRawFilesOfAnalysis(
  scope: Scope,
  sql: Sql,
  runId: string,
): Promise<AnalyzedFile[]> {
  return sql.query(
    `select f.name, f.sha256, r.id as run_id, case when r.adds_to_earlier then r.ordinal end as run, f.cut_from,
       f.understood
     from runs latest join runs r on r.experiment_id = latest.experiment_id and r.ordinal <= latest.ordinal
       and r.ordinal >= (select max(whole.ordinal) from runs whole where whole.experiment_id = latest.experiment_id
         and whole.ordinal <= latest.ordinal and not whole.adds_to_earlier)
     join raw_files f on f.run_id = r.id
     where ($1::uuid is null or latest.organization_id = $1) and latest.id = $2 order by r.ordinal, f.name`,
    [getOrganizationId(scope), runId],
  );
}

/** Removes the files that were cut from shared ones and are not among these names, with their versions. */
export async function deleteOtherCuts(
  scope: OrganizationScope,
  sql: Sql,
  runId: string,
  names: readonly string[],
): Promise<void> {
  const chosen = `organization_id = $1 and run_id = $2 and is_shared and name <> all ($3)`;
  const values = [scope.organizationId, runId, names];
  await sql.query(
    `delete from raw_file_versions where file_id in (select id from raw_files where ${chosen})`,
    values,
  );
  await sql.query(`delete from raw_files where ${chosen}`, values);
}

/** The id of the directory that holds the raw files of this database; undefined before the first start. */
export async function findRawFileDirectory(sql: Sql): Promise<string | undefined> {
  const row = getFirst(await sql.query<{ id: string }>('select id from raw_file_directory'));
  return row?.id;
}

/** Does nothing where the database has a directory already. */
export async function insertRawFileDirectory(sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    ...insertInto('raw_file_directory', { id, claimed_at: at }, 'on conflict (only_row) do nothing'),
  );
}

export async function putRawFileDirectory(sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    ...insertInto(
      'raw_file_directory',
      { id, claimed_at: at },
      'on conflict (only_row) do update set id = excluded.id, claimed_at = excluded.claimed_at',
    ),
  );
}

/** The digest of the raw file that was received last; undefined while there is none. */
export async function findNewestDigest(_lab: LabScope, sql: Sql): Promise<string | undefined> {
  const row = getFirst(
    await sql.query<{ sha256: string }>('select sha256 from raw_files order by id desc limit 1'),
  );
  return row?.sha256;
}

/** A page of raw files in their current versions, in the order of their ids; `afterId` is null for the first. */
export async function selectDigests(
  _lab: LabScope,
  sql: Sql,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<{ readonly id: string; readonly sha256: string }[]> {
  return sql.query(
    `select id, sha256 from raw_files where $1::uuid is null or id > $1 order by id limit $2`,
    [page.afterId, page.limit],
  );
}

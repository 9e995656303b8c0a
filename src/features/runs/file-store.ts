/** Raw files of stored runs with their mappings. They hold wells of several organizations, so they belong to the lab. */
import type { MappingRow } from './raw-files/store.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertInto, updateRows } from '#core/write-rows.ts';

/** What the parser read from a file of a run. */
export interface SharedContents {
  readonly sets: readonly {
    readonly format: string;
    readonly instrument: string | null;
    readonly plate: string | null;
    readonly nTraces: number;
    readonly notices: readonly string[];
    readonly digest?: string | null;
  }[];
  readonly samples: readonly string[];
  readonly controls: readonly string[];
  readonly nUnnamedWells: number;
}

export interface SharedFileRow {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly understood: SharedContents;
  readonly version: number;
  readonly uploaded_by: string;
  readonly created_at: string;
}

const COLUMNS = 'id, name, sha256, size_bytes, understood, version, uploaded_by, created_at';

/** Returns the files of a run by name, in the order of their code units. */
export async function selectSharedFiles(sql: Sql, runId: string): Promise<readonly SharedFileRow[]> {
  return sql.query<SharedFileRow>(
    `select ${COLUMNS} from lab_run_files where lab_run_id = $1 order by name collate "C"`,
    [runId],
  );
}

export interface NewSharedFile extends Pick<SharedFileRow, 'id' | 'name' | 'sha256' | 'understood'> {
  readonly run_id: string;
  readonly size_bytes: number;
  readonly uploaded_by: string;
  readonly at: Date;
}

/** Stores a file of a run. Other bytes under a known name are its next version; the same bytes change nothing. */
export async function putSharedFile(sql: Sql, file: NewSharedFile): Promise<SharedFileRow> {
  const before = getFirst(
    await sql.query<SharedFileRow>(
      `select ${COLUMNS} from lab_run_files where lab_run_id = $1 and name = $2`,
      [file.run_id, file.name],
    ),
  );
  if (before?.sha256 === file.sha256) return before;
  const present = {
    sha256: file.sha256,
    size_bytes: file.size_bytes,
    understood: JSON.stringify(file.understood),
    uploaded_by: file.uploaded_by,
    created_at: file.at,
  };
  if (before === undefined) {
    const row = { id: file.id, lab_run_id: file.run_id, name: file.name, version: 1, ...present };
    const [text, values] = insertInto('lab_run_files', row, `returning ${COLUMNS}`);
    return getExactlyOne(await sql.query<SharedFileRow>(text, values));
  }
  const { id, version, sha256, size_bytes, uploaded_by, created_at } = before;
  await sql.query(
    ...insertInto('lab_run_file_versions', {
      file_id: id,
      version,
      sha256,
      size_bytes,
      uploaded_by,
      created_at,
    }),
  );
  const change = { ...present, version: version + 1 };
  const [text, values] = updateRows('lab_run_files', change, `where id = $1 returning ${COLUMNS}`, [id]);
  return getExactlyOne(await sql.query<SharedFileRow>(text, values));
}

export interface EarlierSharedVersion {
  readonly file_id: string;
  readonly version: number;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly uploaded_by: string;
  readonly created_at: string;
}

/** Returns the replaced versions of the files of a run, newest first. */
export async function selectEarlierSharedVersions(
  sql: Sql,
  runId: string,
): Promise<readonly EarlierSharedVersion[]> {
  return sql.query<EarlierSharedVersion>(
    `select v.file_id, v.version, v.sha256, v.size_bytes, v.uploaded_by, v.created_at
     from lab_run_file_versions v join lab_run_files f on f.id = v.file_id
     where f.lab_run_id = $1 order by v.version desc`,
    [runId],
  );
}

export interface SharedTwin {
  readonly name: string;
  readonly lab_run_id: string;
  readonly run_number: number;
}

/** Finds a file of any run with the same bytes, other than the file of this name in this run. */
export async function findSharedTwin(
  sql: Sql,
  { runId, name, sha256 }: { readonly runId: string; readonly name: string; readonly sha256: string },
): Promise<SharedTwin | undefined> {
  return getFirst(
    await sql.query<SharedTwin>(
      `select f.name, f.lab_run_id, r.number as run_number from lab_run_files f join lab_runs r on r.id = f.lab_run_id
       where f.sha256 = $3 and not (f.lab_run_id = $1 and f.name = $2)
       order by (f.lab_run_id = $1) desc, r.number, f.name limit 1`,
      [runId, name, sha256],
    ),
  );
}

const MAPPING = 'version, entries, reason, created_by, created_at';

/** Returns every version, the newest first. */
export async function selectSharedMappings(sql: Sql, runId: string): Promise<readonly MappingRow[]> {
  return sql.query<MappingRow>(
    `select ${MAPPING} from lab_run_mappings where lab_run_id = $1 order by version desc`,
    [runId],
  );
}

/** Returns the version that counts; undefined where nobody mapped anything. */
export async function findSharedMapping(sql: Sql, runId: string): Promise<MappingRow | undefined> {
  return getFirst(
    await sql.query<MappingRow>(
      `select ${MAPPING} from lab_run_mappings where lab_run_id = $1 order by version desc limit 1`,
      [runId],
    ),
  );
}

export async function insertSharedMapping(
  sql: Sql,
  { runId, at, ...mapping }: Omit<MappingRow, 'created_at'> & { readonly runId: string; readonly at: Date },
): Promise<MappingRow> {
  const [text, values] = insertInto(
    'lab_run_mappings',
    {
      ...mapping,
      lab_run_id: runId,
      entries: JSON.stringify(mapping.entries),
      created_at: at,
    },
    `returning ${MAPPING}`,
  );
  return getExactlyOne(await sql.query<MappingRow>(text, values));
}

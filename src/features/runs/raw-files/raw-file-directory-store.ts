import { getFirst, type Sql } from '#core/sql.ts';
import type { LabScope } from '#core/scope.ts';
import { insertInto } from '#core/write-rows.ts';

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

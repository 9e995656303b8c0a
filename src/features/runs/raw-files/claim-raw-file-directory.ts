/**
 * Makes sure that all services on a database have one directory of raw files: any of them may analyze a file that
 * another one received.
 */
import type { BlobDirectory } from '#core/blobs.ts';
import type { Clock } from '#core/clock.ts';
import type { Ids } from '#core/ids.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Database, Sql } from '#core/sql.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import {
  findNewestDigest,
  findRawFileDirectory,
  insertRawFileDirectory,
  putRawFileDirectory,
  selectDigests,
} from './raw-file-store.ts';
import { recordChange } from '../../audit/record-change.ts';
import type { Operator } from '../../installation/operator.ts';

const PAGE_SIZE = 1_000;

/** Why a directory is not that of the database: it has no id, has the id of another, or lacks the newest raw file. */
export type DirectoryProblem = 'has_no_id' | 'has_other_id' | 'lacks_newest_file';

/** In words, for the operator. */
export const DIRECTORY_PROBLEMS: Readonly<Record<DirectoryProblem, string>> = {
  has_no_id: 'its file directory-id is missing',
  has_other_id: 'its file directory-id has another id',
  lacks_newest_file: 'it lacks the raw file that the database received last',
};

/**
 * Checks that the directory is that of the database. The first service gives the database its directory; of two that
 * start at the same time with different directories one is refused.
 */
export async function claimRawFileDirectory(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  sql: Sql,
  directory: BlobDirectory,
): Promise<DirectoryProblem | undefined> {
  // In this order: a service that starts at the same time writes its directory before the database.
  const recordedDirectory = await findRawFileDirectory(sql);
  const own = await directory.readId();
  if (recordedDirectory === undefined) {
    // The database is new, or from before directories had ids.
    const newest = await findNewestDigest(labScope, sql);
    if (newest !== undefined && !(await directory.has(newest))) return 'lacks_newest_file';
    const id = own ?? (await directory.ensureId(ids.createUuid()));
    await insertRawFileDirectory(sql, id, clock.now());
    return (await findRawFileDirectory(sql)) === id ? undefined : 'has_other_id';
  }
  if (own === null) return 'has_no_id';
  return own === recordedDirectory ? undefined : 'has_other_id';
}

/** Makes the directory that of the database, whatever it lacks; services with another one no longer start. */
export async function adoptRawFileDirectory(
  operator: Operator,
  database: Database,
  directory: BlobDirectory,
): Promise<void> {
  const id = await directory.ensureId(operator.ids.createUuid());
  await database.runTransaction(async (tx) => {
    await putRawFileDirectory(tx, id, operator.clock.now());
    await recordChange(operator, tx, createOrganizationScope(INSTALLATION_ID), {
      ...operator.actor,
      operation: 'adopt_raw_file_directory',
      subject: id,
      details: { path: directory.root },
    });
  });
}

/** Counts the raw files of the database, and those that the directory lacks. */
export async function countMissingRawFiles(
  sql: Sql,
  directory: BlobDirectory,
): Promise<{ readonly missing: number; readonly total: number }> {
  let [missing, total] = [0, 0];
  let afterId: string | null = null;
  for (;;) {
    const page: { id: string; sha256: string }[] = await selectDigests(labScope, sql, {
      afterId,
      limit: PAGE_SIZE,
    });
    const presence = await Promise.all(page.map(({ sha256 }) => directory.has(sha256)));
    missing += presence.filter((isThere) => !isThere).length;
    total += page.length;
    afterId = page.at(-1)?.id ?? null;
    if (page.length < PAGE_SIZE) return { missing, total };
  }
}

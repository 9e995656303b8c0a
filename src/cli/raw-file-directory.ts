/** Checks that this service has the directory of raw files that the other services on its database have. */
import { openRawFileDirectory } from '#composition/raw-file-directory.ts';
import type { Settings } from '#settings/settings.ts';
import {
  claimRawFileDirectory,
  type DirectoryProblem,
} from '#features/runs/raw-files/claim-raw-file-directory.ts';
import type { Service } from '../main.ts';
import { CommandError } from './command-error.ts';
import { explainFile } from './data-directory.ts';

const REASONS: Readonly<Record<DirectoryProblem, string>> = {
  has_no_id: 'its file directory-id is missing',
  has_other_id: 'its file directory-id has another id',
  lacks_newest_file: 'it lacks the raw file that the database received last',
};

/** Throws the sentence for the operator where the directory is not that of the database. */
export async function requireRawFileDirectory(
  { work, database }: Pick<Service, 'work' | 'database'>,
  settings: Settings,
): Promise<void> {
  const directory = openRawFileDirectory(settings);
  const problem = await claimRawFileDirectory(work, database.read, directory).catch((error: unknown) => {
    throw isAboutFiles(error) ? explainFile(directory.root, error) : error;
  });
  if (problem === undefined) return;
  throw new CommandError(
    `DATA_DIR: ${directory.root} is not the directory of raw files of this database: ${REASONS[problem]}. ` +
      'Name the DATA_DIR of the other services on this database, share its directory blobs with them, or restore ' +
      'blobs from the backup. To go on with this directory and without the raw files that it lacks, run ' +
      '"assayer raw-files adopt" once.',
  );
}

function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && 'path' in error && 'syscall' in error;
}

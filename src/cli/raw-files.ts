/** `assayer raw-files adopt`: makes the directory of the settings that of the database, also where files are lost. */
import { openRawFileDirectory } from '#composition/raw-file-directory.ts';
import {
  adoptRawFileDirectory,
  countMissingRawFiles,
} from '#features/runs/raw-files/claim-raw-file-directory.ts';
import { askOnTerminal } from './confirm.ts';
import { createOperator, withKeptDatabase } from './open-database.ts';
import { DATA_DIR, type Parsed } from './options.ts';
import { readSettingsWith } from './data-directory.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'raw-files',
  usage: ['adopt [--yes] [--data-dir DIR]'],
  about: `Makes DATA_DIR/blobs the directory of raw files of the database, for a service that refuses to start because the
directory is not the one that the database knows: after the raw files were lost, or were copied without the file
directory-id. Says how many raw files are missing in it. Services with another directory no longer start; those that
run go on, so stop them first. At a terminal it asks first.`,
  options: { yes: 'do not ask', ...DATA_DIR },
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const { 'data-dir': dataDir, yes } = values;
  const directory = openRawFileDirectory(readSettingsWith({ DATA_DIR: dataDir }));
  await withKeptDatabase(dataDir, async (database) => {
    const { missing, total } = await countMissingRawFiles(database.read, directory);
    const lack = `${missing} of ${total} raw files of the database are missing in ${directory.root}.`;
    await askOnTerminal(`${lack} Go on with this directory?`, yes === true);
    await adoptRawFileDirectory(createOperator(), database, directory);
    print(`${directory.root} is now the directory of raw files of the database. ${lack}`);
  });
}

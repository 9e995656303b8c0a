/** `assayer index`: optional indexes, built and dropped by an operator. */
import { buildResidueIndex, dropResidueIndex, ResidueIndexError } from '#adapters/postgres/residue-index.ts';
import { createSystemSources } from '#composition/system-sources.ts';
import { CommandError } from './command-error.ts';
import { withOpenDatabase } from './open-database.ts';
import { DATA_DIR, type Parsed } from './options.ts';
import { readSettingsWith } from './data-directory.ts';
import { printNote, print } from './terminal.ts';

export const guide = {
  name: 'index',
  usage: ['residues [--drop] [--data-dir DIR]'],
  about: `Builds trigram indexes over the residues and names of all sequences, for labs where one organization has
millions of them: substring search then reads only possible matches. They slow down every new sequence, so they
are optional. If a build is interrupted, run the command again.`,
  options: { drop: 'removes them', ...DATA_DIR },
  notes: 'The service may go on running.',
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const settings = readSettingsWith({ DATA_DIR: values['data-dir'], LOG_LEVEL: 'warn' });
  const work = values.drop === true ? dropResidueIndex : buildResidueIndex;
  const names = await withOpenDatabase(settings, createSystemSources(settings).log, (connection) =>
    work({ connection, log: printNote }),
  ).catch((error: unknown) => {
    throw error instanceof ResidueIndexError ? new CommandError(error.message) : error;
  });
  print(describeIndexes(names, values.drop === true));
}

function describeIndexes(names: readonly string[], isDrop: boolean): string {
  if (names.length === 0) return isDrop ? 'There is no such index.' : 'The indexes exist already.';
  return `${isDrop ? 'Dropped' : 'Built'} ${names.join(' and ')}.`;
}

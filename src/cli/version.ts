/** `assayer version`: the version of this program. */
import manifest from '../../package.json' with { type: 'json' };
import type { Parsed } from './options.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'version',
  usage: ['[--json]'],
  about: 'Prints the version of this program; "assayer --version" does the same.',
  options: { json: 'the name and the version' },
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const { name, version } = manifest;
  print(values.json === true ? JSON.stringify({ name, version }) : `${name} ${version}`);
}

/** `assayer version`: the version of this program. */
import manifest from '../../package.json' with { type: 'json' };
import { parseOptions } from './options.ts';
import { print } from './terminal.ts';

const guide = {
  name: 'version',
  operands: [],
  help: `Usage: assayer version [--json]

Prints the version of this program; "assayer --version" does the same.

  --json  the name and the version`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, { json: { type: 'boolean' } });
  if (parsed === undefined) return;
  const { name, version } = manifest;
  print(parsed.values.json === true ? JSON.stringify({ name, version }) : `${name} ${version}`);
}

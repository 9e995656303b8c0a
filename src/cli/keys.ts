/** `assayer keys rotate`: makes a new signing key, which running services start to use by themselves. */
import { rotateSigningKeys } from '#features/tokens/signing-keys.ts';
import { askOnTerminal } from './confirm.ts';
import { createOperator, withDatabase } from './operator-database.ts';
import { parseOptions, createVerbError } from './options.ts';
import { print } from './terminal.ts';

const HELP = `Usage: assayer keys rotate [--yes] [--data-dir DIR]

Makes a new key that signs tokens from now on. Earlier keys no longer sign but still verify, so every token keeps
working. Running services start to use the new key by themselves. An earlier key never signs again, so at a terminal it
asks first.

  --yes            do not ask
  --data-dir DIR   where the service keeps its data (DATA_DIR)`;

const guide = { name: 'keys', help: HELP, operands: ['rotate'] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    'data-dir': { type: 'string' },
    yes: { type: 'boolean', short: 'y' },
  });
  if (parsed === undefined) return;
  const [verb = ''] = parsed.positionals;
  if (verb !== 'rotate') throw createVerbError(guide, verb, ['rotate']);
  await askOnTerminal('Sign new tokens by a new key from now on?', parsed.values.yes === true);
  const { kid } = await withDatabase(parsed.values['data-dir'], (database) =>
    rotateSigningKeys(createOperator(), database),
  );
  print(`New tokens are signed by the key ${kid}.`);
}

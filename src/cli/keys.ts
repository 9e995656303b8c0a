/** `assayer keys rotate`: makes a new signing key, which running services start to use by themselves. */
import { rotateSigningKeys } from '#workflows/tokens/signing-keys.ts';
import { createOperator, withDatabase } from './operator-database.ts';
import { parseOptions, createVerbError } from './options.ts';
import { print } from './terminal.ts';

const HELP = `Usage: assayer keys rotate [--data-dir DIR]

Makes a new key that signs tokens from now on. Earlier keys no longer sign but still verify, so every token keeps
working. Running services start to use the new key by themselves.

  --data-dir DIR   where the service keeps its data (DATA_DIR)`;

const guide = { name: 'keys', help: HELP, operands: ['rotate'] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    'data-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  if (parsed === undefined) return;
  const [verb = ''] = parsed.positionals;
  if (verb !== 'rotate') throw createVerbError(guide, verb, ['rotate']);
  const { kid } = await withDatabase(parsed.values['data-dir'], (database) =>
    rotateSigningKeys(createOperator(), database),
  );
  print(`New tokens are signed by the key ${kid}.`);
}

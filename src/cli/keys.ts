/** `assayer keys rotate`: makes a new signing key, which running services start to use by themselves. */
import { rotateSigningKeys } from '#features/tokens/signing-keys.ts';
import { askOnTerminal } from './confirm.ts';
import { createOperator, withDatabase } from './open-database.ts';
import { DATA_DIR, type Parsed } from './options.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'keys',
  usage: ['rotate [--yes] [--data-dir DIR]'],
  about: `Makes a new key that signs tokens from now on. Earlier keys no longer sign but still verify, so every token keeps
working. Running services start to use the new key by themselves. An earlier key never signs again, so at a terminal it
asks first.`,
  options: { yes: 'do not ask', ...DATA_DIR },
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  await askOnTerminal('Sign new tokens by a new key from now on?', values.yes === true);
  const { kid } = await withDatabase(values['data-dir'], (database) =>
    rotateSigningKeys(createOperator(), database),
  );
  print(`New tokens are signed by the key ${kid}.`);
}

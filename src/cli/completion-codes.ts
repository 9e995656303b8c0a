/** `assayer completion codes`: what the scripts of shells ask for at each Tab, so that it loads little. */
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_OPTIONS, parseOptions } from './options.ts';
import { print } from './terminal.ts';

const guide = {
  name: 'completion codes',
  operands: [],
  help: 'Usage: assayer completion codes\n\nPrints the codes of your latest experiments.',
};

/** Prints nothing where no service answers: a completion never complains. */
export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, CONNECTION_OPTIONS);
  if (parsed === undefined) return;
  try {
    const api = createApi(requireConnection(parsed.values));
    const path = '/experiments?sort=-created_at&limit=100';
    const { items } = await api.readPage<{ readonly code: string }>(path);
    // Some shells evaluate the words that they complete, so what is no code is no word.
    for (const { code } of items) if (/^[\w-]+$/.test(code)) print(code);
  } catch {
    // The shell completes without codes.
  }
}

/** `assayer completion`: scripts with which a shell completes commands, verbs, options and codes. */
import { createApi } from './api.ts';
import { findKnownConnection } from './connection.ts';
import { listCommandWords, shells } from './completion-words.ts';
import { CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import { print } from './terminal.ts';

const guide = {
  name: 'completion',
  operands: ['SHELL'],
  help: `Usage: assayer completion bash | zsh | fish

Prints a script that completes commands, nouns, verbs, options and the codes of your experiments. Store it once, and
again after an update:

  bash  assayer completion bash > ~/.local/share/bash-completion/completions/assayer
  zsh   assayer completion zsh > "\${fpath[1]}/_assayer"
  fish  assayer completion fish > ~/.config/fish/completions/assayer.fish

"assayer completion codes" prints the codes of your latest experiments, which the scripts ask for.`,
};

const CODES = 100;
const CODE = /^[\w-]+$/;

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, CONNECTION_OPTIONS);
  if (parsed === undefined) return;
  const [shell = ''] = parsed.positionals;
  if (shell === 'codes') return printCodes(parsed.values);
  const write = shells.get(shell);
  if (write === undefined)
    throw createUsageError(guide, `SHELL must be ${[...shells.keys()].join(', ')}; it is "${shell}"`);
  print(write(await listCommandWords()));
}

/** Prints nothing where no service answers: a completion never complains. */
async function printCodes(options: Parameters<typeof findKnownConnection>[0]): Promise<void> {
  try {
    const connection = findKnownConnection(options);
    if (connection === undefined) return;
    const page = await createApi(connection).get<{ readonly items: readonly { readonly code: string }[] }>(
      `/experiments?sort=-created_at&limit=${CODES}`,
    );
    // Some shells evaluate the words that they complete, so what is no code is no word.
    for (const { code } of page.items) if (CODE.test(code)) print(code);
  } catch {
    // The shell completes without codes.
  }
}

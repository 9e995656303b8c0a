/** `assayer completion`: scripts with which a shell completes commands, verbs, options and codes. */
import { listCommandWords, shells } from './completion-words.ts';
import { createUsageError, parseOptions } from './options.ts';
import { print } from './terminal.ts';

const guide = {
  name: 'completion',
  operands: ['SHELL'],
  help: `Usage: assayer completion bash | zsh | fish

Prints a script that completes commands, nouns, verbs, options and the codes of your experiments. Store it once, and
again after an update:

  bash  assayer completion bash > ~/.local/share/bash-completion/completions/assayer
  zsh   assayer completion zsh > "\${fpath[1]}/_assayer"
  fish  assayer completion fish > ~/.config/fish/completions/assayer.fish`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {});
  if (parsed === undefined) return;
  const [shell = ''] = parsed.positionals;
  const write = shells.get(shell);
  if (write === undefined)
    throw createUsageError(guide, `SHELL must be ${[...shells.keys()].join(', ')}; it is "${shell}"`);
  print(write(await listCommandWords()));
}

/** `assayer completion`: scripts with which a shell completes commands, verbs, options, their values and codes. */
import type { Parsed } from './options.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'completion',
  usage: ['bash | zsh | fish'],
  about: `Prints a script that completes commands, nouns, verbs, options with their values, and the codes of your experiments.
Store it once:

  bash  assayer completion bash > ~/.local/share/bash-completion/completions/assayer
  zsh   assayer completion zsh > "\${fpath[1]}/_assayer"
  fish  assayer completion fish > ~/.config/fish/completions/assayer.fish

The shell must find assayer: run "npm link" in its folder once, or put this into the start file of your shell:

  assayer() { npx --prefix FOLDER assayer "$@"; }`,
  options: {},
};

/** Each asks for the words; where there are none, a file may be meant. */
const SCRIPTS: ReadonlyMap<string, string> = new Map([
  [
    'bash',
    `# Completion of assayer for bash.
_assayer() {
  local IFS=$'\\n'
  COMPREPLY=($(assayer completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o bashdefault -o default -F _assayer assayer`,
  ],
  [
    'zsh',
    `#compdef assayer
# Completion of assayer for zsh.
_assayer() {
  local -a found
  found=(\${(f)"$(assayer completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  found=("\${(@)found//$'\\t'/:}")
  (( $#found )) && _describe 'assayer' found || _files
}
if [ "$funcstack[1]" = "_assayer" ]; then _assayer "$@"; else compdef _assayer assayer; fi`,
  ],
  [
    'fish',
    `# Completion of assayer for fish.
function __assayer_complete
  set -l typed (commandline -opc)
  set -l last (commandline -ct)
  set -l found (assayer completion words -- $typed[2..-1] "$last" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$last"
  end
end
complete -c assayer -f -a '(__assayer_complete)'`,
  ],
]);

export async function run({ positionals }: Parsed<typeof guide>): Promise<void> {
  const [shell = ''] = positionals;
  print(SCRIPTS.get(shell) ?? '');
}

/** What can follow each command, read from its help or made from its operation, so that both never differ. */
import { Writable } from 'node:stream';
import { listCommands } from './commands.ts';
import { createCommand } from './kit.ts';
import { groupVerbs } from './nouns.ts';
import { operationsByWords } from './siblings.ts';
import { getTerminal, runInTerminal } from './terminal.ts';

/** A word with what it does. */
type Choice = readonly [name: string, summary: string];

export interface CommandWords {
  /** Such as `quotes list`; empty for the program itself. */
  readonly words: string;
  readonly following: readonly Choice[];
  readonly options: readonly string[];
  /** Whether the code of an experiment may follow. */
  readonly takesCode: boolean;
}

export async function listCommandWords(): Promise<readonly CommandWords[]> {
  const found = new Map<string, CommandWords>();
  // What is said first of a command stays.
  const add = (words: string, more: Omit<CommandWords, 'words'>): void => {
    const before = found.get(words);
    const following = new Map([...more.following, ...(before?.following ?? [])]);
    found.set(words, { words, ...more, ...before, following: [...following] });
  };
  const commands = listCommands();
  add('', { following: [['help', 'explain a command']], options: ['--help', '--version'], takesCode: false });
  for (const { name, summary, run } of commands) {
    const [word = '', ...others] = name.split(' ').toReversed();
    const before = others.toReversed().join(' ');
    add(before, { following: [[word, summary]], options: ['--help'], takesCode: false });
    add(name, parseHelp(name, await readHelp(run)));
  }
  const verbs = groupVerbs();
  for (const [words, operation] of operationsByWords) {
    const parts = words.split(' ');
    parts.forEach((part, index) => {
      const noun = parts.slice(0, index + 1).join(' ');
      const choice: Choice = [part, verbs.get(noun)?.join(', ') ?? operation.summary];
      add(parts.slice(0, index).join(' '), { following: [choice], options: ['--help'], takesCode: false });
    });
    if (commands.some(({ name, verbs: own }) => name === parts[0] && own.includes(parts[1] ?? ''))) continue;
    const options = ['--help', ...createCommand(words, operation).options.map(({ long }) => long ?? '')];
    add(words, { following: [], options, takesCode: operation.path.includes('{experiment_id}') });
  }
  return [...found.values()];
}

/** Reads the help as a person would. */
export async function readHelp(run: (args: readonly string[]) => Promise<void>): Promise<string> {
  let text = '';
  const stdout = new Writable({ write: (piece, _, done) => ((text += String(piece)), done()) });
  await runInTerminal({ ...getTerminal(), stdout }, () => run(['--help']));
  return text;
}

function parseHelp(name: string, help: string): Omit<CommandWords, 'words'> {
  const usage = help.split('\n\n', 1)[0] ?? '';
  const forms = usage.matchAll(new RegExp(`assayer ${name} ([a-z][a-z-]*(?: \\| [a-z][a-z-]*)*)`, 'g'));
  const verbs = [...forms].flatMap(([, found = '']) => found.split(' | '));
  const options = help.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? [];
  return {
    following: [...new Set(verbs)].map((verb) => [verb, '']),
    options: [...new Set([...options, '--help'])].sort(),
    takesCode: /\bCODE\b/.test(usage),
  };
}

/**
 * The script of each shell: a table of what may follow, and a walk along the words that are typed. Codes are asked for
 * only where a command takes one.
 */
type WriteScript = (commands: readonly CommandWords[]) => string;

const ASK_CODES = 'assayer completion codes 2>/dev/null';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const writeBash: WriteScript = (commands) => `# Completion of assayer for bash.
_assayer_words() {
  case "$1" in
${commands
  .map(({ words, following, options, takesCode }) => {
    const names = following.map(([name]) => name).join(' ');
    return `    '${words}') verbs='${names}'; options='${options.join(' ')}'; codes=${takesCode ? 1 : 0} ;;`;
  })
  .join('\n')}
    *) return 1 ;;
  esac
}
_assayer() {
  local word="\${COMP_WORDS[COMP_CWORD]}" verbs='' options='' codes=0 typed='' at=1 found=''
  _assayer_words ''
  [ "\${COMP_WORDS[1]}" = help ] && [ "$COMP_CWORD" -gt 1 ] && at=2 && verbs="$verbs commands exit-codes"
  while [ "$at" -lt "$COMP_CWORD" ] && _assayer_words "\${typed:+$typed }\${COMP_WORDS[at]}"; do
    typed="\${typed:+$typed }\${COMP_WORDS[at]}"
    at=$((at + 1))
  done
  if [[ $word == -* ]]; then found=$options
  else
    [ "$at" -eq "$COMP_CWORD" ] && found=$verbs
    [ "$codes" -eq 1 ] && found="$found $(${ASK_CODES})"
  fi
  COMPREPLY=($(compgen -W "$found" -- "$word"))
}
complete -o bashdefault -o default -F _assayer assayer`;

const writeZsh: WriteScript = (commands) => `#compdef assayer
# Completion of assayer for zsh.
_assayer_words() {
  case $1 in
${commands
  .map(({ words, following, options, takesCode }) => {
    const verbs = following.map(([name, summary]) => quote(`${name}:${summary.replaceAll(':', '\\:')}`));
    return `    '${words}') verbs=(${verbs.join(' ')}); options=(${options.join(' ')}); codes=${takesCode ? 1 : 0} ;;`;
  })
  .join('\n')}
    *) return 1 ;;
  esac
}
_assayer() {
  local -a verbs options found
  local codes=0 typed='' at=2
  _assayer_words ''
  [[ $words[2] == help ]] && (( CURRENT > 2 )) && at=3 && verbs+=(commands exit-codes)
  while (( at < CURRENT )) && _assayer_words "\${typed:+$typed }$words[at]"; do
    typed="\${typed:+$typed }$words[at]"
    (( at += 1 ))
  done
  if [[ $PREFIX == -* ]]; then
    compadd -a options
    return
  fi
  (( at == CURRENT && $#verbs )) && _describe 'command' verbs
  if (( codes )); then
    found=(\${(f)"$(${ASK_CODES})"})
    compadd -a found
  fi
  (( at == CURRENT && $#verbs )) || _files
}
if [ "$funcstack[1]" = "_assayer" ]; then _assayer "$@"; else compdef _assayer assayer; fi`;

const writeFish: WriteScript = (commands) => `# Completion of assayer for fish.
function __assayer_words
  switch "$argv[1]"
${commands
  .map(({ words, following, options, takesCode }) => {
    const verbs = following.map(([name, summary]) => quote(`${name}\t${summary}`));
    return `    case '${words}'
      set -g __assayer_verbs ${verbs.join(' ')}
      set -g __assayer_options ${options.join(' ')}
      set -g __assayer_codes ${takesCode ? 1 : 0}`;
  })
  .join('\n')}
    case '*'
      return 1
  end
end
function __assayer_complete
  set -l typed (commandline -opc)
  set -e typed[1]
  __assayer_words ''
  if test "$typed[1]" = help
    set -e typed[1]
    set -a __assayer_verbs commands exit-codes
  end
  set -l known
  for word in $typed
    __assayer_words (string join ' ' -- $known $word); or break
    set -a known $word
  end
  if string match -q -- '-*' (commandline -ct)
    printf '%s\\n' $__assayer_options
    return
  end
  if test (count $known) -eq (count $typed); and test (count $__assayer_verbs) -gt 0
    printf '%s\\n' $__assayer_verbs
  else
    __fish_complete_path (commandline -ct)
  end
  test $__assayer_codes -eq 1; and ${ASK_CODES}
end
complete -c assayer -f -a '(__assayer_complete)'`;

export const shells: ReadonlyMap<string, WriteScript> = new Map([
  ['bash', writeBash],
  ['zsh', writeZsh],
  ['fish', writeFish],
]);

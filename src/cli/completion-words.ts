/** What can follow each command, read from its help, so that both never differ. */
import { PassThrough } from 'node:stream';
import { listCommands } from './commands.ts';
import { getTerminal, runInTerminal } from './terminal.ts';

export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow: verbs of the command. */
  readonly verbs: readonly string[];
  readonly options: readonly string[];
  /** Whether the code of an experiment may follow. */
  readonly takesCode: boolean;
}

export async function listCommandWords(): Promise<readonly CommandWords[]> {
  const words: CommandWords[] = [];
  for (const command of listCommands())
    words.push(parseHelp(command.name, command.summary, await readHelp(command.run)));
  return words;
}

/** Reads the help as a person would. */
export async function readHelp(
  run: (args: readonly string[]) => Promise<void>,
  verb?: string,
): Promise<string> {
  const stdout = new PassThrough();
  stdout.setEncoding('utf8');
  const terminal = { ...getTerminal(), stdout };
  await runInTerminal(terminal, () => run([...(verb === undefined ? [] : [verb]), '--help']));
  stdout.end();
  let text = '';
  for await (const piece of stdout) text += String(piece);
  return text;
}

function parseHelp(name: string, summary: string, help: string): CommandWords {
  const usage = help.split('\n\n', 1)[0] ?? '';
  const following = [
    ...usage.matchAll(new RegExp(`assayer ${name} ([a-z][a-z-]*(?: \\| [a-z][a-z-]*)*)`, 'g')),
  ];
  const verbs = following.flatMap(([, found = '']) => found.split(' | '));
  const options = help.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? [];
  return {
    name,
    summary,
    verbs: [...new Set(verbs)],
    options: [...new Set([...options, '--help'])].sort(),
    takesCode: /\bCODE\b/.test(usage),
  };
}

/** The script of each shell. Codes are asked for only where a command takes one. */

type WriteScript = (commands: readonly CommandWords[]) => string;

const ASK_CODES = 'assayer completion codes 2>/dev/null';

/** Within single quotes of a shell. */
function quote(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

function writeBash(commands: readonly CommandWords[]): string {
  const cases = commands.map(({ name, verbs, options, takesCode }) => {
    const words = `    ${name}) verbs='${verbs.join(' ')}'; options='${options.join(' ')}'; codes=${takesCode ? 1 : 0} ;;`;
    return words;
  });
  return `# Completion of assayer for bash.
_assayer() {
  local word=\${COMP_WORDS[COMP_CWORD]} verbs='' options='' codes=0 found=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} help --help --version' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) verbs='${commands.map(({ name }) => name).join(' ')}' ;;
  esac
  if [[ $word == -* ]]; then found=$options
  else
    [ "$COMP_CWORD" -eq 2 ] && found=$verbs
    [ "$codes" -eq 1 ] && found="$found $(${ASK_CODES})"
  fi
  COMPREPLY=($(compgen -W "$found" -- "$word"))
  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -F _assayer assayer`;
}

function writeZsh(commands: readonly CommandWords[]): string {
  const described = commands.map(
    ({ name, summary }) => `    '${name}:${quote(summary.replaceAll(':', '\\:'))}'`,
  );
  const cases = commands.map(
    ({ name, verbs, options, takesCode }) =>
      `    ${name}) verbs=(${verbs.join(' ')}); options=(${options.join(' ')}); codes=${takesCode ? 1 : 0} ;;`,
  );
  return `#compdef assayer
# Completion of assayer for zsh.
_assayer() {
  local -a names verbs options found
  local codes=0
  names=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' names
    return
  fi
  case $words[2] in
${cases.join('\n')}
    help) verbs=(\${names%%:*}) ;;
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -a options
    return
  fi
  (( CURRENT == 3 )) && compadd -a verbs
  if (( codes )); then
    found=(\${(f)"$(${ASK_CODES})"})
    compadd -a found
  fi
  _files
}
if [ "$funcstack[1]" = "_assayer" ]; then _assayer "$@"; else compdef _assayer assayer; fi`;
}

function writeFish(commands: readonly CommandWords[]): string {
  const lines = ['# Completion of assayer for fish.', 'complete -c assayer -n __fish_use_subcommand -f'];
  for (const { name, summary, verbs, options, takesCode } of commands) {
    lines.push(`complete -c assayer -n __fish_use_subcommand -f -a '${name}' -d '${quote(summary)}'`);
    const isSeen = `'__fish_seen_subcommand_from ${name}'`;
    if (verbs.length > 0) lines.push(`complete -c assayer -n ${isSeen} -a '${verbs.join(' ')}'`);
    if (takesCode) lines.push(`complete -c assayer -n ${isSeen} -a '(${ASK_CODES})'`);
    for (const option of options) lines.push(`complete -c assayer -n ${isSeen} -l ${option.slice(2)}`);
  }
  return lines.join('\n');
}

export const shells: ReadonlyMap<string, WriteScript> = new Map([
  ['bash', writeBash],
  ['zsh', writeZsh],
  ['fish', writeFish],
]);

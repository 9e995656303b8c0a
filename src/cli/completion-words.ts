/** What can follow each command, read from its help, so that both never differ. */
import { PassThrough } from 'node:stream';
import { listCommands } from './commands.ts';
import { listNames } from './list-names.ts';
import { getTerminal, runInTerminal } from './terminal.ts';

export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow: verbs of the command, or the lists of `list`. */
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
  const listed = name === 'list' ? listNames : verbs;
  const options = help.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? [];
  return {
    name,
    summary,
    verbs: [...new Set(listed)],
    options: [...new Set([...options, '--help'])].sort(),
    takesCode: /\bCODE\b/.test(usage),
  };
}

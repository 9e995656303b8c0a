/** Asks before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { CommandError, EXIT } from './command-error.ts';
import { getTerminal } from './terminal.ts';

/** Returns once the person at a terminal agrees; a script, where nobody can answer, goes on. */
export async function askOnTerminal(question: string, isAgreed: boolean): Promise<void> {
  if (getTerminal().stdin.isTTY === true) await requireConsent(question, isAgreed);
}

/** Returns once the person agrees; `--yes` agrees in advance, and where nobody can answer it is required. */
export async function requireConsent(question: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return;
  const { stdin, stderr } = getTerminal();
  if (stdin.isTTY !== true)
    throw new CommandError(`${question} Nothing was changed: nobody can answer here, so add --yes.`, 2);
  const reader = createInterface({ input: stdin, output: stderr });
  const ended = new AbortController();
  let exitCode: number = EXIT.failed;
  reader.once('SIGINT', () => {
    exitCode = EXIT.interrupted;
    reader.close();
  });
  reader.once('close', () => ended.abort());
  // Ctrl+C and Ctrl+D close the reader without an answer, behind which no line ends.
  const answer = await reader.question(`${question} (yes/no) `, ended).catch(() => '\n');
  reader.close();
  if (!/^y(?:es)?$/i.test(answer.trim()))
    throw new CommandError(`${answer === '\n' ? answer : ''}Nothing was changed.`, exitCode);
}

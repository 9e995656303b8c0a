/**
 * The command line as a process: `assayer <command>`.
 * This folder: the commands, one file each, and what they share. Not here: rules and SQL; a command of a client uses
 * the API alone.
 */
import { findClientCommand, runCommand } from './commands.ts';
import { nameSourcesInStacks } from './source-stacks.ts';

const INTERRUPTED = 130;
nameSourcesInStacks();
const args = process.argv.slice(2);
const command = findClientCommand(args);
if (command !== undefined) stopQuietly(command.cleansUp === true);
const exitCode = await runCommand(args);
if (exitCode !== 0) process.exitCode = exitCode;

/** Ctrl+C ends a client command without a stack trace. A reader of our output may close it early, as `head` does. */
function stopQuietly(cleansUp: boolean): void {
  const exitInterrupted = (): void => {
    if (process.stderr.isTTY) process.stderr.write('\n');
    process.exit(INTERRUPTED);
  };
  if (!cleansUp) process.once('SIGINT', exitInterrupted);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  // Both streams may go into one pipe; a note that nobody reads does not change the outcome.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

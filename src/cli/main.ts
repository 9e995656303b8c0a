/**
 * The command line as a process: `assayer <command>`.
 * This folder: the commands, one file each, and what they share. Not here: rules and SQL; a command of a client uses
 * the API alone.
 */
import { readFileSync } from 'node:fs';
import { readEnvironment } from '#settings/environment.ts';
import { findClientCommand, runCommand } from './commands.ts';
import { nameSourcesInStacks } from './source-stacks.ts';

const INTERRUPTED = 130;
const LOOK_EVERY_MS = 250;
/** "bin/assayer.mjs start" of package.json, or "'assayer'" of npx. A script with "&" wants us to outlive npm. */
const OF_NPM = /^["']?(?:bin\/assayer\.mjs|assayer)\b[^&]*$/;
/** Set by bin/assayer.mjs where it is our parent. */
const ENDS_WITH_PARENT = 'ASSAYER_ENDS_WITH_PARENT';

nameSourcesInStacks();
const { npm_lifecycle_script: ofNpm = '', [ENDS_WITH_PARENT]: ofOldNode } = readEnvironment();
if (OF_NPM.test(ofNpm) || ofOldNode !== undefined) followParents();
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

/**
 * Under "npm start" and "npx assayer" the process that people and supervisors see, and kill, is npm's. It cannot pass on
 * kill -9, so that we look whether our parents are still the ones we started with.
 */
function followParents(): void {
  const before = listParents();
  const timer = setInterval(() => {
    if (listParents() === before) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** Our parent, and its own where a shell that npm started stands between; some shells replace themselves. */
function listParents(): string {
  const { ppid } = process;
  try {
    const shell = /^\d+ \((?:sh|dash|ash|bash)\) \S (\d+) /.exec(readFileSync(`/proc/${ppid}/stat`, 'utf8'));
    return `${ppid} ${shell?.[1] ?? ''}`;
  } catch {
    // No /proc, or the parent went this moment: its number will have changed too.
    return `${ppid}`;
  }
}

/**
 * The command line as a process: `assayer <command>`.
 * This folder: the commands, one file each, and what they share. Not here: rules and SQL; a command of a client uses
 * the API alone.
 */
import { readFileSync } from 'node:fs';
import { readEnvironment } from '#settings/environment.ts';
import { findCommand, runCommand } from './commands.ts';
import { describeDefect, EXIT, SIGNALS } from './command-error.ts';
import { nameSourcesInStacks } from '#composition/source-stacks.ts';

const LOOK_EVERY_MS = 250;
/** "bin/assayer.mjs start" of package.json, or "'assayer'" of npx. A script with "&" wants us to outlive npm. */
const OF_NPM = /^["']?(?:bin\/assayer\.mjs|assayer)\b[^&]*$/;
/** Set by bin/assayer.mjs where it is our parent. */
const ENDS_WITH_PARENT = 'ASSAYER_ENDS_WITH_PARENT';

nameSourcesInStacks();
const { npm_lifecycle_script: ofNpm = '', [ENDS_WITH_PARENT]: ofOldNode } = readEnvironment();
if (OF_NPM.test(ofNpm) || ofOldNode !== undefined) followParents();
const args = process.argv.slice(2);
const { cleansUp, isClient, isServer } = findCommand(args);
if (!isServer) stopWithReaders();
if (isClient && !cleansUp)
  // A command that goes on first says what it leaves behind.
  for (const signal of SIGNALS) process.once(signal, () => setImmediate(exitInterrupted));
const exitCode = await runCommand(args).catch((error: unknown) => {
  process.stderr.write(`${describeDefect(error, args)}\n`);
  return EXIT.failed;
});
if (exitCode === EXIT.interrupted) process.exit(exitCode);
if (exitCode !== EXIT.done) process.exitCode = exitCode;

/** A signal ends a client command without a stack trace, and what it has begun to write is removed. */
function exitInterrupted(): void {
  if (process.stderr.isTTY) process.stderr.write('\n');
  process.exit(EXIT.interrupted);
}

/** A reader of our output may close it early, as `head` does, and the file that it goes to may not grow any more. */
function stopWithReaders(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    process.stderr.write(`Standard output cannot be written: ${error.message}.\n`);
    process.exit(EXIT.failed);
  });
  // Both streams may go into one pipe; a note that nobody reads does not change the outcome.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(EXIT.failed);
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

/**
 * Stops the postmaster when the service dies without a word, as by a kill of the kernel that was short of memory. The
 * watcher is a shell, so it takes hardly any memory itself; it waits for the end of a pipe that only the service holds.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { getMessage } from './errors.ts';

/** A fast shutdown, then an immediate one, then a kill; only of the process that the file of the cluster still names. */
const SCRIPT = `
postmaster=$1
file=$2
read -r word && exit 0
is_running() {
  read -r pid 2>/dev/null <"$file" && [ "$pid" = "$postmaster" ] && kill -0 "$postmaster" 2>/dev/null
}
for signal in INT QUIT KILL; do
  is_running || exit 0
  kill -s "$signal" "$postmaster"
  seconds=0
  while is_running && [ "$seconds" -lt 10 ]; do
    sleep 1
    seconds=$((seconds + 1))
  done
done
`;

export interface Watcher {
  /** Once the postmaster has ended. */
  stop(): void;
}

/** Watches until the end of this process or of the watch. */
export function watchOver(
  postmaster: number,
  { clusterDir, log }: { readonly clusterDir: string; readonly log: (message: string) => void },
): Watcher {
  const args = [
    '-c',
    SCRIPT,
    'assayer-database-watcher',
    String(postmaster),
    join(clusterDir, 'postmaster.pid'),
  ];
  // A session of its own: what ends the terminal or the process group of the service must not end it.
  const child = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  child.once('error', (error) => {
    log(`Nothing will stop the database if the service is killed: ${getMessage(error)}`);
  });
  // The watcher may have ended already, and then nobody reads.
  child.stdin.on('error', () => undefined);
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return { stop: () => child.stdin.end('end\n') };
}

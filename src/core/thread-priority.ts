/** The priority of threads that compute, beside the thread that answers requests. */
import { getPriority, setPriority } from 'node:os';

/** Added to the nice value of a thread; a processor without other work is theirs as before. */
const GIVES_WAY = 5;
/** The least favorable nice value of Linux (setpriority(2)). */
const LAST = 19;

/**
 * Lets this worker thread give way to the threads that answer requests.
 *
 * Only Linux gives a thread a priority of its own (setpriority(2), "C library/kernel differences"); elsewhere the
 * call would slow down the whole process, so nothing is done there.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    // From where the process stands: only an administrator may go back towards the front.
    setPriority(Math.min(LAST, getPriority() + GIVES_WAY));
  } catch {
    // A filter of system calls may refuse this (systemd's ~@resources): the thread computes beside the others.
  }
}

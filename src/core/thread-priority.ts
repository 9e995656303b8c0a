/** The priority of threads that compute, beside the thread that answers requests. */
import { setPriority } from 'node:os';

/** What Linux adds to the nice value of a thread; a processor without other work is theirs as before. */
const COMPUTING = 5;

/**
 * Lets this worker thread give way to the threads that answer requests.
 *
 * Only Linux gives a thread a priority of its own (setpriority(2), "C library/kernel differences"); elsewhere the
 * call would slow down the whole process, so nothing is done there.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(0, COMPUTING);
}

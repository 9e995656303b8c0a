/** The shells that stop an embedded database when its service dies. */
import { readdirSync, readFileSync } from 'node:fs';

/** Their pids, of the databases below the directory; only on Linux. */
export function listWatchers(directory: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
        return command.includes('assayer-database-watcher') && command.includes(directory);
      } catch {
        return false;
      }
    })
    .map(Number);
}

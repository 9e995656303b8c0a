/** How slow this machine is now, so that a limit in processor time can be stated for one machine. */

/** What the fixed work takes on the machine for which limits are stated. */
const STATED_MS = 40;
const ROUNDS = 60;
const WORKS = 5;

/** Processor time of this thread since `before`. */
export function measureMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Does what a service does most: it makes objects, writes them and reads them. */
function workFixedly(): number {
  let letters = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = Array.from({ length: 500 }, (_, row) => ({
      id: `row-${row}`,
      place: row,
      words: ['a', 'b'],
    }));
    const read: unknown = JSON.parse(JSON.stringify(rows));
    letters += JSON.stringify(read).length;
  }
  return letters;
}

/** Processor time of the fixed work, the longest of some: what others do to the caches of a processor varies. */
export function measureFixedWorkMs(): number {
  const times = Array.from({ length: WORKS }, () => {
    const start = process.threadCpuUsage();
    workFixedly();
    return measureMs(start);
  });
  return Math.max(...times);
}

/** By how much a limit grows on a machine where the fixed work took so long; never less than 1. */
export function computeSlowness(fixedWorkMs: number): number {
  return Math.max(1, fixedWorkMs / STATED_MS);
}

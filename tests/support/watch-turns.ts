/**
 * Loaded into a service before its sources: records the longest turn of its event loop by processor time. SIGUSR2 begins
 * anew; at the end of the process the record is written to the file that `ASSAYER_TURNS_FILE` names.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export interface TurnRecord {
  /** Processor time of the longest turn since the last SIGUSR2. */
  readonly longestMs: number;
  readonly turns: number;
  /** Processor time of `workFixedly` in the same process, the longest of some: what others do to its caches varies. */
  readonly fixedWorkMs: number;
}

const file = process.env['ASSAYER_TURNS_FILE'];
const FIXED_ROUNDS = 60;
const FIXED_WORKS = 5;

function measureMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Does what a service does most: it makes objects, writes them and reads them. */
function workFixedly(): number {
  let letters = 0;
  for (let round = 0; round < FIXED_ROUNDS; round += 1) {
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

function watch(target: string): void {
  let longestMs = 0;
  let turns = 0;
  let before = process.threadCpuUsage();
  // A timer that is due fires once in each turn, so that what was used since the last one is at most one turn more than 1 ms.
  const tick = (): void => {
    longestMs = Math.max(longestMs, measureMs(before));
    turns += 1;
    before = process.threadCpuUsage();
    setTimeout(tick, 1).unref();
  };
  setTimeout(tick, 1).unref();
  process.on('SIGUSR2', () => {
    longestMs = 0;
    turns = 0;
    before = process.threadCpuUsage();
  });
  process.on('exit', () => {
    const times = Array.from({ length: FIXED_WORKS }, () => {
      const start = process.threadCpuUsage();
      workFixedly();
      return measureMs(start);
    });
    const record: TurnRecord = { longestMs, turns, fixedWorkMs: Math.max(...times) };
    writeFileSync(target, JSON.stringify(record));
  });
}

if (isMainThread && file !== undefined) watch(file);

/**
 * Loaded into a service before its sources: records the longest turn of its event loop by processor time. SIGUSR2 begins
 * anew; at the end of the process the record is written to the file that `ASSAYER_TURNS_FILE` names.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { measureFixedWorkMs, measureMs } from './fixed-work.ts';

export interface TurnRecord {
  /** Processor time of the longest turn since the last SIGUSR2. */
  readonly longestMs: number;
  readonly turns: number;
  /** Processor time of the fixed work in the same process. */
  readonly fixedWorkMs: number;
}

const file = process.env['ASSAYER_TURNS_FILE'];

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
    const record: TurnRecord = { longestMs, turns, fixedWorkMs: measureFixedWorkMs() };
    writeFileSync(target, JSON.stringify(record));
  });
}

if (isMainThread && file !== undefined) watch(file);

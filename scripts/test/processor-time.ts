/** How much processor time each test file used: unlike its duration, it is nearly the same beside other work. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Names the file that the processes of one run append their lines to. */
export const PROCESSOR_TIME_VARIABLE = 'ASSAYER_PROCESSOR_TIME_LOG';
const TICKS_PER_SECOND = 100;
/** Where `/proc/self/stat` holds the time of children that have ended, counted from the field after the name. */
const CHILD_USER_FIELD = 13;
const CHILD_SYSTEM_FIELD = 14;

/** Seconds of this process, its threads, and its children that have ended; children count on Linux only. */
export function readProcessorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + readChildSeconds();
}

function readChildSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[CHILD_USER_FIELD]) + Number(fields[CHILD_SYSTEM_FIELD])) / TICKS_PER_SECOND;
}

export function writeProcessorSeconds(file: string, seconds: number): void {
  const log = process.env[PROCESSOR_TIME_VARIABLE];
  if (log !== undefined) appendFileSync(log, `${JSON.stringify({ file, seconds })}\n`);
}

/** What the processes of a run wrote, by file. */
export function readProcessorTimes(log: string): ReadonlyMap<string, number> {
  if (!existsSync(log)) return new Map();
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((line): [string, number] => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what writeProcessorSeconds wrote
      const { file, seconds } = JSON.parse(line) as { readonly file: string; readonly seconds: number };
      return [file, seconds];
    }),
  );
}

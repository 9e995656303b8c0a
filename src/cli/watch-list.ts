/** `--watch` of a list: `watchList` repaints its table on a terminal, and elsewhere prints a line for each change. */
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#core/clock.ts';
import { isPassing } from './command-error.ts';
import { getPalette, getTerminal, print, printNote, shortenText, type Output } from './terminal.ts';
import { formatLocalTime } from './words.ts';

const EVERY_MS = 2_000;
const TROUBLE_MAX_MS = 120_000;
const USUAL_SIZE = { columns: 80, rows: 24 };

export type Change = 'added' | 'changed' | 'removed';

export interface WatchedList<Item> {
  /** Reads the list as it is now. */
  readonly read: () => Promise<readonly Item[]>;
  /** What an item keeps while it changes, such as its id. */
  readonly getKey: (item: Item) => string;
  /** The whole list as lines that fit the terminal, such as those of `layTable`. */
  readonly layOut: (items: readonly Item[]) => readonly string[];
  /** One item as one line without control characters, for a file or a pipe; undefined leaves the change out. */
  readonly formatLine: (item: Item, change: Change) => string | undefined;
  /** Lines on a terminal, too. */
  readonly isLines?: boolean;
  /** The time between two reads, 2 s by default. */
  readonly everyMs?: number;
  /** Ends the watching; Ctrl+C ends the command with exit code 130 without it. */
  readonly signal?: AbortSignal;
}

/**
 * Watches a list until Ctrl+C. On a terminal the table is painted over itself. Elsewhere every item is a line at first,
 * and then each that is added, changed or removed. A service that is away for less than two minutes is waited for.
 */
export async function watchList<Item>(list: WatchedList<Item>): Promise<void> {
  const { everyMs = EVERY_MS, signal } = list;
  const { stdout } = getTerminal();
  const isPainted = !list.isLines && stdout.isTTY === true && getTerminal().environment['TERM'] !== 'dumb';
  const show = isPainted ? createPainter(list, stdout) : createLinePrinter(list);
  show(await list.read());
  let answeredMs = systemClock.readMonotonicMs();
  let isAway = false;
  for (;;) {
    await wait(everyMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    if (signal?.aborted === true) return;
    try {
      show(await list.read());
      answeredMs = systemClock.readMonotonicMs();
      isAway = false;
    } catch (error) {
      if (!isPassing(error) || systemClock.readMonotonicMs() - answeredMs > TROUBLE_MAX_MS) throw error;
      if (!isAway) printNote('The service does not answer; trying again.');
      isAway = true;
    }
  }
}

function createPainter<Item>(list: WatchedList<Item>, stdout: Output): (items: readonly Item[]) => void {
  let height = 0;
  return (items) => {
    const lines = items.length === 0 ? ['Nothing to list.'] : list.layOut(items);
    const shown = lines.slice(0, Math.max(1, (stdout.rows || USUAL_SIZE.rows) - 3));
    const hidden = lines.length - shown.length;
    const at = formatLocalTime(systemClock.now().toISOString(), { withSeconds: true });
    const foot = `${hidden > 0 ? `${hidden} more lines. ` : ''}As of ${at}; Ctrl+C ends.`;
    const dimmed = getPalette(stdout).dim(shortenText(foot, stdout.columns || USUAL_SIZE.columns));
    stdout.write(`${height === 0 ? '' : `\u001B[${height}A`}\r\u001B[J${[...shown, dimmed].join('\n')}\n`);
    height = shown.length + 1;
  };
}

function createLinePrinter<Item>(list: WatchedList<Item>): (items: readonly Item[]) => void {
  let known = new Map<string, { readonly item: Item; readonly text: string }>();
  const tell = (item: Item, change: Change): void => {
    const line = list.formatLine(item, change);
    if (line !== undefined) print(line);
  };
  return (items) => {
    const current = new Map(items.map((item) => [list.getKey(item), { item, text: JSON.stringify(item) }]));
    for (const [key, { item, text }] of current) {
      const before = known.get(key);
      if (before === undefined) tell(item, 'added');
      else if (before.text !== text) tell(item, 'changed');
    }
    for (const [key, { item }] of known) if (!current.has(key)) tell(item, 'removed');
    known = current;
  };
}

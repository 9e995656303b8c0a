/**
 * Progress of long work: one line on standard error that renews itself, with rate and remaining time; nothing where
 * standard error is no terminal.
 */
import { systemClock } from '#core/clock.ts';
import { formatDuration } from './numbers.ts';
import {
  drawBar,
  drawSpinner,
  getPalette,
  getTerminal,
  LiveLine,
  measureWidth,
  shortenText,
} from './terminal.ts';

const TICK_MS = 100;
/** What takes less time shows nothing, so that no line flashes by. */
const SHOWN_AFTER_MS = 300;
/** The rate is that of the last seconds. */
const WINDOW_MS = 5_000;
const RATE_AFTER_MS = 500;
const BAR_WIDTH = 20;
/** Below this width the numbers stand without a bar. */
const BAR_FROM_WIDTH = 70;
const USUAL_WIDTH = 80;

/** Such as `3.1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes >= 1e3 ? `${(bytes / 1e3).toFixed(0)} kB` : `${bytes} B`;
}

export interface ProgressOptions {
  readonly label: string;
  /** `bytes`, or a noun of what is counted, such as `results`. */
  readonly unit: string;
  readonly readNowMs?: () => number;
}

export class Progress {
  readonly #live = new LiveLine();
  readonly #options: Required<ProgressOptions>;
  readonly #startMs: number;
  #samples: { readonly atMs: number; readonly done: number }[] = [];
  #drawnMs = -Infinity;

  constructor({ readNowMs = () => systemClock.readMonotonicMs(), ...options }: ProgressOptions) {
    this.#options = { ...options, readNowMs };
    this.#startMs = readNowMs();
  }

  /** Says how much is done; `total` is missing where nobody knows it. */
  report(done: number, total?: number): void {
    if (!this.#live.isLive) return;
    const nowMs = this.#options.readNowMs();
    this.#samples.push({ atMs: nowMs, done });
    if (nowMs - this.#startMs < SHOWN_AFTER_MS || nowMs - this.#drawnMs < TICK_MS) return;
    this.#drawnMs = nowMs;
    this.#samples = this.#samples.filter(({ atMs }) => atMs >= nowMs - WINDOW_MS);
    this.#draw(done, total);
  }

  clear(): void {
    this.#live.clear();
  }

  #draw(done: number, total: number | undefined): void {
    const { label, unit } = this.#options;
    const { cyan, dim } = getPalette(getTerminal().stderr);
    const width = getTerminal().stderr.columns || USUAL_WIDTH;
    const words = describeAmount(unit, done, total, this.#computeRate());
    const hasBar = total !== undefined && total > 0 && width >= BAR_FROM_WIDTH;
    const room = width - measureWidth(words) - (hasBar ? BAR_WIDTH + 2 : 0) - 3;
    const shown = shortenText(label, Math.max(8, room));
    this.#live.draw([
      [`${shown}  `, dim],
      ...(hasBar ? [[`${drawBar(done / total, BAR_WIDTH)}  `, cyan] as const] : []),
      [words, dim],
    ]);
  }

  /** How much is done in a second; undefined while too little is known. */
  #computeRate(): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const spanMs = last.atMs - first.atMs;
    return spanMs < RATE_AFTER_MS || last.done <= first.done
      ? undefined
      : ((last.done - first.done) / spanMs) * 1_000;
  }
}

/** Such as `12.3 MB of 40.0 MB · 3.1 MB/s · 0:09 left`. */
function describeAmount(unit: string, done: number, total?: number, rate?: number): string {
  const isBytes = unit === 'bytes';
  const format = (amount: number): string => (isBytes ? formatBytes(amount) : amount.toLocaleString('en-US'));
  const amount = total === undefined ? format(done) : `${format(done)} of ${format(total)}`;
  return [
    isBytes ? amount : `${amount} ${unit}`,
    ...(isBytes && rate !== undefined ? [`${formatBytes(Math.round(rate))}/s`] : []),
    ...(rate !== undefined && total !== undefined && total > done
      ? [`${formatDuration(((total - done) / rate) * 1_000)} left`]
      : []),
  ].join(' · ');
}

/** Shows that something is waited for until the work ends: for how long, or how long it may still take. */
export async function showWait<Answer>(
  label: string,
  work: Promise<Answer>,
  limitMs?: number,
): Promise<Answer> {
  const live = new LiveLine();
  if (!live.isLive) return work;
  const startMs = systemClock.readMonotonicMs();
  const { cyan, dim } = getPalette(getTerminal().stderr);
  let tick = 0;
  const timer = setInterval(() => {
    const sinceMs = systemClock.readMonotonicMs() - startMs;
    if (sinceMs < SHOWN_AFTER_MS) return;
    live.draw([
      [`${drawSpinner(tick++)} `, cyan],
      [`${label}  ${formatWait(sinceMs, limitMs)}`, dim],
    ]);
  }, TICK_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    live.clear();
  }
}

/** The time since a beginning, or until a limit, such as `0:42` or `9:18 left`. */
export function formatWait(sinceMs: number, limitMs = Infinity): string {
  return limitMs === Infinity
    ? formatDuration(sinceMs)
    : `${formatDuration(Math.max(0, limitMs - sinceMs))} left`;
}

/** The screen of the demo, on standard error: finished steps line by line, and one moving line below them. */
import { setInterval } from 'node:timers';
import { systemClock } from '#core/clock.ts';
import { computeProgress, formatTurn, type Experiment, type Watcher } from './follow.ts';
import type { Update } from './update-stream.ts';
import { formatStatus } from './words.ts';
import { formatDuration } from './numbers.ts';
import {
  drawBar,
  LiveLine,
  printNote,
  getPalette,
  toPlainText,
  drawSpinner,
  getTerminal,
  wrapText,
} from './terminal.ts';

const LABEL_WIDTH = 17;
const LINE_WIDTH = 100;
const BAR_WIDTH = 24;
const TICK_MS = 100;
/** Time constant of the bar within a step of unknown length. */
const CREEP_MS = 2_500;
const STEP_SHARE = 1 / 8;

export class DemoScreen {
  readonly #live = new LiveLine();
  readonly #palette = getPalette(getTerminal().stderr);
  #tick = 0;

  print(text = ''): void {
    this.#live.clear();
    printNote(text);
  }

  printHeading(text: string): void {
    this.print(this.#palette.bold(text));
  }

  /** Prints a paragraph in lines that fit the terminal. */
  printAside(text: string): void {
    const { columns } = getTerminal().stderr;
    for (const line of wrapText(text, Math.min(columns || LINE_WIDTH, LINE_WIDTH)))
      this.print(this.#palette.dim(line));
  }

  printDone(label: string, detail: string): void {
    const { green, dim } = this.#palette;
    this.print(`  ${green('✓')} ${toPlainText(label).padEnd(LABEL_WIDTH)} ${dim(toPlainText(detail))}`);
  }

  /** Shows progress until the work is done. */
  async showDuring<Answer>(label: string, work: Promise<Answer>): Promise<Answer> {
    const { cyan, dim } = this.#palette;
    const timer = setInterval(() => {
      this.#live.draw([
        [`  ${drawSpinner(this.#tick++)} `, cyan],
        [label, dim],
      ]);
    }, TICK_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      this.#live.clear();
    }
  }

  /** Watches the experiment and prints the updates for which `isNews` is true. */
  createWatcher(isNews: (update: Update) => boolean): Watcher {
    const readNowMs = (): number => systemClock.readMonotonicMs();
    let status = '';
    let sinceMs = readNowMs();
    return {
      onUpdate: (update, experiment) => {
        if (isNews(update))
          this.printDone(update.name, update.description ?? describeState(update, experiment));
      },
      onTick: (experiment, elapsedMs) => {
        if (experiment.status !== status) sinceMs = readNowMs();
        ({ status } = experiment);
        const within = 1 - Math.exp((sinceMs - readNowMs()) / CREEP_MS);
        this.#drawProgress(experiment, computeProgress(experiment) + STEP_SHARE * within, elapsedMs);
      },
      onTrouble: (sentence) => this.#live.draw([[`  ${sentence}`, this.#palette.yellow]]),
    };
  }

  close(): void {
    this.#live.clear();
  }

  #drawProgress(experiment: Experiment, share: number, elapsedMs: number): void {
    const { cyan, bold, dim } = this.#palette;
    this.#live.draw([
      [`  ${drawSpinner(this.#tick++)} `, cyan],
      [drawBar(share, BAR_WIDTH), cyan],
      [`  ${formatDuration(elapsedMs)}  `, dim],
      [formatStatus(experiment.status), bold],
      [`  ${toPlainText(formatTurn(experiment))}`, dim],
    ]);
  }
}

/** What an update without words of its own leads to: the next step, or the end. */
function describeState({ status }: Update, experiment: Experiment): string {
  if (status !== experiment.status) return '';
  return status === 'done' ? formatStatus(status) : experiment.waiting_on.awaiting;
}

/** `assayer watch`: prints the updates of an experiment as they happen. */
import { formatCount } from '#core/words.ts';
import { connect } from './api.ts';
import { CommandError } from './command-error.ts';
import { followExperiment, computeProgress, formatTurn, type Experiment, type Watcher } from './follow.ts';
import { describeUpdate, type Update } from './update-stream.ts';
import { formatLocalTime, formatStatus } from './words.ts';
import { CONNECTION, type Parsed, createUsageError } from './options.ts';
import { formatWait } from './progress.ts';
import {
  drawBar,
  LiveLine,
  printNote,
  getPalette,
  toPlainText,
  print,
  drawSpinner,
  type Palette,
  getTerminal,
} from './terminal.ts';

export const guide = {
  name: 'watch',
  usage: ['CODE [--timeout SECONDS] [--json]'],
  operands: ['CODE of an experiment ("assayer experiments list --watch" shows all)'],
  about: `Shows every update of an experiment and who acts next, until it is done. Ends with 0 when the results are
released, with 1 when the experiment was canceled. "assayer experiments list --watch" shows all experiments.`,
  options: {
    'timeout SECONDS': 'give up after this time, with exit code 1',
    json: 'one JSON object per line',
    ...CONNECTION,
  },
  examples: [
    'watch DEMO-001-004',
    'watch DEMO-001-004 --timeout 3600 && assayer results DEMO-001-004 --csv > results.csv',
  ],
};
const BAR_WIDTH = 20;

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const [code = ''] = positionals;
  const api = connect(values);
  const seconds = values.timeout === undefined ? Infinity : Number(values.timeout);
  if (!(seconds > 0)) throw createUsageError(guide, '--timeout must be a positive number of seconds');
  const live = new LiveLine();
  const isShown = live.isLive && getTerminal().stdout.isTTY === true;
  const watcher =
    values.json === true
      ? {
          ...createLineWatcher(),
          onUpdate: (update: Update) => print(JSON.stringify(update)),
          onTick: () => undefined,
        }
      : isShown
        ? createLiveWatcher(live, seconds * 1_000)
        : createLineWatcher();
  try {
    const { status } = await followExperiment(api, code, watcher, seconds * 1_000);
    if (status === 'canceled') throw new CommandError(`${toPlainText(code)} was canceled.`);
  } finally {
    live.clear();
  }
}

/** Prints one line per update, and one whenever the next actor changes. */
function createLineWatcher(): Watcher {
  const tellTurn = onChange((sentence) => printNote(`  next, ${sentence}`));
  const tellTask = onChange((sentence) => printNote(`  ${sentence}`));
  return {
    onUpdate(update) {
      print([update.timestamp, ...describeUpdate(update)].join('  '));
    },
    onTick(experiment) {
      const { actor } = experiment.waiting_on;
      tellTurn(actor === null || actor === 'client' ? undefined : formatTurn(experiment));
      tellTask(describeTask(experiment));
    },
    onTrouble: onChange(printNote),
  };
}

/** Creates a timeline that grows upward above one moving line. */
function createLiveWatcher(live: LiveLine, limitMs: number): Watcher {
  const palette = getPalette(getTerminal().stdout);
  let tick = 0;
  let hasTitle = false;
  const tellTask = onChange((sentence) => {
    live.clear();
    print(palette.yellow(`→ ${sentence}`));
  });
  return {
    onUpdate(update, experiment) {
      live.clear();
      if (!hasTitle) print(palette.bold(formatTitle(experiment)));
      hasTitle = true;
      print(writeTimelineEntry(update, palette));
    },
    onTick(experiment, sinceMs) {
      tellTask(describeTask(experiment));
      tick++;
      drawProgress(live, experiment, { sinceMs, limitMs, tick });
    },
    onTrouble(sentence) {
      live.draw([[sentence, palette.yellow]]);
    },
  };
}

function drawProgress(
  live: LiveLine,
  experiment: Experiment,
  { sinceMs, limitMs, tick }: { readonly sinceMs: number; readonly limitMs: number; readonly tick: number },
): void {
  const palette = getPalette(getTerminal().stderr);
  live.draw([
    [`${drawSpinner(tick)} `, palette.cyan],
    [drawBar(computeProgress(experiment), BAR_WIDTH), palette.cyan],
    [`  ${formatWait(sinceMs, limitMs)}  `, palette.dim],
    [formatStatus(experiment.status), palette.bold],
    [`  ${toPlainText(formatTurn(experiment))}`, palette.dim],
  ]);
}

function formatTitle({ code, name, sequences }: Experiment): string {
  const parts = [code, name ?? '', formatCount(sequences.length, 'sequence')];
  return parts
    .filter((part) => part !== '')
    .map(toPlainText)
    .join(' · ');
}

function writeTimelineEntry(update: Update, palette: Palette): string {
  const [name = '', detail = ''] = describeUpdate(update);
  const mark = update.type === 'error' ? palette.red('✗') : palette.green('✓');
  const time = formatLocalTime(update.timestamp, { withSeconds: true });
  return `${mark} ${palette.dim(time)}  ${name}${detail === '' ? '' : `  ${palette.dim(detail)}`}`;
}

/** Calls `tell` with a sentence when it differs from the one before. */
function onChange(tell: (sentence: string) => void) {
  let lastSentence: string | undefined;
  return (sentence: string | undefined): void => {
    if (sentence !== undefined && sentence !== lastSentence) tell(toPlainText(sentence));
    lastSentence = sentence;
  };
}

/** What the client has to do now, and where; undefined while it is not the client's turn. */
function describeTask({
  waiting_on: turn,
  costs,
  experiment_url: page,
  code,
}: Experiment): string | undefined {
  if (costs?.type === 'invoiced' && costs.status === 'open')
    return `your turn: pay the invoice at ${costs.provider_invoice_url ?? page} (in a sandbox: "assayer accept ${code} --pay")`;
  if (turn.actor !== 'client') return undefined;
  return costs?.type === 'quoted'
    ? `your turn: "assayer accept ${code}" accepts the quote ${costs.provider_quote_url}`
    : `your turn: ${turn.awaiting}, ${page}`;
}

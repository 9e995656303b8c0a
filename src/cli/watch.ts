/** `assayer watch`: prints the updates of an experiment as they happen. */
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { ExperimentListItem } from '#features/experiments/contract.ts';
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { followExperiment, computeProgress, formatTurn, type Experiment, type Watcher } from './follow.ts';
import { layTable, type Column } from './table.ts';
import { describeUpdate, type Update } from './update-stream.ts';
import { watchList } from './watch-list.ts';
import { formatLocalTime, formatStatus, formatTime } from './words.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions, createUsageError } from './options.ts';
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

const HELP = `Usage: assayer watch CODE [--timeout SECONDS] [--json]
       assayer watch [--json]

Shows every update of an experiment and who acts next, until it is done. Ends with 0 when the results are
released, with 1 when the experiment was canceled. Without CODE, it shows the experiments that are not done, until
Ctrl+C; a file or a pipe gets a line for each that changes.

  --timeout SECONDS  give up after this time, with exit code 1
  --json             one JSON object per line

${CONNECTION_HELP}

Examples:
  assayer watch
  assayer watch DEMO-001-004
  assayer watch DEMO-001-004 --timeout 3600 && assayer results DEMO-001-004 --csv > results.csv`;

const guide = { name: 'watch', help: HELP, operands: ['[CODE]'] };
const BAR_WIDTH = 20;

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    timeout: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [code] = positionals;
  const api = createApi(requireConnection(values));
  if (code === undefined) {
    if (values.timeout !== undefined) throw createUsageError(guide, '--timeout goes with CODE');
    return watchExperiments(api, values.json === true);
  }
  const seconds = values.timeout === undefined ? Infinity : Number(values.timeout);
  if (!(seconds > 0)) throw createUsageError(guide, '--timeout must be a positive number of seconds');
  const live = new LiveLine();
  const isShown = live.isLive && getTerminal().stdout.isTTY === true;
  const watcher =
    values.json === true
      ? createJsonWatcher()
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

type Listed = Static<typeof ExperimentListItem>;

const OPEN_EXPERIMENTS = `/experiments?${new URLSearchParams({
  filter: 'not(in(status,done,canceled))',
  sort: '-created_at',
}).toString()}`;

const columns: readonly Column<Listed>[] = [
  { title: 'CODE', getCell: ({ code }) => code },
  { title: 'NAME', getCell: ({ name }) => name ?? '' },
  { title: 'STATUS', getCell: ({ status }) => formatStatus(status) },
  { title: 'SEQUENCES', rank: 3, getCell: ({ sequence_count: count }) => String(count) },
  { title: 'CREATED', rank: 2, getCell: ({ created_at: at }) => formatTime(at) },
];

async function watchExperiments(api: Api, asJson: boolean): Promise<void> {
  const first = await api.list<Listed>(OPEN_EXPERIMENTS);
  if (first.total === 0) printNote('No experiment is open; one that is ordered appears here. Ctrl+C ends.');
  await watchList<Listed>({
    read: async () => (await api.list<Listed>(OPEN_EXPERIMENTS)).items,
    getKey: ({ id }) => id,
    layOut: (items) => layTable(columns, items).lines,
    formatLine: (item, change) => {
      if (asJson) return change === 'removed' ? undefined : JSON.stringify(item);
      const { code, name, status } = item;
      const state = change === 'removed' ? 'no longer open' : formatStatus(status);
      return toPlainText([code, state, name ?? ''].join('  '));
    },
  });
}

function createJsonWatcher(): Watcher {
  return {
    onUpdate: (update) => print(JSON.stringify(update)),
    onTick: () => undefined,
    onTrouble: createOncePrinter(),
  };
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
    onTrouble: createOncePrinter(),
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

function formatTitle(experiment: Experiment): string {
  const parts = [experiment.code, experiment.name, formatCount(experiment.sequences.length, 'sequence')];
  return parts
    .filter((part) => typeof part === 'string' && part !== '')
    .map(toPlainTextOrEmpty)
    .join(' · ');
}

function toPlainTextOrEmpty(text: string | null | undefined): string {
  return toPlainText(text ?? '');
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

function createOncePrinter() {
  let isTold = false;
  return (sentence: string): void => {
    if (!isTold) printNote(sentence);
    isTold = true;
  };
}

/** `assayer lab`: the steps of an experiment in the lab, for its staff. */
import { createApi, type Api } from './api.ts';
import { requireConnection } from './connection.ts';
import { readRuns, uploadFiles } from './lab-files.ts';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  getFirstOperand,
  hasRunOption,
  parseOptions,
  createUsageError,
  refuseForeignOptions,
  refuseUnknownVerb,
} from './options.ts';
import { readJsonFile } from './files.ts';
import { print } from './terminal.ts';
import { formatStatus } from './words.ts';
import * as labReview from './lab-review.ts';
import * as labPreview from './lab-preview.ts';
import * as labMap from './lab-map.ts';
import * as labPlan from './lab-plan.ts';
import * as labExampleFiles from './lab-example-files.ts';
import * as labTargets from './lab-targets.ts';
import * as labPrices from './lab-prices.ts';
import * as labCharts from './lab-charts.ts';

const HELP = `Usage: assayer lab receive CODE
       assayer lab start CODE --instrument NAME [--override-reason TEXT]
       assayer lab upload CODE FILE...
       assayer lab upload --run RUN FILE...
       assayer lab files CODE
       assayer lab complete CODE [--settings FILE] [--reason TEXT]
       assayer lab complete --run RUN [--settings FILE] [--reason TEXT]
       assayer lab send-back CODE --reason TEXT [--settings FILE]
       assayer lab release CODE [--reason TEXT]
       assayer lab review CODE [--exclude SEQUENCE …]
       assayer lab preview CODE|--run RUN [FILE...]
       assayer lab map CODE|--run RUN --entries FILE [--reason TEXT]
       assayer lab plan CODE... [options]
       assayer lab example-files CODE|--run RUN [--out DIR]
       assayer lab targets | prices | charts [options]

The work of the lab. Needs a token of the lab's staff.

receive     the materials have arrived
start       the run starts; before the payment it needs a reason, which is stored with the run
upload      adds raw instrument files to the run; each is read at once, and rejected if it is invalid.
            Files that belong together (a Gator folder) come as one zip archive
files       what was understood of the files, and which sequences have no data
complete    the raw data are complete and are analyzed
send-back   analyze once more, from review or after an analysis that was stopped
release     the client may read the results
review      what waits for its release; accept, exclude or repeat replicates and single curves
preview     what files hold, compared with the order, before they are added; without FILE, those of the run
map         say by hand which sequence or role wells of the files have
plan        the plates of a run over one or several experiments
example-files  simulated raw files of an order or a planned run, to try these verbs
targets     the catalog with lots and stock; its export and import as CSV
prices      the price lists; their export, import and publication
charts      the control charts

The last eight have a help of their own: assayer lab plan --help

  --run RUN                a planned run, such as RUN-000012: its files are cut by the plan for each of its experiments
  --instrument NAME        such as "Octet R8"
  --override-reason TEXT   why the run starts before the payment
  --settings FILE          settings of the analysis, as JSON, such as {"association_s": 300}; - reads standard input
  --reason TEXT            send-back: clients read it in the feed; complete and release: why less than was
                           ordered is enough, which clients never read
  --json                   the answers of the API

${CONNECTION_HELP}

Examples:
  assayer lab upload DEMO-001-004 plate-1.frd plate-2.frd
  assayer lab upload --run RUN-000012 P1.csv
  echo '{"association_s": 300}' | assayer lab complete DEMO-001-004 --settings -`;

const guide = { name: 'lab', help: HELP, operands: ['VERB'] };

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  run: { type: 'string' },
  instrument: { type: 'string' },
  'override-reason': { type: 'string' },
  settings: { type: 'string' },
  reason: { type: 'string' },
  json: { type: 'boolean' },
} as const;

interface Given {
  readonly run?: string | undefined;
  readonly instrument?: string | undefined;
  readonly 'override-reason'?: string | undefined;
  readonly settings?: string | undefined;
  readonly reason?: string | undefined;
}

/** The path and the body of a verb's request. */
interface Step {
  readonly path: string;
  readonly options: readonly (keyof Given)[];
  buildBody(values: Given): Record<string, unknown> | Promise<Record<string, unknown>>;
}

const steps: Readonly<Record<string, Step>> = {
  receive: { path: 'materials', options: [], buildBody: () => ({}) },
  start: {
    path: 'runs',
    options: ['instrument', 'override-reason'],
    buildBody: (values) => ({
      instrument: requireOption(values, 'instrument'),
      ...(values['override-reason'] === undefined ? {} : { override_reason: values['override-reason'] }),
    }),
  },
  complete: {
    path: 'complete',
    options: ['settings', 'run', 'reason'],
    buildBody: async (values) => ({ ...(await readSettings(values)), ...readReason(values) }),
  },
  'send-back': {
    path: 'send-back',
    options: ['reason', 'settings'],
    buildBody: async (values) => ({
      reason: requireOption(values, 'reason'),
      ...(await readSettings(values)),
    }),
  },
  release: { path: 'release', options: ['reason'], buildBody: readReason },
};

/** Verbs that take a planned run in place of an experiment. */
const RUN_VERBS: ReadonlySet<string> = new Set(['upload', 'complete']);

const FILE_VERBS = ['upload', 'files'];

/** Verbs with options and a help of their own. */
const OWN_VERBS = {
  review: labReview.run,
  preview: labPreview.run,
  map: labMap.run,
  plan: labPlan.run,
  'example-files': labExampleFiles.run,
  targets: labTargets.run,
  prices: labPrices.run,
  charts: labCharts.run,
} as const;

function isOwnVerb(verb: string): verb is keyof typeof OWN_VERBS {
  return Object.hasOwn(OWN_VERBS, verb);
}

async function runOwnVerb(verb: keyof typeof OWN_VERBS, args: readonly string[]): Promise<void> {
  await OWN_VERBS[verb](args.toSpliced(args.indexOf(verb), 1));
}

const OWNED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  upload: ['run'],
  ...Object.fromEntries(Object.entries(steps).map(([verb, { options }]) => [verb, options])),
};

const verbs = [...Object.keys(steps), ...FILE_VERBS, ...Object.keys(OWN_VERBS)];

export async function run(args: readonly string[]): Promise<void> {
  const verb = getFirstOperand(args, OPTIONS);
  if (isOwnVerb(verb)) return runOwnVerb(verb, args);
  refuseUnknownVerb(guide, args, { verb, verbs });
  const isOfRun = RUN_VERBS.has(verb) && hasRunOption(args);
  const operands = ['VERB', ...(isOfRun ? [] : ['CODE']), ...(verb === 'upload' ? ['FILE'] : [])];
  const parsed = parseOptions({ ...guide, operands, isOpenEnded: verb === 'upload' }, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [, code = '', ...files] = isOfRun ? ['', '', ...positionals.slice(1)] : positionals;
  const step = steps[verb];
  refuseForeignOptions(guide, verb, { ...values }, OWNED_OPTIONS);
  const body = (await step?.buildBody(values)) ?? {};
  const api = createApi(requireConnection(values));
  const asJson = values.json === true;
  if (verb === 'upload') return uploadFiles(api, getFolder(code, values.run), files, asJson);
  if (verb === 'files') return readRuns(api, code, asJson);
  if (values.run !== undefined) return completeRun(api, values.run, body, asJson);
  if (step !== undefined) await takeStep(api, code, { path: step.path, body, asJson });
}

function getFolder(code: string, run: string | undefined): string {
  return run === undefined
    ? `/lab/experiments/${encodeURIComponent(code)}/files`
    : `/lab/runs/${encodeURIComponent(run)}/raw-files`;
}

interface CompletedRun {
  readonly code: string;
  readonly experiments: readonly { readonly experiment_code: string; readonly status: string }[];
}

async function completeRun(
  api: Api,
  run: string,
  body: Record<string, unknown>,
  asJson: boolean,
): Promise<void> {
  const completed = await api.post<CompletedRun>(`/lab/runs/${encodeURIComponent(run)}/complete`, body);
  if (asJson) return print(JSON.stringify(completed, null, 2));
  for (const { experiment_code: code, status } of completed.experiments)
    print(`${completed.code}, ${code}: ${formatStatus(status)}`);
}

interface Moved {
  readonly experiment_code: string;
  readonly previous_status: string;
  readonly status: string;
}

async function takeStep(
  api: Api,
  code: string,
  { path, body, asJson }: { path: string; body: Record<string, unknown>; asJson: boolean },
): Promise<void> {
  const change = await api.post<Moved>(`/lab/experiments/${encodeURIComponent(code)}/${path}`, body);
  if (asJson) return print(JSON.stringify(change, null, 2));
  const { experiment_code: name, previous_status: before, status } = change;
  print(`${name}: ${formatStatus(before)} → ${formatStatus(status)}`);
}

function requireOption(values: Given, option: 'instrument' | 'reason'): string {
  const value = values[option];
  if (value === undefined || value.trim() === '') throw createUsageError(guide, `--${option} is missing`);
  return value;
}

function readReason({ reason }: Given): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

async function readSettings({ settings: file }: Given): Promise<{ settings?: unknown }> {
  if (file === undefined) return {};
  return { settings: await readJsonFile(file, 'settings such as {"association_s": 300}') };
}

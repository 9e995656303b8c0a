/** `assayer demo`: runs published sequences from a FASTA file to a ranked table. */
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#core/package-root.ts';
import { systemClock } from '#core/clock.ts';
import { formatCount } from '#core/words.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { formatUsd } from '#core/money.ts';
import type { ExperimentSpec, ExperimentType } from '#features/experiments/contract.ts';
import { USUAL_ASSAY, hasTarget } from '#assays/registry.ts';
import { experimentTypes } from '#features/experiments/types.ts';
import { ASSAY_WORDS, TARGETLESS } from './assays.ts';
import { createApi, type Api } from './api.ts';
import { CommandError, EXIT, SIGNALS } from './command-error.ts';
import {
  getDataDirectory,
  findKnownConnection,
  type Connection,
  type ConnectionOptions,
} from './connection.ts';
import { DemoScreen } from './demo-screen.ts';
import { requireTarget } from './find-item.ts';
import { followExperiment, type Experiment } from './follow.ts';
import { startLocalService, type LocalService } from './local-service.ts';
import { CONNECTION, type Parsed, createUsageError, requireChoice } from './options.ts';
import { LIBRARIES, readEstimate } from './order.ts';
import { readSequenceFile, type NamedSequences } from './sequence-file.ts';
import type { Update } from './update-stream.ts';
import {
  acceptQuote,
  awaitInvoice,
  createExperiment,
  formatExperimentPath,
  payTestInvoice,
  awaitQuote,
  describeQuote,
} from './purchase.ts';
import { printResults, readResults } from './results.ts';
import { formatFileTitle } from './words.ts';

const CAMPAIGN = fileURLToPath(new URL('examples/campaign.fasta', ROOT));
const ANTIBODIES = fileURLToPath(new URL('examples/antibodies.fasta', ROOT));
const DEFAULT_TARGET = 'EGFR';
const REPLICATES = 3;
const LAB_WITHIN_MS = 600_000;

export const guide = {
  name: 'demo',
  usage: ['[--type ASSAY] [--fasta FILE] [--target TARGET] [--library KIND] [--keep]'],
  about: `Runs a whole experiment in a sandbox: price, order, quote, payment, measurement, analysis and ranked results of 40
designs: a nanobody against ${DEFAULT_TARGET}, its variants, other binders and decoys. Uses the service of this machine, or starts
one for the demo.`,
  options: {
    'type ASSAY': ASSAY_WORDS.every,
    'fasta FILE': 'other sequences; default with --target: published antibodies',
    'target TARGET': `another target than ${DEFAULT_TARGET}`,
    'library KIND': 'simulate designs that are naive (default) or enriched for binders',
    keep: 'leave a service that the demo has started running until Ctrl+C',
    ...CONNECTION,
  },
  examples: [
    'demo',
    `demo --type ${TARGETLESS[0]}`,
    'demo --fasta designs.fasta --target HER2',
    'demo --keep',
  ],
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const file = values.fasta ?? (values.target === undefined ? CAMPAIGN : ANTIBODIES);
  const library = requireChoice(guide, 'library', values.library, LIBRARIES) ?? 'naive';
  const type = requireChoice(guide, 'type', values.type, experimentTypes) ?? USUAL_ASSAY;
  if (!hasTarget(type) && values.target !== undefined)
    throw createUsageError(guide, `--target does not apply to ${type}`);
  const sequences = await readSequenceFile(file);
  const screen = new DemoScreen();
  const story = new Story(screen, {
    file,
    sequences,
    type,
    targetName: values.target ?? DEFAULT_TARGET,
    library,
  });
  const interrupted = createInterruption();
  let own: LocalService | undefined;
  let isTold = false;
  try {
    const directory = getDataDirectory(values);
    const running = await findRunningService(values);
    if (running === undefined) {
      const starting = startLocalService(directory, interrupted);
      own = await screen.showDuring(
        `No service runs in ${relative(process.cwd(), directory) || '.'}; starting one for this demo`,
        starting,
      );
    }
    const connection = running ?? own?.connection;
    if (connection === undefined) throw new CommandError('No service is available for the demo.');
    await runUntilInterrupted(interrupted, story.tell(createApi(connection), own !== undefined));
    isTold = true;
    if (own !== undefined)
      await runUntilInterrupted(interrupted, printFarewell(screen, directory, values.keep === true));
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    screen.close();
    await own?.stop();
  }
  // Nothing that is still running matters any more.
  if (interrupted.aborted) process.exit(isTold ? EXIT.done : EXIT.interrupted);
}

/** Finds the named service, or the local one when it answers; undefined when one has to be started. */
async function findRunningService(options: ConnectionOptions): Promise<Connection | undefined> {
  const connection = findKnownConnection(options);
  if (connection?.urlFile === undefined) return connection;
  try {
    await createApi(connection).get('/whoami');
    return connection;
  } catch (error) {
    // The file outlives its service, and another program may use the address now.
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

interface StoryPlan {
  readonly file: string;
  readonly sequences: NamedSequences;
  readonly type: ExperimentType;
  readonly targetName: string;
  readonly library: string;
}

class Story {
  readonly #screen: DemoScreen;
  readonly #plan: StoryPlan;
  readonly #startMs = systemClock.readMonotonicMs();

  constructor(screen: DemoScreen, plan: StoryPlan) {
    const { file, targetName } = plan;
    this.#screen = screen;
    this.#plan = plan;
    const from = relative(process.cwd(), file);
    const count = formatCount(Object.keys(this.#plan.sequences).length, 'sequence');
    screen.printHeading(
      `\nAssayer demo: ${count} of ${from.startsWith('..') ? file : from}${hasTarget(plan.type) ? ` against ${targetName}` : `, ${plan.type}`}`,
    );
    screen.printAside(
      'The sandbox simulates the lab: modeled instrument data, real analysis. Published antibodies bind their antigen alone, variants inherit from them, other designs bind as a naive library would; the numbers are made up and say nothing about the molecules themselves.',
    );
    screen.print();
  }

  async tell(api: Api, isOwnService: boolean): Promise<void> {
    if (!api.isSandbox) throw new CommandError('The demo runs in a sandbox; this service is a live one.');
    this.#screen.printDone(
      'Service',
      `${api.connection.url}${isOwnService ? ', started for this demo' : ''}`,
    );
    const code = await this.#orderExperiment(api);
    await this.#pay(api, code);
    const watcher = this.#screen.createWatcher(isFromLab);
    const experiment = await followExperiment(api, code, watcher, LAB_WITHIN_MS);
    await this.#showResults(api, experiment);
  }

  async #orderExperiment(api: Api): Promise<string> {
    const target = hasTarget(this.#plan.type) ? await requireTarget(api, this.#plan.targetName) : undefined;
    const spec: ExperimentSpec = {
      experiment_type: this.#plan.type,
      n_replicates: REPLICATES,
      ...(target === undefined ? {} : { method: 'bli', target_id: target.id }),
      sequences: this.#plan.sequences,
      parameters: { sandbox: { library: this.#plan.library } },
    };
    const estimate = await readEstimate(api, spec);
    const total = estimate.breakdown?.total_cents;
    if (total === undefined)
      throw new CommandError(
        `${target?.name ?? this.#plan.type} has no immediate price; choose a target of "assayer targets list --selfservice-only".`,
      );
    this.#screen.printDone(
      'Estimate',
      `${formatUsd(total)} for ${this.#plan.type}${target === undefined ? '' : ' by BLI'}, ${REPLICATES} replicates each`,
    );
    const name = `Demo: ${formatFileTitle(this.#plan.file, this.#plan.type, target)}`;
    const created = await createExperiment(api, { name, experiment_spec: spec });
    const code = created.experiment_code;
    this.#screen.printDone('Order', `experiment ${code} submitted`);
    return code;
  }

  async #pay(api: Api, code: string): Promise<void> {
    const quote = await this.#screen.showDuring('Waiting for the quote', awaitQuote(api, code));
    if (quote === undefined) throw new CommandError(`The quote of ${code} did not arrive in time.`);
    this.#screen.printDone('Quote', describeQuote(quote));
    const accepted = await acceptQuote(api, code);
    this.#screen.printDone('Quote accepted', 'an invoice is open');
    const paying = awaitInvoice(api, code, accepted).then((open) => payTestInvoice(api, open));
    const invoice = await this.#screen.showDuring('Paying', paying);
    this.#screen.printDone(
      'Invoice paid',
      `${invoice.invoice_number ?? ''} by test payment, ${formatUsd(invoice.amount_paid_cents)}`,
    );
  }

  async #showResults(api: Api, experiment: Experiment): Promise<void> {
    const { code } = experiment;
    if (experiment.status !== 'done') throw new CommandError(`${code} ended without results.`);
    const { items } = await readResults(api, code);
    this.#screen.print();
    printResults(items);
    const { url } = api.connection;
    const seconds = ((systemClock.readMonotonicMs() - this.#startMs) / 1_000).toFixed(1);
    this.#screen.print();
    this.#screen.print(`  Experiment  ${experiment.experiment_url}`);
    this.#screen.print(`  Portal      ${url}/`);
    this.#screen.print(`  API         ${url}/api/v1${formatExperimentPath(code, '/results')}`);
    this.#screen.print(`  Took        ${seconds} s`);
    this.#screen.print(`  Try next    npx assayer results ${code} --csv > results.csv\n`);
  }
}

const LAB_STATUSES = experimentStatuses.slice(experimentStatuses.indexOf('in_queue'));

/** The demo has printed the steps up to the payment already. */
function isFromLab({ type, status }: Update): boolean {
  if (type === 'quote' || type === 'invoice') return false;
  return !status || LAB_STATUSES.some((each) => each === status);
}

/** Tells what happens to a service that the demo has started. */
async function printFarewell(screen: DemoScreen, directory: string, isKept: boolean): Promise<void> {
  if (!isKept) {
    const isUsual = directory === resolve('.assayer');
    const command = isUsual ? 'npm start' : `npx assayer start --data-dir ${directory}`;
    screen.printAside(`The service of this demo stops now; "${command}" brings it back with these results.`);
    screen.print();
    return;
  }
  screen.printAside('The service keeps running until Ctrl+C.');
  await new Promise<never>(() => undefined);
}

/** Aborts on Ctrl+C and similar signals, so that the demo can stop its own service cleanly. */
function createInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => controller.abort());
  return controller.signal;
}

function runUntilInterrupted<Answer>(signal: AbortSignal, work: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error('interrupted'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]);
}

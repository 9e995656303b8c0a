/** `assayer open`: opens the page of an experiment, its quote or its invoice in the browser. */
import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { ExpInfo } from '#features/experiments/contract.ts';
import { connect } from './api.ts';
import { CommandError } from './command-error.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { formatExperimentPath } from './purchase.ts';
import { getTerminal, print, printNote } from './terminal.ts';

export const guide = {
  name: 'open',
  usage: ['CODE [--quote | --invoice] [--print]'],
  about: `Opens the page of an experiment in the browser: that of BROWSER, else the usual one of the system. Where the output is
no terminal, the address is printed instead.`,
  options: {
    quote: 'the page of its quote',
    invoice: 'the page on which its invoice is paid',
    print: 'print the address and open nothing',
    ...CONNECTION,
  },
  examples: ['open DEMO-001-004', 'open DEMO-001-004 --invoice --print'],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const api = connect(values);
  const experiment = await api.get<ExpInfo>(formatExperimentPath(positionals[0] ?? ''), 'code');
  const kind = values.quote === true ? 'quote' : values.invoice === true ? 'invoice' : 'experiment';
  const address = findPage(experiment, kind);
  if (address === null || address === undefined)
    throw new CommandError(`${experiment.code} has no ${kind} with a page yet.`);
  const page = parseWebAddress(address);
  if (page === undefined) throw new CommandError(`The service gave no web address: ${address}`);
  if (values.print === true || getTerminal().stdout.isTTY !== true) return print(page);
  await openBrowser(page);
  printNote(`Opened ${page}`);
}

function findPage(experiment: ExpInfo, kind: string): string | null | undefined {
  if (kind === 'quote') return experiment.provider_quote_url;
  return kind === 'invoice' ? experiment.provider_invoice_url : experiment.experiment_url;
}

/** As a browser would write it: what steers a terminal or a program is encoded. */
function parseWebAddress(text: string): string | undefined {
  const address = URL.parse(text);
  return address !== null && /^https?:$/.test(address.protocol) ? address.href : undefined;
}

/** Of the systems that are no Linux. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer' };

/** The address is one argument of the program, never text of a shell. */
async function openBrowser(page: string): Promise<void> {
  const { BROWSER: named = '', DISPLAY = '', WAYLAND_DISPLAY = '' } = getTerminal().environment;
  // Without a display the usual program starts, and opens nothing.
  const usual = OPENERS[platform()] ?? (DISPLAY + WAYLAND_DISPLAY === '' ? '' : 'xdg-open');
  const program = named === '' ? usual : named;
  const why = program === '' ? 'No browser was found' : `${program} cannot be started`;
  const refusal = new CommandError(`${why}. Open this address yourself: ${page}`);
  if (program === '') throw refusal;
  const child = spawn(program, [page], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () => reject(refusal));
  });
  child.unref();
}

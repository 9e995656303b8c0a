/** Every command by its name. A command that runs the server loads when it is called, because it needs other packages. */
import { findNearest } from '#core/nearest.ts';
import { CommandError } from './command-error.ts';
import { printHelp } from './help-layout.ts';
import { isListName, listNames } from './list-names.ts';
import { printNote, toPlainLines } from './terminal.ts';
import { RefusedError, UnreachableError, type ProblemShown } from './api.ts';
import * as login from './login.ts';
import * as logout from './logout.ts';
import * as whoami from './whoami.ts';
import * as demo from './demo.ts';
import * as targets from './targets.ts';
import * as estimate from './estimate.ts';
import * as submit from './submit.ts';
import * as importDraft from './import.ts';
import * as clone from './clone.ts';
import * as edit from './edit.ts';
import * as show from './show.ts';
import * as openPage from './open.ts';
import * as cancel from './cancel.ts';
import * as quote from './quote.ts';
import * as accept from './accept.ts';
import * as pay from './pay.ts';
import * as reject from './reject.ts';
import * as watch from './watch.ts';
import * as results from './results.ts';
import * as plot from './plot.ts';
import * as download from './download.ts';
import * as requestTarget from './request-target.ts';
import * as mail from './mail.ts';
import * as tokens from './tokens.ts';
import * as partners from './partners.ts';
import * as webhooks from './webhooks.ts';
import * as sandbox from './sandbox.ts';
import * as lab from './lab.ts';
import * as tax from './tax.ts';
import * as list from './list.ts';
import * as version from './version.ts';
import type { operatorCommands } from './operator-commands.ts';

type Run = (args: readonly string[]) => Promise<void>;

interface Command {
  readonly summary: string;
  /** True for a command that handles interruption itself, to clean up. */
  readonly cleansUp?: boolean;
  readonly run: Run;
}

/** Commands that talk to a service, on this machine or elsewhere. */
const clientCommands: Readonly<Record<string, Command>> = {
  login: { summary: 'get a token of this machine by approving a code', run: login.run },
  logout: { summary: 'revoke that token and remove it', run: logout.run },
  whoami: {
    summary: 'the person, organization and service of the token in use',
    run: whoami.run,
  },
  demo: {
    summary: 'run a whole experiment in under a minute: from designs to affinities',
    cleansUp: true,
    run: demo.run,
  },
  targets: { summary: 'list what designs can be measured against', run: targets.run },
  estimate: { summary: 'the price of measuring a FASTA file', run: estimate.run },
  submit: { summary: 'order an experiment on a FASTA file', run: submit.run },
  import: { summary: 'make a draft from a FASTA or CSV file', run: importDraft.run },
  clone: { summary: 'make a draft like an experiment', run: clone.run },
  edit: { summary: 'change a draft, or a name and description', run: edit.run },
  show: { summary: 'everything about one experiment', run: show.run },
  open: { summary: 'open the page of an experiment in the browser', run: openPage.run },
  cancel: {
    summary: 'cancel an experiment before its quote is accepted',
    run: cancel.run,
  },
  quote: { summary: 'the quote of an experiment, also as a document', run: quote.run },
  accept: { summary: 'accept the quote of an experiment', run: accept.run },
  pay: { summary: 'pay an invoice from a wallet, or read where to pay', run: pay.run },
  reject: { summary: 'reject the quote of an experiment', run: reject.run },
  watch: { summary: 'follow an experiment until it is done', run: watch.run },
  results: { summary: 'the results of an experiment, best first', run: results.run },
  plot: { summary: 'save the figure of a result or of an experiment', run: plot.run },
  download: {
    summary: 'save the data package, the quote or the invoice',
    run: download.run,
  },
  'request-target': {
    summary: 'ask the lab for a target that the catalog lacks',
    run: requestTarget.run,
  },
  mail: { summary: 'the mails that a sandbox would have sent', run: mail.run },
  tokens: { summary: 'make, list, restrict and revoke access tokens', run: tokens.run },
  partners: {
    summary: 'tokens for clients of a partner: mint, list, renew, revoke',
    run: partners.run,
  },
  webhooks: {
    summary: 'where events are delivered, and each delivery; listen for a local program',
    run: webhooks.run,
  },
  sandbox: { summary: 'test payment tokens', run: sandbox.run },
  lab: { summary: 'the steps of an experiment in the lab, for the staff', run: lab.run },
  tax: { summary: 'tax rates by country, for the staff', run: tax.run },
  list: { summary: 'any list of the service, filtered and sorted', run: list.run },
};

/** Commands about the program itself. */
const ownCommands: Readonly<Record<string, Command>> = {
  completion: {
    summary: 'a script that completes commands in bash, zsh or fish',
    // It reads the help of all commands, this list's among them.
    run: async (args) => (await import('./completion.ts')).run(args),
  },
  version: { summary: 'the version of this program', run: version.run },
};

/** They share the database and its settings, so they load together. */
async function runForOperator(name: keyof typeof operatorCommands, args: readonly string[]): Promise<void> {
  const { operatorCommands: commandsOfOperator } = await import('./operator-commands.ts');
  await commandsOfOperator[name](args);
}

/** Commands that run the server. */
const serverCommands: Readonly<Record<string, Command>> = {
  start: {
    summary: 'run the service with everything it needs',
    run: async (args) => (await import('./start.ts')).run(args),
  },
  facilitator: {
    summary: 'submit x402 payments to a chain',
    run: async (args) => (await import('./facilitator.ts')).run(args),
  },
  config: {
    summary: 'list every setting with its current value',
    run: (args) => runForOperator('config', args),
  },
  audit: {
    summary: 'verify the audit trail, in the database or as a client',
    run: (args) => runForOperator('audit', args),
  },
  ledger: {
    summary: 'verify that the books balance',
    run: (args) => runForOperator('ledger', args),
  },
  keys: {
    summary: 'make a new key that signs tokens',
    run: (args) => runForOperator('keys', args),
  },
  admin: {
    summary: 'make a person staff or a partner',
    run: (args) => runForOperator('admin', args),
  },
  'raw-files': {
    summary: 'go on with another directory of raw files',
    run: (args) => runForOperator('raw-files', args),
  },
  migrate: {
    summary: 'bring the database schema up to date',
    run: (args) => runForOperator('migrate', args),
  },
  index: {
    summary: 'an optional index for substring search',
    run: (args) => runForOperator('index', args),
  },
};

const commands = new Map([
  ...Object.entries(clientCommands),
  ...Object.entries(serverCommands),
  ...Object.entries(ownCommands),
]);

/** Every command with its name, in the order of the help. */
export function listCommands(): readonly (Command & { readonly name: string })[] {
  return [...commands].map(([name, command]) => ({ ...command, name }));
}

function writeUsage(): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length));
  const listGroup = (group: Readonly<Record<string, Command>>): string =>
    Object.entries(group)
      .map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
      .join('\n');
  return [
    'Usage: assayer <command> [options]',
    `Commands for clients:\n${listGroup(clientCommands)}`,
    `Commands for the server:\n${listGroup(serverCommands)}`,
    `About this program:\n${listGroup(ownCommands)}`,
    '"assayer <command> --help" explains one. Exit codes: 0 done, 1 rejected or failed, 2 usage error.',
  ].join('\n\n');
}

/** What is special about a command for the process that runs it. */
export function findClientCommand(args: readonly string[]): Command | undefined {
  const [name = ''] = orderArguments(args);
  return Object.hasOwn(clientCommands, name) ? clientCommands[name] : undefined;
}

/** Runs the command in the current terminal and answers its exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await runChosen(args);
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printNote(isJsonWanted(args) ? JSON.stringify(createErrorReport(error)) : toPlainLines(error.message));
    return error.exitCode;
  }
}

async function runChosen(args: readonly string[]): Promise<void> {
  const [name, ...rest] = orderArguments(args);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [topic, ...verbs] = rest;
    const command = name === 'help' && topic !== undefined ? commands.get(topic) : undefined;
    if (command === undefined) printHelp(writeUsage());
    else await command.run([...verbs, '--help']);
    return;
  }
  const command = commands.get(/^(?:--version|-[vV])$/.test(name) ? 'version' : name);
  if (command === undefined) throw new CommandError(describeUnknownCommand(name), 2);
  await command.run(rest);
}

/** Reads `experiments list …` as `list experiments …`. */
function orderArguments(args: readonly string[]): readonly string[] {
  const [noun = '', verb, ...rest] = args;
  return isListName(noun) && verb === 'list' ? [verb, noun, ...rest] : args;
}

function describeUnknownCommand(name: string): string {
  const near = findNearest(name, [...commands.keys(), ...listNames]);
  const hint = near === undefined ? '' : ` Did you mean "${commands.has(near) ? near : `${near} list`}"?`;
  return `There is no command "${name}".${hint} "assayer --help" lists them.`;
}

/** The error of a command as one JSON object, for programs that asked for `--json`. */
interface ErrorReport {
  readonly error: {
    /** A code of the API, or `usage_error`, `service_unreachable`, `command_failed`. Codes never change. */
    readonly code: string;
    readonly message: string;
    /** The field or option that is wrong, if exactly one is. */
    readonly field: string | null;
    /** HTTP status; null where the service refused nothing. */
    readonly status: number | null;
    readonly problems: readonly ProblemShown[];
    readonly request_id: string | null;
    readonly exit_code: number;
  };
}

function isJsonWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}

function createErrorReport(error: CommandError): ErrorReport {
  const refusal = findRefusal(error);
  const problems = refusal?.problems ?? [];
  return {
    error: {
      code: refusal?.code ?? getOwnCode(error),
      message: refusal?.sentence ?? error.message,
      field: problems.length === 1 ? (problems[0]?.path ?? null) : findOption(error),
      status: refusal?.status ?? null,
      problems,
      request_id: refusal?.requestId ?? null,
      exit_code: error.exitCode,
    },
  };
}

/** A command may say more about a refusal, and then keeps it as the cause. */
function findRefusal(error: unknown): RefusedError | undefined {
  if (error instanceof RefusedError) return error;
  return error instanceof CommandError && error.cause !== undefined ? findRefusal(error.cause) : undefined;
}

function getOwnCode(error: CommandError): string {
  if (error instanceof UnreachableError) return 'service_unreachable';
  return error.exitCode === 2 ? 'usage_error' : 'command_failed';
}

function findOption({ exitCode, message }: CommandError): string | null {
  return exitCode === 2 ? (/^(?:.*has no option )?(--[a-z][a-z-]*)/.exec(message)?.[1] ?? null) : null;
}

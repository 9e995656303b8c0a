/** Every command by its name. Each loads when it is called, so that `--help` and a small command load little. */
import { findNearest } from '#core/nearest.ts';
import { CommandError, describeError, EXIT, EXIT_MEANINGS, isJsonWanted } from './command-error.ts';
import { HELP_WIDTH, layRows, printHelp } from './help-layout.ts';
import type { CommandGuide } from './options.ts';
import { getTerminal, printNote, runInTerminal, wrapText } from './terminal.ts';

/** What may stand before the verb of an operation; a test compares it with the operations. */
export const NOUNS =
  `assay-types audit billing deliveries designs experiments feedback info invitations invoices members notifications
partner-tokens partners quotes results sandbox sequences shares target-requests targets tokens updates webhooks`.split(
    /\s/,
  );
/** The same behind `lab`. */
export const LAB_NOUNS =
  `assay-types audit calendar control-charts experiments feedback invoices jobs materials messages needs notifications organizations
price-lists quotes refunds run-plans runs setup simulated-lab staff target-requests targets tax-rates updates`.split(
    /\s/,
  );

interface Command {
  readonly summary: string;
  /** True for a command that handles interruption itself, to clean up. */
  readonly cleansUp?: boolean;
  /** True for a command that runs until it is stopped, whoever reads its output. */
  readonly isServer?: boolean;
  /** Of a command whose name is a noun, too: its own verbs. Any other verb is that of an operation. */
  readonly verbs?: readonly string[];
  readonly load: () => Promise<{
    readonly run: (parsed: never) => Promise<void>;
    readonly guide: CommandGuide;
  }>;
}

/** Commands that talk to a service, on this machine or elsewhere. */
const clientCommands: Readonly<Record<string, Command>> = {
  login: { summary: 'get a token of this machine by approving a code', load: () => import('./login.ts') },
  logout: { summary: 'revoke that token and remove it', load: () => import('./logout.ts') },
  whoami: { summary: 'person and organization of the token in use', load: () => import('./whoami.ts') },
  demo: {
    summary: 'run a whole experiment in under a minute: from designs to affinities',
    cleansUp: true,
    load: () => import('./demo.ts'),
  },
  estimate: { summary: 'the price of measuring sequences of a file', load: () => import('./estimate.ts') },
  submit: { summary: 'order sequences of a file, or submit a draft', load: () => import('./submit.ts') },
  open: { summary: 'open the page of an experiment in the browser', load: () => import('./open.ts') },
  quote: { summary: 'the quote of an experiment, also as a document', load: () => import('./quote.ts') },
  accept: { summary: 'accept the quote of an experiment', load: () => import('./accept.ts') },
  pay: { summary: 'pay an invoice from a wallet, or read where to pay', load: () => import('./pay.ts') },
  watch: { summary: 'follow an experiment until it is done', load: () => import('./watch.ts') },
  results: {
    summary: 'the results of an experiment, best first',
    verbs: [],
    load: () => import('./results.ts'),
  },
  plot: { summary: 'save the figure of a result or of an experiment', load: () => import('./plot.ts') },
  download: { summary: 'save data package, quote or invoice', load: () => import('./download.ts') },
  mail: { summary: 'the mails that a sandbox would have sent', load: () => import('./mail.ts') },
};

/** Commands whose first word is also that of operations. */
const nounCommands: Readonly<Record<string, Command>> = {
  'webhooks listen': {
    summary: 'send the events of the organization to a program on this machine',
    load: () => import('./webhooks-listen.ts'),
  },
  'lab preview': {
    summary: 'what raw files hold, compared with the order or the plan',
    load: () => import('./lab-preview.ts'),
  },
  'lab example-files': {
    summary: 'write simulated raw files of an order or a planned run',
    load: () => import('./lab-example-files.ts'),
  },
};

/** Nouns load the contracts, which other commands do without. */
const loadNouns = () => import('./nouns.ts');

/** Commands about the program itself. */
const ownCommands: Readonly<Record<string, Command>> = {
  completion: { summary: 'a script that completes words in a shell', load: () => import('./completion.ts') },
  // It reads the help of commands by this list.
  'completion words': {
    summary: 'what can follow, for the scripts of shells',
    load: () => import('./completion-words.ts'),
  },
  version: { summary: 'the version of this program', load: () => import('./version.ts') },
};

/** Commands that run the server. */
const serverCommands: Readonly<Record<string, Command>> = {
  start: { summary: 'run the service with all it needs', isServer: true, load: () => import('./start.ts') },
  facilitator: { summary: 'send x402 payments', isServer: true, load: () => import('./facilitator.ts') },
  config: { summary: 'list every setting with its current value', load: () => import('./config.ts') },
  audit: {
    summary: 'verify the audit trail, in the database or as a client',
    verbs: ['head', 'verify'],
    load: () => import('./audit.ts'),
  },
  ledger: { summary: 'verify that the books balance', load: () => import('./ledger.ts') },
  keys: { summary: 'make a new key that signs tokens', load: () => import('./keys.ts') },
  admin: { summary: 'make a person staff or a partner', load: () => import('./admin.ts') },
  'raw-files': { summary: 'go on with another directory of raw files', load: () => import('./raw-files.ts') },
  migrate: { summary: 'bring the database schema up to date', load: () => import('./migrate.ts') },
  index: { summary: 'an optional index for substring search', load: () => import('./build-index.ts') },
};

const commands = new Map([
  ...Object.entries(clientCommands),
  ...Object.entries(nounCommands),
  ...Object.entries(serverCommands),
  ...Object.entries(ownCommands),
]);

/** What `assayer help` explains beside commands. */
export const HELP_TOPICS: readonly (readonly [topic: string, summary: string])[] = [
  ['commands', 'what each command does, and every verb'],
  ['exit-codes', 'what exit codes mean'],
  ['filter', 'the language of --filter, with examples'],
];

const writeFilterHelp = (
  forms: readonly (readonly [string, string])[],
): string => `Usage: --filter 'CONDITION' of a list

${layRows(forms)}

The help of each list names its fields. A value with a comma or a bracket is quoted: eq(name,"a, b"). --search finds a
part of a name.

Examples:
  assayer experiments list --filter 'eq(status,done)'
  assayer experiments list --filter 'and(in(status,draft,quote_sent),gte(created_at,2026-01-01))' --sort -created_at
  assayer results list --filter 'or(contains(title,design),is_null(grade))'`;

/** Every command with its name, in the order of the help. */
export function listCommands(): readonly {
  readonly name: string;
  readonly summary: string;
  /** Verbs of its own, although operations have others. */
  readonly verbs: readonly string[];
  readonly readGuide: () => Promise<CommandGuide>;
}[] {
  return [...commands].map(([name, command]) => ({
    name,
    summary: command.summary,
    verbs: command.verbs ?? [],
    readGuide: async () => (await command.load()).guide,
  }));
}

async function loadAndRun({ load }: Command, args: readonly string[]): Promise<void> {
  const { isHelpWanted, parseOptions, writeHelp } = await import('./options.ts');
  const { run, guide } = await load();
  if (isHelpWanted(args)) return printHelp(writeHelp(guide), HELP_WIDTH);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a command takes what its own guide says
  await run(parseOptions(guide, args) as never);
}

/** Fits a screen of 24 rows and 80 columns. */
function writeUsage(): string {
  const listNames = (names: readonly string[]): string => wrapText(names.join(' '), 70).join('\n          ');
  return `Usage: assayer <command> [options]

Orders    ${listNames(Object.keys(clientCommands))}
          ${Object.keys(nounCommands).join('  ')}

Nouns     assayer <noun> <verb>, one for every operation of the API:
          ${listNames(NOUNS)}

Lab       assayer lab <noun> <verb>, for the staff of the lab:
          ${listNames(LAB_NOUNS)}

Program   ${listNames([...Object.keys(serverCommands), 'completion', 'version'])}

More      assayer help commands     what each does; also exit-codes and filter
          assayer <command> --help  the options of one, with an example`;
}

function writeCommands(nouns: string): string {
  const groups = {
    Orders: { ...clientCommands, ...nounCommands },
    'The server': serverCommands,
    'This program': ownCommands,
  };
  const lists = Object.entries(groups).map(([title, group]) => {
    const rows = Object.entries(group).map(([name, { summary }]) => [name, summary] as const);
    return `${title}:\n${layRows(rows)}`;
  });
  return [...lists, nouns].join('\n\n');
}

/** What is special about a command for the process that runs it; that of an operation talks to a service. */
export function findCommand([name = '']: readonly string[]) {
  const { cleansUp = false, isServer = false } = commands.get(name) ?? {};
  const isOwn = Object.hasOwn(ownCommands, name) || Object.hasOwn(serverCommands, name);
  return { cleansUp, isServer, isClient: !isOwn };
}

/** Runs the command in the current terminal and answers its exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  // A program reads one object from standard error where the command fails, and nothing before it.
  const heldNotes = isJsonWanted(args) ? [] : undefined;
  try {
    await runInTerminal({ ...getTerminal(), heldNotes }, () => runChosen(args));
    heldNotes?.forEach(printNote);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printNote(describeError(error, args));
    return error.exitCode;
  }
}

async function runChosen(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [topic] = rest;
    if (topic === undefined || name !== 'help') printHelp(writeUsage());
    else if (topic === 'filter')
      printHelp(writeFilterHelp((await import('#core/filter/fields.ts')).FILTER_FORMS));
    else if (topic === 'exit-codes')
      printHelp(`Exit codes of assayer:\n\n${layRows(Object.entries(EXIT_MEANINGS))}`);
    else if (topic === 'commands') printHelp(writeCommands((await loadNouns()).writeNouns()));
    else await runNamed([...rest, '--help'], HELP_TOPICS);
    return;
  }
  await runNamed(/^(?:--version|-[vV])$/.test(name) ? ['version', ...rest] : args);
}

async function runNamed(args: readonly string[], topics: typeof HELP_TOPICS = []): Promise<void> {
  const [name = ''] = args;
  if (name.startsWith('-'))
    throw new CommandError(
      `Options stand behind the command: "assayer COMMAND ${name} …". "assayer --help" lists the commands.`,
      EXIT.misused,
    );
  const named = findNamed(args);
  if (named !== undefined) return loadAndRun(named.command, named.rest);
  const own = [...commands].flatMap(([command, each]) =>
    (each.verbs ?? []).map((verb) => [`${command} ${verb}`, each] as const),
  );
  const others = [...Object.entries(nounCommands), ...own].map(
    ([words, { summary }]) => [words, `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`] as const,
  );
  if (await (await loadNouns()).runNoun(args, others)) return;
  const near = findNearest(name, [...commands.keys(), ...NOUNS, 'lab', ...topics.map(([topic]) => topic)]);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new CommandError(`There is no command "${name}".${hint} "assayer --help" lists them.`, EXIT.misused);
}

/** The command that the first words name, with the arguments that follow. */
function findNamed(args: readonly string[]) {
  for (const count of [2, 1]) {
    const command = commands.get(args.slice(0, count).join(' '));
    const rest = args.slice(count);
    if (command !== undefined && !isOperation(command, rest)) return { command, rest };
  }
  return undefined;
}

/** Whether the verb is that of an operation, although the first word is a command, too. */
function isOperation({ verbs }: Command, [verb = '']: readonly string[]): boolean {
  return verbs !== undefined && /^[a-z]+(?:-[a-z]+)*$/.test(verb) && !verbs.includes(verb);
}

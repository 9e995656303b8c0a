/** Parses options of the client commands: every mistake gets a sentence, and `--help` shows examples. */
import { getErrorMessage } from '#core/records.ts';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { findNearest } from '#core/nearest.ts';
import { CommandError, createRepeatError } from './command-error.ts';
import { printHelp } from './help-layout.ts';

type OptionTable = NonNullable<ParseArgsConfig['options']>;

export interface CommandGuide {
  readonly name: string;
  readonly help: string;
  /** The operands of the command, such as `['FILE']`. */
  readonly operands: readonly string[];
  /** The last operand may be repeated. */
  readonly isOpenEnded?: boolean;
}

export const CONNECTION_OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  'data-dir': { type: 'string' },
  // A script may add it to every command, also to one that asks nothing.
  yes: { type: 'boolean' },
} as const satisfies OptionTable;

export const CONNECTION_HELP = `Server:
  --url URL        address of the service (ASSAYER_URL); default: the one of the last "assayer login", else the one
                   running on this machine
  --token TOKEN    access token (ASSAYER_TOKEN); default: the one of "assayer login", else the one that a service
                   left for its own machine
  --data-dir DIR   where that service keeps its data (DATA_DIR); default: .assayer`;

/** Returns the parsed options, or undefined after printing the help, which each command has. */
export function parseOptions<Options extends OptionTable>(
  guide: CommandGuide,
  args: readonly string[],
  options: Options,
) {
  if (isHelpWanted(args)) {
    printHelp(guide.help);
    return undefined;
  }
  const parsed = parseStrictly(guide, args, options);
  const { length } = parsed.positionals;
  if (length < guide.operands.length)
    throw createUsageError(guide, `${guide.operands[length] ?? 'An operand'} is missing`);
  if (length > guide.operands.length && guide.isOpenEnded !== true)
    throw createUsageError(guide, `"${parsed.positionals[guide.operands.length]}" is one argument too many`);
  return parsed;
}

/** Whether a planned run is named in place of an experiment, which is then no operand. */
export function hasRunOption(args: readonly string[]): boolean {
  const options = { run: { type: 'string' } } as const;
  return (
    parseArgs({ args: [...args], options, allowPositionals: true, strict: false }).values.run !== undefined
  );
}

export function createUsageError(guide: CommandGuide, what: string): CommandError {
  return new CommandError(`${what}; see "assayer ${guide.name} --help".`, 2);
}

/** Names the verbs of a command, and the one that was probably meant. */
export function createVerbError(guide: CommandGuide, verb: string, verbs: readonly string[]): CommandError {
  const near = findNearest(verb, verbs);
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
  const verbList = `the ${verbs.length === 1 ? 'verb' : 'verbs'} ${verbs.join(', ')}`;
  return createUsageError(guide, `"assayer ${guide.name}" has ${verbList}, not "${verb}"${hint}`);
}

function isHelpWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

function parseStrictly<Options extends OptionTable>(
  guide: CommandGuide,
  args: readonly string[],
  options: Options,
) {
  try {
    const parsed = parseArgs({
      args: joinNumbers(args, options),
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const named = parsed.tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const isSingle = (name: string): boolean =>
      options[name]?.type === 'string' && options[name].multiple !== true;
    const repeated = named.find((name, index) => isSingle(name) && named.indexOf(name) < index);
    if (repeated !== undefined) throw createRepeatError(repeated);
    return parsed;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const text = getErrorMessage(error);
    const unknown = /^Unknown option '(-[^']+)'/.exec(text)?.[1];
    if (unknown !== undefined)
      throw createUsageError(guide, describeUnknownOption(guide, unknown, [...Object.keys(options), 'help']));
    throw createUsageError(guide, text.split('. ', 1)[0]?.replace(/\.$/, '') ?? text);
  }
}

/** A negative number is a value, which the command judges by itself; the parser would take it for an option. */
function joinNumbers(args: readonly string[], options: OptionTable): string[] {
  return args.flatMap((arg, index) => {
    const takes = (name = ''): boolean => name.startsWith('--') && options[name.slice(2)]?.type === 'string';
    if (takes(args[index - 1]) && /^-\d/.test(arg)) return [];
    const next = args[index + 1] ?? '';
    return takes(arg) && /^-\d/.test(next) ? [`${arg}=${next}`] : [arg];
  });
}

function describeUnknownOption(guide: CommandGuide, option: string, known: readonly string[]): string {
  const near = findNearest(option.replace(/^-+/, ''), known);
  const hint = near === undefined ? '' : ` (did you mean --${near}?)`;
  return `"assayer ${guide.name}" has no option ${option}${hint}`;
}

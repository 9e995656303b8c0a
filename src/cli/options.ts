/** What a command takes, stated once: the parser, the types of the values, the help and the completion read it. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { findNearest } from '#core/nearest.ts';
import { getErrorMessage } from '#core/records.ts';
import { joinWords } from '#core/words.ts';
import { CommandError, createRepeatError, describeValueMistake, requireValue } from './command-error.ts';
import { layRows } from './help-layout.ts';

type OptionTexts = Readonly<Record<string, string>>;
type OptionTable = NonNullable<ParseArgsConfig['options']>;

export interface CommandGuide<Options extends OptionTexts = OptionTexts> {
  readonly name: string;
  /** What stands behind the name in each line of the usage. */
  readonly usage: readonly string[];
  /** By default those with which the usage begins: `CODE`, `[SEQUENCE]` that may be left out, `FILE...` of several. */
  readonly operands?: readonly string[];
  readonly about: string;
  /**
   * What each option means: `name VALUE` takes a text, `name VALUE…` one each time it is given, and `name` is a switch.
   * One without a meaning stands in no list of the help.
   */
  readonly options: Options;
  readonly notes?: string;
  /** Behind `assayer`. */
  readonly examples?: readonly string[];
}

type NameOf<Form> = Form extends `${infer Name} ${string}` ? Name : Form;
type ValueOf<Form> = Form extends `${string} ${infer Value}`
  ? Value extends `${string}…`
    ? readonly string[]
    : string
  : boolean;
export type OptionValues<Options> = {
  readonly [Form in keyof Options & string as NameOf<Form> & string]?: ValueOf<Form> | undefined;
};

/** For a command that asks a service. */
export const CONNECTION = {
  'url URL':
    'address of the service (ASSAYER_URL); default: the one of the last "assayer login", else the one running on this machine',
  'token TOKEN':
    'access token (ASSAYER_TOKEN); default: the one of "assayer login", else the one that a service left for its own machine',
  'data-dir DIR': 'where that service keeps its data (DATA_DIR); default: .assayer',
} as const;
/** For a command of several changes, which `runAttempt` makes. */
export const AGAIN = {
  'idempotency-key KEY':
    'goes on where the command with this key stopped, and makes nothing twice; a command that stops where nobody knows what was done names its key',
} as const;
/** For a command that works on the database of the settings. */
export const DATA_DIR = {
  'data-dir DIR': 'where the service keeps its data (DATA_DIR); default: .assayer',
} as const;
const SECTIONS: readonly (readonly [title: string, options: OptionTexts])[] = [
  ['Again', AGAIN],
  ['Server', CONNECTION],
];
const SHORT: Readonly<Record<string, string>> = { output: 'o', target: 't', yes: 'y' };

/** Lays out usage, texts, options and examples. */
export function writeHelp({ name, usage, about, options, notes, examples = [] }: CommandGuide): string {
  const forms = usage.map((form, index) => `${index === 0 ? 'Usage:' : '      '} assayer ${name} ${form}`);
  const entries = Object.entries(options).filter(([, meaning]) => meaning !== '');
  const lay = (title: string, isMeant: (form: string, meaning: string) => boolean): string => {
    const rows = entries.filter(([form, meaning]) => isMeant(form, meaning));
    if (rows.length === 0) return '';
    return title + layRows(rows.map(([form, meaning]) => [`--${form.replace('…', '')}`, meaning]));
  };
  const isIn = (section: OptionTexts, form: string, meaning: string): boolean => section[form] === meaning;
  return [
    forms.map((form) => form.trimEnd()).join('\n'),
    about,
    lay('', (form, meaning) => !SECTIONS.some(([, section]) => isIn(section, form, meaning))),
    notes ?? '',
    ...SECTIONS.map(([title, section]) => lay(`${title}:\n`, (...entry) => isIn(section, ...entry))),
    examples.length === 0 ? '' : `Examples:\n${examples.map((line) => `  assayer ${line}`).join('\n')}`,
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

/** What a command is given: its options by their names, and its operands. */
export interface Parsed<Guide extends CommandGuide> {
  readonly values: OptionValues<Guide['options']>;
  readonly positionals: readonly string[];
}

/** Every mistake is a sentence. */
export function parseOptions<Guide extends CommandGuide>(
  guide: Guide,
  args: readonly string[],
): Parsed<Guide> {
  const { values, positionals } = parseStrictly(guide, args);
  const [verb] = positionals;
  const verbs = listVerbs(guide);
  if (verbs.length > 0 && verb === undefined)
    throw createUsageError(guide, `${joinWords(verbs, 'or')} is missing`);
  if (verbs.length > 0 && verb !== undefined && !verbs.includes(verb)) {
    const near = findNearest(verb, verbs);
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
    throw createUsageError(
      guide,
      `"assayer ${guide.name}" takes ${joinWords(verbs, 'or')}, not "${verb}"${hint}`,
    );
  }
  // `[--csv | --json]`: one of them.
  for (const [, one = '', other = ''] of guide.usage.join(' ').matchAll(/\[--([\w-]+)[^|\]]*\| --([\w-]+)/g))
    if (Object.hasOwn(values, one) && Object.hasOwn(values, other))
      throw createUsageError(guide, `--${one} and --${other} exclude each other`);
  const operands = listOperands(guide, values);
  const needed = operands.filter((operand) => !operand.startsWith('['));
  const missing = needed.find((_, index) => (positionals[index] ?? '') === '');
  if (missing !== undefined) throw createUsageError(guide, `${missing.replace(/\.{3}$/, '')} is missing`);
  const surplus = positionals[operands.length];
  if (surplus !== undefined && !operands.some((operand) => /\.{3}\]?$/.test(operand)))
    throw createUsageError(guide, `"${surplus}" is one argument too many`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parser has the table of the same forms
  return { values: values as OptionValues<Guide['options']>, positionals };
}

/** The words in small letters with which forms of the usage begin. */
export function listVerbs({ usage }: Pick<CommandGuide, 'usage'>): readonly string[] {
  const verbs = usage.flatMap(
    (form) => /^[a-z][a-z-]*(?: \| [a-z][a-z-]*)*/.exec(form)?.[0].split(' | ') ?? [],
  );
  return [...new Set(verbs)];
}

/** An option with which a form of the usage begins stands for that form: `--run RUN [FILE...]`. */
function listOperands({ operands, usage: forms }: CommandGuide, values: object): readonly string[] {
  const isGiven = (form: string): boolean => Object.hasOwn(values, /^--(\S+)/.exec(form)?.[1] ?? '');
  const form = forms.find(isGiven)?.replace(/^\S+ \S+ /, '') ?? forms[0] ?? '';
  return (
    operands ??
    form
      .replaceAll(/ \| \S+/g, '')
      .split(/(?:^| )\[?-/, 1)[0]
      ?.match(/\S+/g) ??
    []
  );
}

export function createUsageError({ name }: Pick<CommandGuide, 'name'>, what: string): CommandError {
  return new CommandError(`${what}; see "assayer ${name} --help".`, 2);
}

/** The value of an option that has few, or undefined where it is not given. */
export function requireChoice<Choice extends string>(
  guide: Pick<CommandGuide, 'name'>,
  option: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined || value === undefined) return choice;
  const near = findNearest(value, choices);
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
  throw createUsageError(guide, `--${option} must be ${joinWords(choices, 'or')}${hint}`);
}

export function isHelpWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

/** A script may add `--yes` to every command, also to one that asks nothing. */
function createTable({ options }: CommandGuide): OptionTable {
  const entries = [...Object.keys(options), 'yes'].map((form): [string, OptionTable[string]] => {
    const [name = '', value] = form.split(' ');
    const short = SHORT[name];
    const type = value === undefined ? 'boolean' : 'string';
    return [name, { type, multiple: form.endsWith('…'), ...(short === undefined ? {} : { short }) }];
  });
  return Object.fromEntries(entries);
}

function parseStrictly(guide: CommandGuide, args: readonly string[]) {
  const options = createTable(guide);
  try {
    const parsed = parseArgs({
      args: joinNumbers(args, options),
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const seen = new Set<string>();
    for (const token of parsed.tokens) {
      if (token.kind !== 'option' || token.value === undefined) continue;
      requireValue(token.name, token.value);
      if (seen.has(token.name) && options[token.name]?.multiple !== true) throw createRepeatError(token.name);
      seen.add(token.name);
    }
    return parsed;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const text = getErrorMessage(error);
    const unknown = /^Unknown option '(-[^']+)'/.exec(text)?.[1];
    if (unknown !== undefined)
      throw createUsageError(guide, describeUnknownOption(guide, unknown, [...Object.keys(options), 'help']));
    throw createUsageError(guide, describeValueMistake(text));
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

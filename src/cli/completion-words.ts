/** `assayer completion words`: what the scripts of shells ask for at each Tab. It reads guides and operations, no list. */
import { listOfferedNames } from '#assays/registry.ts';
import type { Operation } from '#core/operation.ts';
import { toRecord } from '#core/records.ts';
import { connect, type Api } from './api.ts';
import { HELP_TOPICS, listCommands } from './commands.ts';
import { createCommand } from './kit.ts';
import { listFlags, listOperands } from './kit-flags.ts';
import { getItemSchema, listLeaves } from './list-columns.ts';
import { groupVerbs } from './nouns.ts';
import { CONNECTION, listVerbs, type Parsed, type CommandGuide } from './options.ts';
import { operationsByWords } from './siblings.ts';
import { print, readAll } from './terminal.ts';
import { toText } from './words.ts';

/** A word with what it does. */
type Choice = readonly [word: string, summary: string];

/** A value that only the service knows. */
type Asked = 'codes' | 'targets';

interface CommandWords {
  readonly following: readonly Choice[];
  /** Options with the values that can follow them; undefined for a switch. */
  readonly options: ReadonlyMap<string, readonly string[] | Asked | undefined>;
  /** Whether the code of an experiment may follow. */
  readonly takesCode: boolean;
}

export const guide = {
  name: 'completion words',
  usage: ['-- WORD…'],
  operands: ['[WORD...]'],
  about:
    'Prints what can stand in place of the last word, each with what it does. The scripts of "assayer completion" ask it.',
  options: CONNECTION,
};
/** Some shells evaluate the words that they complete, so a word has no letter that means something to one. */
const PLAIN = /^[\w.,-]+$/;
/** Of commands that are no operations, by the names of their options. */
const VALUES: Readonly<Record<string, readonly string[] | Asked>> = {
  '--type': listOfferedNames(),
  '--method': ['bli', 'spr'],
  '--library': ['naive', 'enriched'],
  '--payment-method': ['x402-exact', 'mpp-spt', 'async_invoice'],
  '--target': 'targets',
};
const ADDRESSES: Readonly<Record<Asked, string>> = {
  codes: '/experiments?sort=-created_at&limit=100',
  targets: '/targets?limit=100',
};

const PATIENCE_MS = 1_500;

/** Prints nothing where nothing is known: a completion never complains. */
export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  for (const [word, summary] of await completeWords(positionals, () => connect(values)))
    print(summary === '' ? word : `${word}\t${summary}`);
}

async function completeWords(typed: readonly string[], connect: () => Api): Promise<readonly Choice[]> {
  const last = typed.at(-1) ?? '';
  const isHelp = typed[0] === 'help' && typed.length > 1;
  const before = typed.slice(isHelp ? 1 : 0, -1);
  const names = [...listCommands().map(({ name }) => name), ...operationsByWords.keys()];
  const join = (count: number): string => before.slice(0, count).join(' ');
  const isBegun = (count: number): boolean => names.some((name) => `${name} `.startsWith(`${join(count)} `));
  const depth = before.findLastIndex((_, index) => isBegun(index + 1)) + 1;
  const { following, options, takesCode } = await describeWords(join(depth), names);
  const words = [...following, ...(isHelp && depth === 0 ? HELP_TOPICS : [])];
  // Of names with commas between them the last one is begun.
  const list = /^.*,/.exec(last)?.[0] ?? '';
  const choose = async (choices: readonly Choice[] | Asked): Promise<readonly Choice[]> => {
    const all = typeof choices === 'string' ? await ask(choices, connect) : choices;
    return all
      .map(([word, summary]): Choice => [`${list}${word}`, summary])
      .filter(([word]) => word.startsWith(last) && PLAIN.test(word));
  };
  if (last.startsWith('-')) return choose([...options.keys()].map((name) => [name, '']));
  const values = options.get(before.at(-1) ?? '');
  if (values !== undefined)
    return choose(typeof values === 'string' ? values : values.map((value) => [value, '']));
  if (depth === before.length && words.length > 0)
    return [...(await choose(words)), ...(takesCode ? await choose('codes') : [])];
  return takesCode ? choose('codes') : [];
}

/** Nothing where no service answers soon. */
async function ask(asked: Asked, connect: () => Api): Promise<readonly Choice[]> {
  try {
    const pieces = await connect().stream(ADDRESSES[asked], {}, AbortSignal.timeout(PATIENCE_MS));
    const { items } = toRecord(JSON.parse((await readAll(pieces)).toString()));
    const named = Array.isArray(items) ? items.map(toRecord) : [];
    return named.map((item) => [toText(item[asked === 'codes' ? 'code' : 'name']), '']);
  } catch {
    return [];
  }
}

async function describeWords(words: string, names: readonly string[]): Promise<CommandWords> {
  const commands = listCommands();
  const command = commands.find(({ name }) => name === words);
  const operation = operationsByWords.get(words);
  const own =
    operation !== undefined
      ? describeOperation(words, operation)
      : command === undefined
        ? { following: [], options: new Map([['--help', undefined]]), takesCode: false }
        : describeGuide(await command.readGuide());
  const start = words === '' ? '' : `${words} `;
  const next = new Set(
    names.flatMap((name) => (name.startsWith(start) ? name.slice(start.length).split(' ')[0] : [])),
  );
  const verbs = groupVerbs();
  const summarize = (full: string): string =>
    commands.find(({ name }) => name === full)?.summary ??
    operationsByWords.get(full)?.summary ??
    verbs.get(full)?.join(', ') ??
    '';
  const following = [...next].map((word): Choice => [word, summarize(`${start}${word}`)]);
  const help: readonly Choice[] = words === '' ? [['help', 'explain a command']] : [];
  return { ...own, following: [...following, ...own.following, ...help] };
}

function describeOperation(words: string, operation: Operation): CommandWords {
  const { output, list } = operation;
  const item = list === undefined ? output : getItemSchema(operation);
  const fields = listLeaves(item);
  const given: [string, readonly string[] | Asked][] = listFlags(operation).map(({ name, choices, path }) => {
    const isCode = /^experiment_ids?$/.test(path.at(-1) ?? '');
    return [`--${name}`, isCode ? 'codes' : path.at(-1) === 'target_id' ? 'targets' : choices];
  });
  const known = new Map<string, readonly string[] | Asked>([
    ...given,
    ['--fields', fields],
    ['--sort', list?.sortable ?? []],
  ]);
  const options = createCommand(words, operation).options.filter(({ hidden }) => !hidden);
  return {
    following: [],
    options: new Map([
      ['--help', undefined],
      ...options.map(
        ({ long, required }) => [long ?? '', required ? (known.get(long ?? '') ?? []) : undefined] as const,
      ),
    ]),
    takesCode: listOperands(operation)[0] === 'experiment_id',
  };
}

function describeGuide({ usage, options }: CommandGuide): CommandWords {
  const forms = Object.keys(options).map((form) => `--${form}`.split(' '));
  return {
    following: listVerbs({ usage }).map((verb): Choice => [verb, '']),
    options: new Map([
      ['--help', undefined],
      ...forms.map(
        ([name = '', value]) => [name, value === undefined ? undefined : (VALUES[name] ?? [])] as const,
      ),
    ]),
    takesCode: /\bCODE\b/.test(usage.join(' ')),
  };
}

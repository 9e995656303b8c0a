/**
 * The commands of operations: `assayer <noun> <verb>`, with flags from the schemas and a table from the answer. A new
 * operation has its command by itself. For example, in a script that `scripts/node` runs:
 *
 *     import { runOperation } from '#cli/kit.ts';
 *     import { listQuotes } from '#features/quotes/contract.ts';
 *     await runOperation('quotes list', listQuotes, ['--filter', 'eq(status,open)', '--json']);
 *
 * The kit is this file, kit-flags.ts and kit-request.ts. What one operation needs beyond is a command of its own.
 */
import { Command, CommanderError, Option } from 'commander';
import { needsCare, takesIdempotencyKey, type Operation } from '#core/operation.ts';
import { toRecord } from '#core/records.ts';
import { createApi } from './api.ts';
import { CommandError, describeMistake, describeValueMistake, RefusedError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { EXPERIMENT_CODE } from './find-item.ts';
import { answerEach, isDocument, isMoving, USUAL_ITEMS } from './answers.ts';
import { HELP_WIDTH, printHelp, quoteForShell } from './help-layout.ts';
import { isList } from './list-columns.ts';
import { askFirst, describeEffect } from './question.ts';
import { writeForTyping } from './siblings.ts';
import { formatArguments, listFlags, listOperands, type Flag, type Request } from './kit-flags.ts';
import { createUsageError } from './options.ts';
import { createResolver, findOperand, type Collections } from './kit-values.ts';
import { nameRefusal } from './name-problems.ts';
import { collectTyped, type TypedMembers } from './typed-members.ts';
import { checkRequest, readRequest, type Given, type Reader } from './kit-request.ts';

const FILES = '\n@FILE in place of a value is what the file holds, @- standard input.\n';

/** Runs the operation with the arguments that follow its words, or prints its help. */
export async function runOperation(
  words: string,
  operation: Operation,
  args: readonly string[],
  collections: Collections = new Map(),
): Promise<void> {
  const flags = listFlags(operation);
  const command = createCommand(words, operation);
  const typed = collectTyped(command, flags);
  // The parser would take the next option for the value, as where a variable of the shell is unset.
  const named = new Map(command.options.map(({ long, required }) => [long ?? '', required]));
  const bare = args.find((arg, index) => named.get(arg) === true && named.has(args[index + 1] ?? ''));
  if (bare !== undefined)
    throw createUsageError({ name: words }, describeValueMistake(`${bare} is ambiguous`));
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    const hint = findFilterHint(operation, error.message, args);
    throw new CommandError(
      `${describeMistake(error, words)}; ${hint ?? `see "assayer ${words} --help"`}.`,
      2,
    );
  }
  const given: Given = { ...command.opts(), words };
  refuseServiceUrl(operation, flags, typed, given);
  const connection = requireConnection({ ...given, 'data-dir': given.dataDir });
  const api = createApi(connection);
  const reader: Reader = {
    typed,
    resolve: createResolver(api, operation, collections),
    findOperand: (name, text, params) => findOperand(api, operation, collections, { name, text, params }),
  };
  const requests: Request[] = [];
  for (const operands of listCalls(operation, command.args))
    requests.push(await readRequest(operation, reader, operands, { ...given, token: connection.token }));
  for (const request of requests) await checkRequest(operation, flags, request);
  const said = { words: [words, ...command.args].join(' '), isAgreed: given.yes };
  for (const request of requests.slice(0, 1)) await askFirst(api, operation, request, said);
  await answerEach(api, operation, requests, given).catch((error: unknown) => {
    throw error instanceof RefusedError ? nameRefusal(flags, error, operation.list) : error;
  });
}

/** What a person wants who gives a field of a list as an option, or the experiment as an operand. */
function findFilterHint(
  { list, query }: Operation,
  mistake: string,
  args: readonly string[],
): string | undefined {
  const [, option, name = ''] = /unknown option '(--([a-z-]+))/.exec(mistake) ?? [];
  const field = name.replaceAll('-', '_');
  if (option !== undefined && list?.filterable.includes(field) === true) {
    const value = args[args.indexOf(option) + 1] ?? 'VALUE';
    return `write --filter 'eq(${field},${value})'`;
  }
  const code = args.find((arg) => EXPERIMENT_CODE.test(arg));
  const isByExperiment = 'experiment_id' in toRecord(query?.properties);
  if (mistake.includes('too many arguments') && code !== undefined && isByExperiment)
    return `write --experiment-id ${code}`;
  return undefined;
}

/** The address of a webhook is what a person means by `--url`, which is that of the service. */
function refuseServiceUrl(
  { body }: Operation,
  flags: readonly Flag[],
  typed: TypedMembers,
  given: Given,
): void {
  const flag = flags.find(({ name, path }) => path.join('.') === 'url' && name !== 'url');
  if (flag === undefined || given.url === undefined || given.body !== undefined || typed.has('url')) return;
  const isNeeded = [toRecord(body)['required']].flat().includes('url');
  if (isNeeded || typed.size === 0)
    throw new CommandError(`--url is the address of the service; --${flag.name} is the one to call.`, 2);
}

/** The operands of each call: one for every file. */
function listCalls(operation: Operation, operands: readonly string[]): (readonly string[])[] {
  if (operation.upload === undefined) return [operands];
  const count = listOperands(operation).length;
  return operands.slice(count).map((file) => [...operands.slice(0, count), file]);
}

/** What the command takes, with its help. */
export function createCommand(words: string, operation: Operation): Command {
  const { summary, description, list, media, body, params, text, upload } = operation;
  const isListed = isList(operation);
  const command = new Command(`assayer ${words}`).exitOverride().allowExcessArguments(false);
  command.configureOutput({
    writeOut: (shown) => printHelp(writeForTyping(shown.trimEnd()), HELP_WIDTH),
    outputError: () => undefined,
    getOutHelpWidth: () => Infinity,
  });
  const paragraphs = [`${summary}.`, description ?? '', describeEffect(operation)];
  command.description(paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'));
  for (const name of listOperands(operation)) {
    const { description: meaning } = toRecord(params?.properties[name]);
    command.argument(`<${name.replaceAll('_', '-')}>`, typeof meaning === 'string' ? meaning : '');
  }
  if (upload !== undefined) command.argument('<file...>', upload.description);
  if (text !== undefined) command.argument('<file>', 'the file with the text; - is standard input');
  for (const option of listFlags(operation).flatMap(({ options }) => options)) command.addOption(option);
  const hasFile = isDocument(operation) || (media !== undefined && isListed);
  const isRecord = !isDocument(operation) && operation.success !== 204;
  const own: readonly (readonly [boolean, string, string])[] = [
    [body !== undefined, '--body <file>', 'the body as JSON, which flags complete; - is standard input'],
    [isListed, '--limit <number>', `at most this many; else ${USUAL_ITEMS}, with --csv all`],
    [isListed, '--all', 'every item, page by page'],
    [isMoving(operation), '--watch', 'renew it until Ctrl+C; without a terminal a line for each change'],
    [isListed, '--csv', 'every plain value of every item, for spreadsheets'],
    [isRecord, '--fields <names>', 'these fields alone, separated by commas'],
    [true, '--json', 'the answer of the API, of a list one object on each line; errors as JSON'],
    [hasFile, '-o, --output <file>', 'where the document goes; - is standard output'],
    [hasFile, '--force', 'replace a file that exists'],
    [needsCare(operation), '--yes', 'do not ask'],
    [takesIdempotencyKey(operation), '--idempotency-key <key>', 'the key of the first attempt, to repeat it'],
    [true, '--url <url>', 'address of the service (ASSAYER_URL)'],
    [true, '--token <token>', 'access token (ASSAYER_TOKEN)'],
    [true, '--data-dir <folder>', 'where a service on this machine keeps its data (DATA_DIR)'],
  ];
  for (const [isOffered, form, meaning] of own) if (isOffered) command.option(form, meaning);
  if (!needsCare(operation)) command.addOption(new Option('--yes').hideHelp());
  const file =
    upload === undefined && text === undefined
      ? undefined
      : (operation.example.params?.['name'] ?? 'file.csv');
  const args = formatArguments(operation, { ...operation.example, file });
  const example = [words, ...args.map(quoteForShell)].join(' ');
  const fields = `\nFields for --filter ("assayer help filter") and --sort: ${list?.filterable.join(', ')}.\n`;
  return command
    .helpOption('-h, --help', 'print this')
    .addHelpText(
      'after',
      `${list === undefined ? '' : fields}${body === undefined ? '' : FILES}\nExample:\n  assayer ${example}`,
    );
}

/** What the text of a flag or an operand says: a value, the content of a file, or the name of a thing. */
import { isUuid } from '#core/ids.ts';
import type { Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { parseDecimal } from '#core/texts.ts';
import { readChains } from '#features/targets/request-rules.ts';
import { fillPath } from './requests.ts';
import type { Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { EXPERIMENT_CODE, findItem, requireItem, type Collection } from './find-item.ts';
import { readTextFile } from './files.ts';
import { listForms, type Flag } from './kit-flags.ts';
import { getItemSchema, isList } from './list-columns.ts';
import { parseSequences } from './sequence-file.ts';
import { toText } from './words.ts';

/** Every list of the service by its path. */
export type Collections = ReadonlyMap<string, Collection>;

/** The value with ids in place of the names in it, as far as the schema says what they are of. */
export type Resolve = (schema: unknown, value: unknown, params: UnknownRecord) => Promise<unknown>;

/** Ids that say what they are of: `qt_…`. */
const PREFIXED_ID = /^[a-z]+_\w{8,}$/;

export function listCollections(operations: ReadonlyMap<string, Operation>): Collections {
  return new Map(
    [...operations]
      .filter(([, operation]) => isList(operation) || isListing(operation))
      .map(([words, { path, query, list, output }]) => {
        const hasHidden = 'show_conjugated' in toRecord(query?.properties);
        const isOfExperiments = 'experiment_code' in toRecord(getItemSchema({ output })['properties']);
        return [path, { path, words, hasHidden, isOfExperiments, isWhole: list === undefined }];
      }),
  );
}

/** Whether it answers the whole list in a member of the name that its path ends with. */
function isListing({ method, path, output }: Operation): boolean {
  const member = toRecord(toRecord(output)['properties'])[path.slice(path.lastIndexOf('/') + 1)];
  return method === 'GET' && toRecord(member)['type'] === 'array';
}

/** Finds the things that members of a query or a body name; those of the lab in its own lists first. */
export function createResolver(api: Api, operation: Operation, collections: Collections): Resolve {
  // Of what the command itself names first: the sequence of its experiment.
  const start = /^\/(?:lab\/)?[\w-]+\/\{\w+\}/.exec(operation.path)?.[0] ?? '';
  const areas = [start, ...(operation.path.startsWith('/lab/') ? ['/lab'] : []), ''];
  const resolve = async (
    schema: unknown,
    value: unknown,
    params: UnknownRecord,
    name = '',
  ): Promise<unknown> => {
    const forms = listForms(schema);
    if (Array.isArray(value)) {
      const { items } = forms.find((form) => form['items'] !== undefined) ?? {};
      const entries: unknown[] = [];
      for (const entry of value) entries.push(await resolve(items, entry, params, name));
      return entries;
    }
    if (isRecord(value)) {
      const record: Record<string, unknown> = {};
      for (const [member, each] of Object.entries(value)) {
        const anyOf = forms.flatMap(({ properties }) => toRecord(properties)[member] ?? []);
        record[member] = anyOf.length === 0 ? each : await resolve({ anyOf }, each, params, member);
      }
      return record;
    }
    const noun = /^(.+)_ids?$/.exec(name)?.[1];
    const list = areas.map((area) => collections.get(`${area}/${noun}s`)).find((each) => each);
    if (list === undefined || typeof value !== 'string') return value;
    const collection = { ...list, path: fillPath(list.path, params) };
    return findId(api, collection, { name: 'id', text: value, isCodeTaken: noun === 'experiment' });
  };
  return resolve;
}

/** An operand is an id, a code that the service takes, or the name of an item of the list whose part it is. */
export async function findOperand(
  api: Api,
  operation: Operation,
  collections: Collections,
  { name, text, params }: { readonly name: string; readonly text: string; readonly params: UnknownRecord },
): Promise<string> {
  const [place = ''] = operation.path.split(`/{${name}}`);
  const list = name.endsWith('_id') ? collections.get(place) : undefined;
  if (list === undefined) return text;
  const collection = { ...list, path: fillPath(place, params) };
  const isCodeTaken = name === 'experiment_id';
  const isUuidNeeded = toRecord(operation.params?.properties[name])['format'] === 'uuid';
  return findId(api, collection, { name, text, isCodeTaken, isUuidNeeded });
}

interface Sought {
  /** Of the parameter. */
  readonly name: string;
  readonly text: string;
  readonly isCodeTaken: boolean;
  /** Otherwise the service may know the text. */
  readonly isUuidNeeded?: boolean;
}

async function findId(
  api: Api,
  collection: Collection,
  { name, text, isCodeTaken, isUuidNeeded = true }: Sought,
): Promise<string> {
  if (text === '' || isUuid(text) || PREFIXED_ID.test(text)) return text;
  if (isCodeTaken && EXPERIMENT_CODE.test(text)) return text;
  const finding = await findItem(api, collection, text);
  if (finding.item === undefined && !isUuidNeeded) return text;
  const item = toRecord(requireItem(finding, collection, text));
  return toText(item[name] ?? item['id']);
}

/** A text that begins with `@` names a file; `@@` stands for a text that begins with `@`. */
export async function readValue(flag: Flag, text: string): Promise<unknown> {
  if (!text.startsWith('@')) return parseText(flag, text);
  if (text.startsWith('@@')) return parseText(flag, text.slice(1));
  const file = text.slice(1);
  const content = await readTextFile(file).catch((error: unknown) => {
    if (!(error instanceof CommandError && error.message.includes('no such file'))) throw error;
    const hint = `A text of --${flag.name} that begins with "@" is written with two.`;
    throw new CommandError(`${error.message} ${hint}`, error.exitCode);
  });
  const name = file === '-' ? '(standard input)' : file;
  if (flag.path.at(-1) === 'sequence') return readChains(content);
  if (flag.kind !== 'json') return parseText(flag, content.replace(/\r?\n$/, ''));
  if (flag.path.at(-1) === 'sequences' && !/^\s*[[{]/.test(content)) return parseSequences(content, name);
  try {
    return JSON.parse(content);
  } catch {
    throw new CommandError(`${name} is not JSON, which --${flag.name} takes.`, 2);
  }
}

/** What the text cannot be stays a text, which the schema then refuses by the name of the flag. */
function parseText({ kind }: Flag, text: string): unknown {
  if (kind === 'number') return parseDecimal(text) ?? text;
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

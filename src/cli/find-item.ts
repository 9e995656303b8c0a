/** Finds what a person names: a target by its gene, a quote by the code of its experiment, a price list by its version. */
import { isUuid } from '#core/ids.ts';
import { findNearest } from '#core/nearest.ts';
import { toRecord, type UnknownRecord } from '#core/records.ts';
import type { TargetInfo } from '#features/targets/contract.ts';
import type { Static } from '#core/schema.ts';
import type { Api } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { toPlainText } from './terminal.ts';
import { toText } from './words.ts';

export type Target = Pick<
  Static<typeof TargetInfo>,
  'id' | 'name' | 'uniprot_id' | 'gene_names' | 'organism' | 'selfservice'
>;

const CANDIDATES_SHOWN = 8;
const TARGETS: Collection = { path: '/targets', words: 'targets list', hasHidden: true };
/** Members that name an item, from the one that counts most; of a list of names the first one is the usual name. */
const NAMES: readonly RegExp[] = [
  /^(?:name|code|version|url)$/,
  /^(?:\w+_(?:id|number|code)|sequence_name|email)$/,
];
const NAME_LISTS = /_names$/;
const TITLES = /^(?:version|url|\w+_number|sequence_name|email)$/;
export const EXPERIMENT_CODE = /^[A-Z\d]{2,8}-\d{3,}-\d{3,}$/i;

/** A list of the service in which things are looked up. */
export interface Collection {
  readonly path: string;
  /** Those of the command that lists it. */
  readonly words: string;
  /** Whether it lists some items only on demand, as the catalog its conjugated targets. */
  readonly hasHidden: boolean;
  /** Whether each item belongs to an experiment, whose code a person may have in hand. */
  readonly isOfExperiments?: boolean;
  /** Whether it answers all items at once, without pages and search. */
  readonly isWhole?: boolean;
}

/** Searches by id, name, gene name or UniProt accession. */
export async function requireTarget(api: Api, nameOrId: string): Promise<Target> {
  if (!isUuid(nameOrId))
    return requireItem(await findItem<Target>(api, TARGETS, nameOrId), TARGETS, nameOrId);
  try {
    return await api.get<Target>(`/targets/${nameOrId}`, 'id name');
  } catch (error) {
    if (error instanceof RefusedError && error.refusal.code === 'target_not_found')
      throw new CommandError(
        `There is no target with the id ${nameOrId}; "assayer targets list" lists the catalog.`,
      );
    throw error;
  }
}

interface Finding<Item> {
  readonly item?: Item | undefined;
  /** Those that contain the word. */
  readonly near: readonly Item[];
}

/** An ambiguous name is an error with the candidates, since an order or a deletion depends on it. */
export async function findItem<Item extends object>(
  api: Api,
  { path, hasHidden, isWhole = false }: Collection,
  word: string,
): Promise<Finding<Item>> {
  if (isWhole) {
    const answer = await api.get<readonly Item[] & Partial<Record<string, readonly Item[]>>>(path);
    const all = answer[path.slice(path.lastIndexOf('/') + 1)] ?? answer;
    return { item: pickItem(word, all), near: all };
  }
  const search = `${path}?search=${encodeURIComponent(word)}`;
  const { items } = await api.list<Item>(search);
  const item = pickItem(word, items);
  if (item !== undefined) return { item, near: [] };
  // Conjugated forms share gene and accession with the plain protein, so only their names match.
  const all = hasHidden ? (await api.list<Item>(`${search}&show_conjugated=true`)).items : items;
  const hidden = pickItem(word, all);
  // A list that searches nothing answers whole.
  const near = all.filter((each) => listTexts(each).some((text) => text.includes(word.trim().toLowerCase())));
  return {
    item: hidden,
    near: hidden !== undefined || near.length > 0 ? near : await findNear<Item>(api, path, word),
  };
}

/** One slip leaves one half of a word as it is, unless it swaps the letters in the middle. */
async function findNear<Item extends object>(api: Api, path: string, word: string): Promise<readonly Item[]> {
  const middle = Math.ceil(word.length / 2);
  for (const part of [word.slice(0, middle), word.slice(middle), '']) {
    const search = part.trim() === '' ? '' : `search=${encodeURIComponent(part)}&`;
    const { items } = await api.readPage<Item>(`${path}?${search}limit=100`);
    const near = chooseNear(word, items);
    if (near.length > 0) return near;
  }
  return [];
}

/** Those with the name that the word was probably meant to be. */
function chooseNear<Item extends object>(word: string, items: readonly Item[]): readonly Item[] {
  const nearest = findNearest(word, items.flatMap(listTexts));
  return items.filter((item) => nearest !== undefined && listTexts(item).includes(nearest));
}

/** What an item is called, in lower case. */
function listTexts(item: object): string[] {
  const names = [...NAMES, NAME_LISTS].flatMap((rule) => listNames(item, rule)).flat();
  return names.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : []));
}

export function requireItem<Item extends object>(
  { item, near }: Finding<Item>,
  { words, isOfExperiments = false }: Collection,
  word: string,
): Item {
  if (item !== undefined) return item;
  if (isOfExperiments && EXPERIMENT_CODE.test(word))
    throw new CommandError(
      `${word} is the code of an experiment: "assayer ${words} --filter 'eq(experiment_code,${word})'" lists what it has.`,
    );
  const kind = words
    .replace(/ list$/, '')
    .replace(/^.* /, '')
    .replace(/ies$/, 'y')
    .replace(/s$/, '');
  const sentence = `No ${kind.replaceAll('-', ' ')} is called "${toPlainText(word)}".`;
  throw new CommandError(
    near.length === 0
      ? `${sentence} "assayer ${words}" lists what there is.`
      : `${sentence} ${near.length === 1 ? 'Did you mean this one?' : 'There are:'}\n${formatItems(near)}`,
  );
}

/** The only candidate with exactly this name. */
export function pickItem<Item extends object>(word: string, candidates: readonly Item[]): Item | undefined {
  const wanted = word.trim().toLowerCase();
  const is = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase() === wanted;
  const rules: readonly ((item: object) => boolean)[] = [
    ...NAMES.map((names) => (item: object) => listNames(item, names).some(is)),
    (item) => listNames(item, NAME_LISTS).some((list) => Array.isArray(list) && is(list[0])),
    (item) => listNames(item, NAME_LISTS).some((list) => Array.isArray(list) && list.some(is)),
  ];
  for (const rule of rules) {
    const all = candidates.filter(rule);
    // Of the quotes of an experiment the open one is meant.
    const open = all.filter((item) => toRecord(item)['status'] === 'open');
    const matches = open.length === 1 ? open : all;
    if (matches.length > 1)
      throw new CommandError(
        `"${toPlainText(word)}" names ${matches.length} of them; give the name or id of one:\n${formatItems(matches)}`,
      );
    if (matches.length === 1) return matches[0];
  }
  return undefined;
}

function listNames(item: object, names: RegExp): unknown[] {
  return Object.entries(item).flatMap(([name, value]): unknown[] => (names.test(name) ? [value] : []));
}

function formatItems(items: readonly object[]): string {
  const lines = items.slice(0, CANDIDATES_SHOWN).map((item) => {
    const {
      id,
      user_id: userId,
      name,
      code,
      experiment_code: ofCode,
      uniprot_id,
      organism,
      status,
    }: UnknownRecord = { ...item };
    const title = name ?? listNames(item, TITLES).find((text) => text !== null);
    const about = [code ?? ofCode, uniprot_id, organism, status].map(toText).filter((text) => text !== '');
    const details = about.length === 0 ? '' : ` (${about.join(', ')})`;
    return toPlainText(`  ${toText(title)}${details}  ${toText(id ?? userId)}`);
  });
  const more = items.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}

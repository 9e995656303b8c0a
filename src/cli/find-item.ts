/** Finds what a person names: a target by its gene, a quote by the code of its experiment, a price list by its version. */
import { isUuid } from '#core/ids.ts';
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
    const all = await api.get<readonly Item[]>(path);
    return { item: pickItem(word, all), near: all };
  }
  const search = `${path}?search=${encodeURIComponent(word)}`;
  const { items } = await api.list<Item>(search);
  const item = pickItem(word, items);
  if (item !== undefined || !hasHidden) return { item, near: items };
  // Conjugated forms share gene and accession with the plain protein, so only their names match.
  const all = await api.list<Item>(`${search}&show_conjugated=true`);
  return { item: pickItem(word, all.items), near: all.items };
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
  const kind = words.replace(/^lab /, '').replace(/s list$/, '');
  const sentence = `No ${kind.replaceAll('-', ' ')} is called "${toPlainText(word)}".`;
  throw new CommandError(
    near.length === 0
      ? `${sentence} "assayer ${words}" lists what there is.`
      : `${sentence} There are:\n${formatItems(near)}`,
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
    const { id, user_id: userId, name, code, uniprot_id, organism, status }: UnknownRecord = { ...item };
    const title = name ?? listNames(item, TITLES).find((text) => text !== null);
    const about = [code, uniprot_id, organism, status].map(toText).filter((text) => text !== '');
    const details = about.length === 0 ? '' : ` (${about.join(', ')})`;
    return toPlainText(`  ${toText(title)}${details}  ${toText(id ?? userId)}`);
  });
  const more = items.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}

/** Prices of antigens as lines of text, `DEMO-0001 = 5.00` or `DEMO-0002 = 24: 500.00; 96: 1500.00`. */
import { isUuid } from '#core/ids.ts';
import type { Output } from '#core/operation.ts';
import { listLabTargets } from '../../../targets/catalog-contract.ts';
import type { TargetPricing } from '../../../targets/contract.ts';
import { formatCents, parseCents } from '#ui/amount.ts';
import type { Caller } from '#ui/caller.ts';

type Target = Output<typeof listLabTargets>['items'][number];

const ON_REQUEST = 'on request';
/** Targets of one question, and the bytes of their names; a filter has a length that it may not pass. */
const ASKED_AT_ONCE = 20;
const ASKED_BYTES_MAX = 3_500;
/** No target has a longer catalog number. */
const NUMBER_LENGTH_MAX = 200;

interface Material {
  readonly target_id: string;
  readonly pricing: TargetPricing | null;
}

export function formatMaterials(
  materials: readonly Material[],
  numbers: ReadonlyMap<string, string>,
): string {
  return materials
    .map(({ target_id: id, pricing }) => `${numbers.get(id) ?? id} = ${formatPricing(pricing)}`)
    .join('\n');
}

export function formatPricing(pricing: TargetPricing | null): string {
  if (pricing === null) return ON_REQUEST;
  if (pricing.type === 'per_sequence') return formatCents(pricing.price_per_sequence_cents);
  return pricing.lot_prices
    .map((lot) => `${lot.num_sequences}: ${formatCents(lot.price_usdcent)}`)
    .join('; ');
}

interface MaterialLine {
  /** From 1. */
  readonly line: number;
  /** A catalog number, or the id of a target of one organization. */
  readonly name: string;
  readonly pricing: unknown;
}

/** Reads the lines; a price that is none stays text, so that the operation names the problem. */
export function parseMaterials(text: string): MaterialLine[] {
  return text.split('\n').flatMap((whole, index) => {
    const line = whole.trim();
    if (line === '') return [];
    const at = line.lastIndexOf('=');
    const name = (at === -1 ? line : line.slice(0, at)).trim();
    return [{ line: index + 1, name, pricing: parsePricing(at === -1 ? '' : line.slice(at + 1).trim()) }];
  });
}

function parsePricing(text: string): unknown {
  if (text.toLowerCase() === ON_REQUEST) return null;
  if (!text.includes(':')) return { type: 'per_sequence', price_per_sequence_cents: parseCents(text) };
  const lots = text.split(';').filter((part) => part.trim() !== '');
  return {
    type: 'per_broken_lot',
    lot_prices: lots.map((lot) => {
      const [sequences = '', price = ''] = lot.split(':').map((part) => part.trim());
      const count = Number(sequences);
      return {
        num_sequences: sequences !== '' && Number.isFinite(count) ? count : sequences,
        price_usdcent: parseCents(price),
      };
    }),
  };
}

/** Asks for targets by one of their fields, some at a time. */
async function listTargetsBy(
  api: Caller,
  field: 'id' | 'catalog_number',
  values: readonly string[],
): Promise<Target[]> {
  const found: Target[] = [];
  for (const batch of splitQuestions(values.map(quoteValue))) {
    const condition = `in(${field},${batch.join(',')})`;
    const filter = field === 'id' ? condition : `and(is_null(organization_id),${condition})`;
    const { items } = await api.call(listLabTargets, { query: { limit: 100, filter } });
    found.push(...items);
  }
  return found;
}

function splitQuestions(quoted: readonly string[]): string[][] {
  const batches: string[][] = [];
  let bytes = 0;
  for (const value of quoted) {
    bytes += Buffer.byteLength(value) + 1;
    const last = batches.at(-1);
    if (last !== undefined && last.length < ASKED_AT_ONCE && bytes <= ASKED_BYTES_MAX) last.push(value);
    else {
      batches.push([value]);
      bytes = Buffer.byteLength(value) + 1;
    }
  }
  return batches;
}

function quoteValue(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

export interface KnownTargets {
  /** The catalog number of each target for everyone, by its id. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, string>;
}

export async function loadTargets(api: Caller, materials: readonly Material[]): Promise<KnownTargets> {
  const targets = await listTargetsBy(
    api,
    'id',
    materials.map(({ target_id: id }) => id),
  );
  const listed = targets.filter(({ organization_id: owner }) => owner === null);
  return {
    numbers: new Map(listed.map((target) => [target.id, target.catalog_number])),
    names: new Map(targets.map((target) => [target.id, target.name])),
  };
}

/** Finds the id of each named target; undefined for a name that the catalog does not have. */
export async function findTargetIds(
  api: Caller,
  names: readonly string[],
): Promise<(name: string) => string | undefined> {
  const isNumber = (name: string): boolean =>
    !isUuid(name) && name !== '' && name.length <= NUMBER_LENGTH_MAX;
  const numbers = [...new Set(names.filter(isNumber))];
  const targets = await listTargetsBy(api, 'catalog_number', numbers);
  const idByNumber = new Map(targets.map((target) => [target.catalog_number, target.id]));
  return (name) => (isUuid(name) ? name : idByNumber.get(name));
}

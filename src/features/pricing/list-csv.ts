/** A price list as a CSV file: a row for each price, discount and antigen. Pure. */
import { formatCount } from '#core/words.ts';
import {
  findDelimiter,
  parseCsvField,
  readRows,
  writeCsvField,
  type LineProblem,
  type Row,
} from '#core/csv.ts';
import { experimentTypes } from '../experiments/types.ts';
import { LOTS_COLUMN, parsePricingCells, PRICE_COLUMN, writePricingCells } from '../targets/pricing-rules.ts';
import {
  findPriceListProblems,
  type MaterialPrice,
  type PriceEntry,
  type PriceListContent,
  type VolumeDiscount,
} from './price-list.ts';

const ROWS_MAX = 5_200;
const METHODS: ReadonlySet<string> = new Set(['bli', 'spr']);

/** The columns that a row of each kind has beside `kind`. */
const KINDS = {
  price: ['experiment_type', 'method', 'unit_price_cents', 'replicate_price_cents'],
  discount: ['experiment_type', 'sequences_min', 'basis_points'],
  material: ['catalog_number', 'target_id', PRICE_COLUMN, LOTS_COLUMN],
} as const;
type Kind = keyof typeof KINDS;
const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);

export const priceListColumns: readonly string[] = ['kind', ...new Set(Object.values(KINDS).flat())];

type Cells = Readonly<Record<string, string>>;
export type ListedContent = Pick<PriceListContent, 'prices' | 'volume_discounts' | 'materials'>;

/** `catalogNumbers` has the number of each target for everyone by its id; other targets are written by their id. */
export function writePriceListCsv(list: ListedContent, catalogNumbers: ReadonlyMap<string, string>): string {
  const rows: Cells[] = [
    ...list.prices.map((entry) => ({
      kind: 'price',
      experiment_type: entry.experiment_type,
      method: entry.method ?? '',
      unit_price_cents: String(entry.unit_price_cents),
      replicate_price_cents: String(entry.replicate_price_cents),
    })),
    ...list.volume_discounts.map((discount) => ({
      kind: 'discount',
      experiment_type: discount.experiment_type ?? '',
      sequences_min: String(discount.sequences_min),
      basis_points: String(discount.basis_points),
    })),
    ...list.materials.map((material) => writeMaterial(material, catalogNumbers)),
  ];
  const lines = rows.map((row) => priceListColumns.map((name) => row[name] ?? ''));
  return [priceListColumns, ...lines].map((cells) => `${cells.map(writeCsvField).join(',')}\r\n`).join('');
}

function writeMaterial(
  { target_id: id, pricing }: MaterialPrice,
  numbers: ReadonlyMap<string, string>,
): Cells {
  const number = numbers.get(id);
  const [price, lots] = writePricingCells(pricing);
  return {
    kind: 'material',
    catalog_number: number ?? '',
    target_id: number === undefined ? id : '',
    [PRICE_COLUMN]: price,
    [LOTS_COLUMN]: lots,
  };
}

/** The targets of the catalog, by which rows name them. */
export interface KnownTargets {
  /** The id of each target for everyone by its catalog number. */
  readonly idByNumber: ReadonlyMap<string, string>;
  /** The ids of all targets, also of those of one organization. */
  readonly ids: ReadonlySet<string>;
}

export interface PriceListReading extends ListedContent {
  readonly problems: readonly LineProblem[];
}

/** Reads every row and finds every problem. */
export function readPriceListCsv(content: string, targets: KnownTargets): PriceListReading {
  const body = content.replace(/^\u{feff}/u, '');
  const delimiter = findDelimiter(body.trimStart().split(/[\r\n]/, 1)[0] ?? '');
  const { rows, problems: broken } = readRows(body, delimiter);
  const [header, ...rest] = rows;
  const nothing = { prices: [], volume_discounts: [], materials: [] };
  if (header === undefined)
    return {
      ...nothing,
      problems: [{ line: 1, message: 'the file is empty; its first row names the columns' }],
    };
  const names = header.cells.map((cell) => cell.trim().toLowerCase());
  const wrong = findHeaderProblems(names).map((message) => ({ line: header.line, message }));
  const tooMany = rest[ROWS_MAX];
  if (tooMany !== undefined)
    wrong.push({ line: tooMany.line, message: `a file has at most ${ROWS_MAX} rows` });
  if (wrong.length > 0) return { ...nothing, problems: [...broken, ...wrong] };
  const reader = new RowsReader(names, targets);
  for (const row of rest) reader.read(row);
  const found = reader.finish();
  const problems = [...broken, ...found.problems].toSorted((a, b) => a.line - b.line);
  return { ...found, problems };
}

function findHeaderProblems(names: readonly string[]): string[] {
  const columnNames = priceListColumns.join(', ');
  return [
    ...(names.includes('kind') ? [] : [`the header has no column kind; the columns are ${columnNames}`]),
    ...names.slice(0, priceListColumns.length + 1).flatMap((name, index) => {
      if (!priceListColumns.includes(name))
        return [`"${name}" is not a known column; known are ${columnNames}`];
      return names.indexOf(name) < index ? [`the column ${name} is given twice`] : [];
    }),
  ];
}

class RowsReader {
  private readonly names: readonly string[];
  private readonly targets: KnownTargets;
  private readonly problems: LineProblem[] = [];
  private readonly prices: PriceEntry[] = [];
  private readonly discounts: VolumeDiscount[] = [];
  private readonly materials: MaterialPrice[] = [];
  /** The line of each item, so that a problem of the list is said where it stands in the file. */
  private readonly lines: Readonly<Record<string, number[]>> = {
    prices: [],
    volume_discounts: [],
    materials: [],
  };

  constructor(names: readonly string[], targets: KnownTargets) {
    this.names = names;
    this.targets = targets;
  }

  read({ line, cells: texts }: Row): void {
    const refuse = (message: string): void => void this.problems.push({ line, message });
    if (texts.length > this.names.length)
      return refuse(`the row has ${formatCount(texts.length, 'cell')}, the header ${this.names.length}`);
    const cells: Cells = Object.fromEntries(
      this.names.map((name, index) => [name, parseCsvField(texts[index] ?? '').trim()]),
    );
    const kind = (cells['kind'] ?? '').toLowerCase();
    if (!isKind(kind)) return refuse(`kind "${kind}" is not one of ${Object.keys(KINDS).join(', ')}`);
    const own: readonly string[] = KINDS[kind];
    const foreign = Object.keys(cells).find(
      (name) => name !== 'kind' && cells[name] !== '' && !own.includes(name),
    );
    if (foreign !== undefined) return refuse(`a ${kind} has no ${foreign}; leave the cell empty`);
    if (kind === 'price') this.readPrice(line, cells, refuse);
    else if (kind === 'discount') this.readDiscount(line, cells, refuse);
    else this.readMaterial(line, cells, refuse);
  }

  private readPrice(line: number, cells: Cells, refuse: (message: string) => void): void {
    const type = this.readType(cells, refuse);
    const method = cells['method'] ?? '';
    if (method !== '' && !METHODS.has(method)) refuse(`method "${method}" is not bli, spr or empty`);
    const unit = readWhole(cells, 'unit_price_cents', refuse);
    const further = readWhole(cells, 'replicate_price_cents', refuse);
    if (type === undefined || unit === undefined || further === undefined) return;
    if (type === null) return refuse('experiment_type is missing');
    this.lines['prices']?.push(line);
    this.prices.push({
      experiment_type: type,
      method: method === '' ? null : method,
      unit_price_cents: unit,
      replicate_price_cents: further,
    });
  }

  private readDiscount(line: number, cells: Cells, refuse: (message: string) => void): void {
    const type = this.readType(cells, refuse);
    const least = readWhole(cells, 'sequences_min', refuse);
    const share = readWhole(cells, 'basis_points', refuse);
    if (type === undefined || least === undefined || share === undefined) return;
    if (least < 2) return refuse(`sequences_min is ${least}; a discount begins at 2 sequences or more`);
    if (share < 1 || share > 10_000) return refuse(`basis_points is ${share}; it is 1 to 10000 (100 %)`);
    this.lines['volume_discounts']?.push(line);
    this.discounts.push({ experiment_type: type, sequences_min: least, basis_points: share });
  }

  private readMaterial(line: number, cells: Cells, refuse: (message: string) => void): void {
    const number = cells['catalog_number'] ?? '';
    const targetId = (cells['target_id'] ?? '').toLowerCase();
    if ((number === '') === (targetId === ''))
      return refuse('a material has a catalog_number or a target_id');
    const id = number === '' ? targetId : this.targets.idByNumber.get(number);
    if (id === undefined || !this.targets.ids.has(id))
      return refuse(
        `the catalog has no target ${number === '' ? targetId : number}; add it to the targets first`,
      );
    const pricing = parsePricingCells(cells[PRICE_COLUMN] ?? '', cells[LOTS_COLUMN] ?? '');
    if (typeof pricing === 'string') return refuse(pricing);
    this.lines['materials']?.push(line);
    this.materials.push({ target_id: id, pricing });
  }

  /** Null: the cell is empty. Undefined: it was refused. */
  private readType(cells: Cells, refuse: (message: string) => void): string | null | undefined {
    const type = cells['experiment_type'] ?? '';
    if (type === '') return null;
    if (experimentTypes.some((known) => known === type)) return type;
    refuse(`experiment_type "${type}" is not one of ${experimentTypes.join(', ')}`);
    return undefined;
  }

  finish(): PriceListReading {
    const found = { prices: this.prices, volume_discounts: this.discounts, materials: this.materials };
    // The moment is no part of the file; any one passes.
    const content = { ...found, effective_from: '2026-01-01T00:00:00Z', note: '' };
    const unfit = findPriceListProblems(content).map(({ path, message }) => {
      const [, field = '', index = '0'] = /^(\w+)\[(\d+)\]/.exec(path) ?? [];
      const line = this.lines[field]?.[Number(index)] ?? 1;
      return { line, message: message.replace(/^repeats .*materials\[.*$/, 'repeats a target of the file') };
    });
    return { ...found, problems: [...this.problems, ...unfit] };
  }
}

/** Undefined: it was refused. */
function readWhole(cells: Cells, name: string, refuse: (message: string) => void): number | undefined {
  const text = cells[name] ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text);
  refuse(text === '' ? `${name} is missing` : `${name} "${text}" is not a whole number`);
  return undefined;
}

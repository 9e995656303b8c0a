/** The three tables of a data package: one row per sequence, per replicate, and per measured quantity (long form). */
import { csvField } from '#domain/results/csv.ts';
import type { Quantity } from '#domain/results/contract.ts';
import { isRecord, replicatesOf, type PackagedResult } from './packaged.ts';

/** Column names and the rows below them; RFC 4180 with CRLF. */
export interface Table {
  readonly header: string;
  row(result: PackagedResult): string;
}

/** Which columns the results of one experiment need. */
export interface Columns {
  readonly quantities: ReadonlyMap<string, string>;
  readonly replicate: readonly string[];
}

/** What a reader looks for first; the rest follows by name. */
const FIRST_COLUMNS = ['replicate', 'outcome', 'binding', 'flags'];

/** Collects the columns over every result of an experiment; assays differ in what they report. */
export class ColumnCollector implements Columns {
  readonly quantities = new Map<string, string>();
  readonly #replicate = new Set<string>();

  take(result: PackagedResult): void {
    for (const [name, { unit }] of Object.entries(result.quantities)) {
      if (!this.quantities.has(name)) this.quantities.set(name, unit);
    }
    for (const replicate of replicatesOf(result)) {
      for (const [name, value] of Object.entries(flat(replicate))) {
        if (value !== undefined) this.#replicate.add(name);
      }
    }
  }

  get replicate(): readonly string[] {
    const first = FIRST_COLUMNS.filter((name) => this.#replicate.has(name));
    const rest = [...this.#replicate].filter((name) => !FIRST_COLUMNS.includes(name));
    return [...first, ...rest.toSorted((a, b) => a.localeCompare(b, 'en'))];
  }
}

const UNIT_SUFFIXES: Readonly<Record<string, string>> = {
  M: 'm',
  '1/(M·s)': 'per_m_s',
  '1/s': 'per_s',
  '°C': 'c',
  'ng/µL': 'ng_per_ul',
  'kcal/mol': 'kcal_per_mol',
  'kJ/mol': 'kj_per_mol',
  '%': 'percent',
};

/** `kd` in M → `kd_m`: the flat column of a quantity, with its unit as the last word. */
export function columnOf(name: string, unit: string): string {
  const known = UNIT_SUFFIXES[unit];
  const suffix =
    known ??
    unit
      .toLowerCase()
      .replaceAll('µ', 'u')
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
  return suffix === '' || name.endsWith(`_${suffix}`) ? name : `${name}_${suffix}`;
}

/** One row per sequence: identity, judgement, and every aggregate quantity with its relation and interval. */
export function resultsTable(experimentCode: string, columns: Columns): Table {
  const quantities = [...columns.quantities].map(([name, unit]) => ({ name, column: columnOf(name, unit) }));
  const header = [
    'experiment_code',
    'result_id',
    'sequence_name',
    'is_control',
    'place',
    'outcome',
    'binding_score',
    'n_replicates',
    'n_replicates_passed',
    'qc_pass',
    'qc_flags',
    'version',
    ...quantities.flatMap(({ name, column }) => [
      column,
      `${name}_relation`,
      `${name}_ci95_low`,
      `${name}_ci95_high`,
      `${name}_log10_sd`,
      `${name}_n`,
    ]),
  ];
  return {
    header: line(header),
    row: (result) =>
      line([
        experimentCode,
        result.id,
        result.sequence_name,
        result.is_control,
        result.place,
        result.outcome,
        result.binding_score,
        result.n_replicates,
        result.n_replicates_passed,
        result.qc.pass,
        result.qc.flags.join(' '),
        result.version,
        ...quantities.flatMap(({ name }) => cellsOf(result.quantities[name])),
      ]),
  };
}

function cellsOf(quantity: Quantity | undefined): unknown[] {
  if (quantity === undefined) return [null, null, null, null, null, null];
  const { value, relation, ci95_low: low, ci95_high: high, log10_sd: sd, n } = quantity;
  return [value, relation, low, high, sd, n];
}

/** One row per replicate, nothing averaged. */
export function replicatesTable(experimentCode: string, columns: Columns): Table {
  const names = columns.replicate;
  const header = line(['experiment_code', 'result_id', 'sequence_name', 'is_control', ...names]);
  return {
    header,
    row: (result) =>
      replicatesOf(result)
        .map((replicate) => {
          const cells = flat(replicate);
          const head = [experimentCode, result.id, result.sequence_name, result.is_control];
          return line([...head, ...names.map((name) => cells[name])]);
        })
        .join(''),
  };
}

/** Long form: one row per quantity, the aggregate with an empty replicate. */
export function evaluationsTable(experimentCode: string): Table {
  const header = line([
    'experiment_code',
    'result_id',
    'sequence_name',
    'replicate',
    'quantity',
    'value',
    'unit',
    'relation',
    'ci95_low',
    'ci95_high',
    'n',
  ]);
  return {
    header,
    row: (result) =>
      [...aggregateRows(result), ...replicateRows(result)]
        .map((cells) => line([experimentCode, result.id, result.sequence_name, ...cells]))
        .join(''),
  };
}

function aggregateRows(result: PackagedResult): unknown[][] {
  return Object.entries(result.quantities).map(([name, quantity]) => [
    null,
    name,
    quantity.value,
    quantity.unit,
    quantity.relation,
    quantity.ci95_low,
    quantity.ci95_high,
    quantity.n,
  ]);
}

/** A replicate's numbers that have an aggregate of the same name, and so a unit. */
function replicateRows(result: PackagedResult): unknown[][] {
  return replicatesOf(result).flatMap((replicate) =>
    Object.entries(result.quantities).flatMap(([name, { unit }]) => {
      const value = replicate[name];
      if (typeof value !== 'number') return [];
      const { ci_low: low = null, ci_high: high = null } = intervalOf(replicate, name);
      const relation = replicate[`${name}_relation`];
      return [
        [replicate.replicate, name, value, unit, typeof relation === 'string' ? relation : '=', low, high, 1],
      ];
    }),
  );
}

/** `kd` stands beside `kd_app {value, ci_low, ci_high}`, `koff` beside `koff_1to1`. */
function intervalOf(replicate: Readonly<Record<string, unknown>>, name: string) {
  const found = Object.entries(replicate).find(([key, item]) => key.startsWith(`${name}_`) && isRecord(item));
  return found !== undefined && isRecord(found[1]) ? found[1] : {};
}

type Cell = string | number | boolean | null;

/** Nested members become `outer_inner`; lists of words become words. */
function flat(record: Readonly<Record<string, unknown>>, prefix = ''): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const [name, value] of Object.entries(record)) {
    const column = prefix === '' ? name : `${prefix}_${name}`;
    if (isRecord(value)) Object.assign(cells, flat(value, column));
    else if (Array.isArray(value)) cells[column] = value.map(String).join(' ');
    else if (isCell(value)) cells[column] = value;
  }
  return cells;
}

function isCell(value: unknown): value is Cell {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function line(cells: readonly unknown[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Numbers keep their sign: only text is defused for spreadsheets. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? csvField(value) : JSON.stringify(value);
}

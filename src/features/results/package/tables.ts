/** The three tables of a data package: one row per sequence, per replicate, and per measured quantity (long form). */
import { writeCsvField } from '#core/csv.ts';
import { isRecord, toRecord } from '#core/records.ts';
import type { Quantity } from '../contract.ts';
import { requireShownAssay } from '#assays/shown.ts';
import type { ShownAssay } from '#assays/shown-assay.ts';
import { listReplicates, type PackagedExperiment, type PackagedResult } from './packaged.ts';
import { ScalarCollector, type ScalarColumn, formatColumn } from './scalars.ts';

/** Column names and the rows below them; RFC 4180 with CRLF. */
export interface Table {
  readonly header: string;
  writeRow(result: PackagedResult): string;
}

/** The columns that the results of one experiment need. */
export interface Columns {
  readonly quantities: ReadonlyMap<string, string>;
  readonly replicate: readonly string[];
  /** Values of a sequence beside its quantities. */
  readonly scalars: readonly ScalarColumn[];
}

/** Columns that readers look for first; the others follow by name. */
const FIRST_COLUMNS = ['replicate', 'outcome', 'binding', 'call', 'flags'];

/** Collects the columns over all results of an experiment, because assays report different values. */
export class ColumnCollector implements Columns {
  readonly quantities = new Map<string, string>();
  readonly #replicate = new Set<string>();
  readonly #scalars: ScalarCollector;

  constructor(experimentType: string) {
    this.#scalars = new ScalarCollector(experimentType);
  }

  take(result: PackagedResult): void {
    this.#scalars.take(result);
    for (const [name, { unit }] of Object.entries(result.quantities)) {
      if (!this.quantities.has(name)) this.quantities.set(name, unit);
    }
    for (const replicate of listReplicates(result)) {
      for (const [name, value] of Object.entries(flattenRecord(replicate))) {
        if (value !== undefined) this.#replicate.add(name);
      }
    }
  }

  get scalars(): readonly ScalarColumn[] {
    return this.#scalars.columns;
  }

  get replicate(): readonly string[] {
    const first = FIRST_COLUMNS.filter((name) => this.#replicate.has(name));
    const rest = [...this.#replicate].filter((name) => !FIRST_COLUMNS.includes(name));
    return [...first, ...rest.toSorted((a, b) => a.localeCompare(b, 'en'))];
  }
}

/** Columns of every sequence, independent of the assay. */
const IDENTITY: readonly ColumnMeaning[] = [
  { name: 'grade', unit: '', meaning: 'solid, with_reservations or indicative' },
  { name: 'experiment_code', unit: '', meaning: 'code of the experiment' },
  { name: 'result_id', unit: '', meaning: 'id of the result in the API' },
  { name: 'sequence_name', unit: '', meaning: 'name as submitted' },
  { name: 'is_control', unit: '', meaning: 'ordered as a control' },
  { name: 'place', unit: '', meaning: 'rank, 1 is best; empty without a value' },
  {
    name: 'outcome',
    unit: '',
    meaning: 'measured, non_binder, inconclusive, not_expressed, failed_qc or not_tested',
  },
  {
    name: 'binding_score',
    unit: '',
    meaning: 'log2 of response over threshold; empty in assays without a threshold',
  },
  { name: 'n_replicates_ordered', unit: '', meaning: 'number of replicates that were ordered' },
  { name: 'n_replicates', unit: '', meaning: 'number of measured replicates' },
  { name: 'n_replicates_passed', unit: '', meaning: 'number of replicates behind the values' },
  {
    name: 'n_curves_planned',
    unit: '',
    meaning: 'curves with analyte in the plan of the run; empty without an analyte',
  },
  { name: 'n_curves', unit: '', meaning: 'curves with analyte that were measured' },
  { name: 'qc_pass', unit: '', meaning: 'whether no flag rules the result out' },
  { name: 'qc_flags', unit: '', meaning: 'separated by spaces' },
  { name: 'version', unit: '', meaning: 'version of the result' },
];

/** Sentences stand last, because their commas need quotes. */
const REASONS: ColumnMeaning = {
  name: 'grade_reasons',
  unit: '',
  meaning: 'sentences on what speaks against the result',
};

export interface ColumnMeaning {
  readonly name: string;
  /** Empty for words and pure numbers. */
  readonly unit: string;
  readonly meaning: string;
}

/** Returns every column of `results.csv` in order, for readers and programs. */
export function describeResultsColumns(columns: Columns): ColumnMeaning[] {
  const quantities = [...columns.quantities].flatMap(([name, unit]): ColumnMeaning[] => [
    { name: formatColumn(name, unit), unit, meaning: 'aggregate over the replicates' },
    { name: `${name}_relation`, unit: '', meaning: '= measured, < or > a limit, ~ an estimate' },
    { name: `${name}_ci95_low`, unit, meaning: 'lower end of the 95 % interval' },
    { name: `${name}_ci95_high`, unit, meaning: 'upper end of the 95 % interval' },
    { name: `${name}_log10_sd`, unit: '', meaning: 'standard deviation of log10 over the replicates' },
    { name: `${name}_n`, unit: '', meaning: 'number of replicates behind the value' },
  ]);
  const scalars = columns.scalars.map(({ name, unit, meaning }) => ({ name, unit, meaning }));
  return [...IDENTITY, ...quantities, ...scalars, REASONS];
}

/**
 * Makes one row per sequence: identity, evaluation, every aggregate quantity with its relation and interval, and all
 * other values.
 */
export function createResultsTable(experimentCode: string, columns: Columns): Table {
  const quantities = [...columns.quantities.keys()];
  const { scalars } = columns;
  const header = describeResultsColumns(columns).map(({ name }) => name);
  return {
    header: writeLine(header),
    writeRow: (result) =>
      writeLine([
        result.assessment?.grade,
        experimentCode,
        result.id,
        result.sequence_name,
        result.is_control,
        result.place,
        result.outcome,
        result.binding_score,
        result.n_replicates_ordered,
        result.n_replicates,
        result.n_replicates_passed,
        result.n_curves_planned,
        result.n_curves,
        result.qc.pass,
        result.qc.flags.join(' '),
        result.version,
        ...quantities.flatMap((name) => listCells(result.quantities[name])),
        ...scalars.map((column) => column.getValue(result)),
        result.assessment?.reasons.join(' '),
      ]),
  };
}

function listCells(quantity: Quantity | undefined): unknown[] {
  if (quantity === undefined) return [null, null, null, null, null, null];
  const { value, relation, ci95_low: low, ci95_high: high, log10_sd: sd, n } = quantity;
  return [value, relation, low, high, sd, n];
}

/** Makes one row per replicate, without averages. */
export function createReplicatesTable(experimentCode: string, columns: Columns): Table {
  const names = columns.replicate;
  const header = writeLine(['experiment_code', 'result_id', 'sequence_name', 'is_control', ...names]);
  return {
    header,
    writeRow: (result) =>
      listReplicates(result)
        .map((replicate) => {
          const cells = flattenRecord(replicate);
          const head = [experimentCode, result.id, result.sequence_name, result.is_control];
          return writeLine([...head, ...names.map((name) => cells[name])]);
        })
        .join(''),
  };
}

/** Makes the long form: one row per quantity; aggregates have an empty replicate. */
export function createEvaluationsTable({ code, experimentType }: PackagedExperiment): Table {
  const { replicateIntervals = {} } = requireShownAssay(experimentType);
  const header = writeLine([
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
    writeRow: (result) =>
      [...listAggregateRows(result), ...listReplicateRows(result, replicateIntervals)]
        .map((cells) => writeLine([code, result.id, result.sequence_name, ...cells]))
        .join(''),
  };
}

function listAggregateRows(result: PackagedResult): unknown[][] {
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

/** Returns the numbers of a replicate that have an aggregate of the same name, and so a unit. */
function listReplicateRows(
  result: PackagedResult,
  intervals: NonNullable<ShownAssay['replicateIntervals']>,
): unknown[][] {
  return listReplicates(result).flatMap((replicate) =>
    Object.entries(result.quantities).flatMap(([name, { unit }]) => {
      const value = replicate[name];
      if (typeof value !== 'number') return [];
      const { ci_low: low = null, ci_high: high = null } = toRecord(replicate[intervals[name] ?? '']);
      const relation = replicate[`${name}_relation`];
      return [
        [replicate.replicate, name, value, unit, typeof relation === 'string' ? relation : '=', low, high, 1],
      ];
    }),
  );
}

type Cell = string | number | boolean | null;

/** Flattens a record: nested members become `outer_inner`; lists of words become text. */
function flattenRecord(record: Readonly<Record<string, unknown>>, prefix = ''): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const [name, value] of Object.entries(record)) {
    const column = prefix === '' ? name : `${prefix}_${name}`;
    if (isRecord(value)) Object.assign(cells, flattenRecord(value, column));
    else if (Array.isArray(value)) Object.assign(cells, flattenList(value, column));
    else if (isCell(value)) cells[column] = value;
  }
  return cells;
}

/** A list of records has a column for each of their members, with one value for each record. */
function flattenList(values: readonly unknown[], column: string): Record<string, Cell> {
  const records = values.filter(isRecord).map((each) => flattenRecord(each, column));
  if (records.length === 0) return { [column]: values.map(String).join(' ') };
  const names = new Set(records.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    [...names].map((name) => [name, records.map((each) => String(each[name] ?? 'none')).join(' ')]),
  );
}

function isCell(value: unknown): value is Cell {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function writeLine(cells: readonly unknown[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

/** Numbers keep their sign: only text is escaped for spreadsheets. */
function writeCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? writeCsvField(value) : JSON.stringify(value);
}

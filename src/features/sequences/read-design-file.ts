/**
 * Reads a file of designs as tools and colleagues write it: FASTA, or a table whose columns are found by their headers,
 * by what their cells hold, or as its sender says.
 */
import { formatCount } from '#core/words.ts';
import { findDelimiter, readRows, type Row } from '#core/csv.ts';
import {
  findColumn,
  isControlCell,
  normalizeHeader,
  readRow,
  TERMINI,
  TYPES,
  type AddProblem,
  type ReadSequence,
} from './csv.ts';
import { readFasta } from './fasta.ts';

/** Text, or the sheets of a workbook. */
export interface DesignSource {
  readonly name: string;
  readonly content: string | readonly DesignSheet[];
  /** Headers of the columns to take; those that are not said are found. */
  readonly columns?: WantedColumns | undefined;
}

export interface DesignSheet {
  readonly sheet: string;
  readonly rows: readonly Row[];
}

export interface WantedColumns {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly control?: string | undefined;
}

export interface ReadDesign extends ReadSequence {
  /** Header of the column of its sequence; null where there is none. */
  readonly column: string | null;
}

export interface DesignProblem {
  readonly line: number;
  readonly column: string | null;
  /** Name of the design, which can be left out; null where the row is meant. */
  readonly sequence: string | null;
  readonly message: string;
}

export interface DesignReading {
  readonly name: string;
  readonly format: 'fasta' | 'table';
  readonly header: readonly string[];
  /** The headers that were taken, by their meaning. */
  readonly columns: Readonly<Record<string, string>>;
  readonly designs: readonly ReadDesign[];
  /** Those that cannot be ordered as they are. */
  readonly broken: readonly ReadDesign[];
  readonly problems: readonly DesignProblem[];
}

/** Reads each sheet that has sequences; of a file without any, the first. */
export function readDesignFile({ name, content, columns }: DesignSource): DesignReading[] {
  if (typeof content === 'string') return [readText(name, content.replace(/^\uFEFF/, ''), columns)];
  const readings = content
    .filter(({ rows }) => rows.length > 0)
    .map(({ sheet, rows }) =>
      readTable(content.length === 1 ? name : `${name}, sheet ${sheet}`, rows, columns),
    );
  const useful = readings.filter(({ columns: found }) => found.sequence !== undefined || 'heavy' in found);
  if (useful.length > 0) return useful;
  return readings.length === 0
    ? [createEmpty(name, 'table', 'the workbook has no rows.')]
    : readings.slice(0, 1);
}

function createEmpty(name: string, format: DesignReading['format'], message: string): DesignReading {
  const problems = [{ line: 1, column: null, sequence: null, message }];
  return { name, format, header: [], columns: {}, designs: [], broken: [], problems };
}

function readText(name: string, text: string, columns: WantedColumns | undefined): DesignReading {
  const first = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  if (first === '') return createEmpty(name, 'fasta', 'the file is empty.');
  // A text of one column without a header that is known is FASTA that lacks its first line.
  const delimiter = findDelimiter(first);
  const isTable = first.includes(delimiter) || isKnownHeader(first) || isProtein(first);
  if (!/^[>;]/.test(first) && isTable) {
    const { rows, problems } = readRows(text, delimiter);
    const reading = readTable(name, rows, columns);
    const broken = problems.map(({ line, message }) => ({ line, column: null, sequence: null, message }));
    return { ...reading, problems: [...broken, ...reading.problems].toSorted((a, b) => a.line - b.line) };
  }
  const { records, broken, problems } = readFasta(text);
  const toDesign = ({ name: named, sequence, line }: (typeof records)[number]) => ({
    name: named,
    value: sequence,
    line,
    column: null,
  });
  return {
    name,
    format: 'fasta',
    header: [],
    columns: {},
    designs: records.map(toDesign),
    broken: broken.map(toDesign),
    problems: problems.map(({ record = null, ...problem }) => ({
      ...problem,
      column: null,
      sequence: record,
    })),
  };
}

/** Headers of names and sequences in other tables, the most telling first. */
const NAMES =
  'name sequencename design designname designid binder bindername variant variantname construct constructname clone cloneid sequenceid seqid id entry label'.split(
    ' ',
  );
const SEQUENCES =
  'sequencealignmentaa sequenceaa aasequence aaseq aastring aminoacidsequence aminoacids proteinsequence protein designsequence designedsequence bindersequence mpnnsequence sequence seq'.split(
    ' ',
  );
const HEAVY = 'heavy heavychain heavysequence heavyaa hc vhsequence vhaa vh'.split(' ');
const LIGHT = 'light lightchain lightsequence lightaa lc vlsequence vlaa vl'.split(' ');
/** Columns of our own tables that others use with another meaning. */
const OWN = ['type', 'linker', 'tag_location', 'ch', 'cl', 'VH', 'VL', 'control'] as const;

const PROTEIN = /^[A-Za-z*:./-]+$/;
const PROTEIN_LETTERS_MIN = 15;
/** Rows whose cells say what a column holds. */
const ROWS_LOOKED_AT = 50;

type Columns = Map<number, string>;

function readTable(file: string, rows: readonly Row[], wanted: WantedColumns | undefined): DesignReading {
  const [head, ...others] = rows;
  if (head === undefined) return createEmpty(file, 'table', 'the file is empty.');
  const hasHeader = head.cells.some(isKnownHeader) || !head.cells.some(isProtein);
  const header = hasHeader
    ? head.cells.map((cell) => cell.trim())
    : head.cells.map((_, index) => `column ${index + 1}`);
  const body = hasHeader ? others : rows;
  const columns = chooseColumns(header, body.slice(0, ROWS_LOOKED_AT), wanted);
  const roles = header.map((_, index) => columns.get(index));
  const taken = Object.fromEntries([...columns].map(([index, role]) => [role, header[index] ?? '']));
  const table = { name: file, format: 'table', header, columns: taken } as const;
  if (!roles.includes('sequence') && !roles.includes('heavy')) {
    const message = `no column looks like amino acids; the columns are ${header.join(', ')}. Choose the column of the sequences.`;
    return {
      ...table,
      designs: [],
      broken: [],
      problems: [{ line: head.line, column: null, sequence: null, message }],
    };
  }
  const problems: DesignProblem[] = [];
  const lines = new Map<string, number>();
  const missing = (['name', 'sequence'] as const).filter((role) => !roles.includes(role));
  const form = { roles, missing, stem: writeStem(file), isAligned: /align/i.test(taken.sequence ?? '') };
  const designs = body.flatMap((row): ReadDesign[] => {
    const addProblem: AddProblem = (message, role) =>
      problems.push({ line: row.line, column: taken[role ?? ''] ?? null, sequence: null, message });
    const read = readRow(completeRow(row, form, addProblem), [...roles, ...missing], lines, addProblem);
    return read === null ? [] : [{ ...read, column: taken.sequence ?? taken.heavy ?? null }];
  });
  return { ...table, designs, broken: [], problems };
}

const isKnownHeader = (cell: string): boolean => {
  const key = normalizeHeader(cell);
  return (
    [NAMES, SEQUENCES, HEAVY, LIGHT].some((known) => known.includes(key)) || findColumn(cell) !== undefined
  );
};

/** A file's name as the beginning of the names of its designs. */
const writeStem = (file: string): string =>
  file.replace(/\.\w+(?=$|,)/, '').replaceAll(/[^\p{L}\p{N}]+/gu, '-') || 'design';

const isProtein = (cell: string): boolean => {
  const text = cell.trim();
  return text.length >= PROTEIN_LETTERS_MIN && PROTEIN.test(text) && /^[^_]*$/.test(text) && isLetters(text);
};

/** Mostly upper case or mostly lower case letters, as no title or sentence is. */
function isLetters(text: string): boolean {
  const letters = text.replaceAll(/[^A-Za-z]/g, '');
  return (
    letters.length >= 0.8 * text.length &&
    (letters === letters.toUpperCase() || letters === letters.toLowerCase())
  );
}

function chooseColumns(header: readonly string[], rows: readonly Row[], wanted: WantedColumns = {}): Columns {
  const columns: Columns = new Map();
  const keys = header.map(normalizeHeader);
  const take = (role: string, index: number): void => {
    if (index !== -1 && !columns.has(index) && ![...columns.values()].includes(role))
      columns.set(index, role);
  };
  for (const role of ['name', 'sequence', 'control'] as const) {
    const said = wanted[role];
    if (said !== undefined && said !== '') take(role, header.indexOf(said));
  }
  const list = (index: number): string[] =>
    rows.map(({ cells }) => cells[index]?.trim() ?? '').filter((cell) => cell !== '');
  const hasProteins = (index: number): boolean => {
    const cells = list(index);
    return cells.length > 0 && cells.filter(isProtein).length >= 0.5 * cells.length;
  };
  const find = (known: readonly string[], fits: (index: number) => boolean = () => true): number =>
    known
      .map((key) => keys.findIndex((own, index) => own === key && fits(index)))
      .find((index) => index !== -1) ?? -1;
  // AIRR tables have DNA beside amino acids; a header alone decides only where no cell does.
  take(
    'sequence',
    find(SEQUENCES, (index) => hasProteins(index) && !list(index).every(isDnaLetters)),
  );
  take('sequence', find(SEQUENCES));
  if (![...columns.values()].includes('sequence')) {
    const [heavy, light] = [find(HEAVY), find(LIGHT)];
    if (heavy !== -1 && light !== -1) {
      take('heavy', heavy);
      take('light', light);
    } else
      take(
        'sequence',
        keys.findIndex((_, index) => !columns.has(index) && hasProteins(index)),
      );
  }
  take('name', find(NAMES));
  for (const role of OWN) {
    const index = header.findIndex((cell, at) => !columns.has(at) && findColumn(cell) === role);
    if (isOwnColumn(role, list(index))) take(role, index);
  }
  if (![...columns.values()].includes('name')) take('name', findNames(header, list, columns));
  return columns;
}

const isDnaLetters = (cell: string): boolean => /^[ACGTN.-]+$/i.test(cell);

function isOwnColumn(role: (typeof OWN)[number], cells: readonly string[]): boolean {
  const known: readonly string[] = role === 'type' ? TYPES : TERMINI;
  if (role === 'control') return cells.every(isControlCell);
  return role === 'type' || role === 'tag_location' ? cells.every((cell) => known.includes(cell)) : true;
}

/** The first column whose texts differ in every row, and are no numbers. */
function findNames(header: readonly string[], list: (index: number) => string[], columns: Columns): number {
  return header.findIndex((_, index) => {
    const cells = columns.has(index) ? [] : list(index);
    return (
      cells.length > 0 &&
      new Set(cells).size === cells.length &&
      cells.every((cell) => !/^[\d.,+-]+$/.test(cell))
    );
  });
}

interface TableForm {
  readonly roles: readonly (string | undefined)[];
  /** What the table has no column for. */
  readonly missing: readonly ('name' | 'sequence')[];
  readonly stem: string;
  readonly isAligned: boolean;
}

/** Gives a row the name and the sequence that it has in another form: none, two chains, gaps, chains by "/". */
function completeRow(
  { line, cells }: Row,
  { roles, missing, stem, isAligned }: TableForm,
  addProblem: AddProblem,
): Row {
  if (cells.slice(roles.length).some((cell) => cell.trim() !== ''))
    addProblem(
      `the row has ${formatCount(cells.length, 'cell')}, the header ${roles.length}; put quotes around a cell that holds the delimiter.`,
    );
  const read = (role: string): string => cells[roles.indexOf(role)]?.trim() ?? '';
  const chains = roles.includes('sequence') ? [read('sequence')] : [read('heavy'), read('light')];
  const joined = chains
    .filter((chain) => chain !== '')
    .join(':')
    .replaceAll('/', ':');
  const sequence = isAligned ? joined.replaceAll(/[.-]/g, '') : joined;
  const added = { name: `${stem}-${line}`, sequence };
  const own = roles.map((role, index) => (role === 'sequence' ? sequence : (cells[index] ?? '')));
  return { line, cells: [...own, ...missing.map((role) => added[role])] };
}

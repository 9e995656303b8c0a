/** Formats results as a ranked table and as CSV. */
import type { Static } from '#core/schema.ts';
import { csvField } from '#presentation/data-package/csv.ts';
import type { Quantity, ResultInfo } from '#domain/results/contract.ts';
import { bindingRow } from '#domain/results/rows.ts';
import { assayColumns, assaySummary } from './assays/registry.ts';
import { formatMolar, formatMolarInterval, formatRate, threeDigits } from './numbers.ts';
import { layTable, type Column, type Table } from './table.ts';
import { paletteFor, plainText, shortened, tableWidth, type Style } from './terminal.ts';
import { countOf } from './words.ts';

export type Result = Static<typeof ResultInfo>;

const NAME_WIDTH = 32;

const nameColumns: readonly Column<Result>[] = [
  {
    title: '#',
    align: 'right',
    cell: ({ place }) => (place === null || place === undefined ? '' : String(place)),
  },
  {
    title: 'NAME',
    cell: (result) =>
      `${shortened(result.sequence_name, NAME_WIDTH)}${result.is_control ? ' (control)' : ''}`,
  },
  {
    title: 'OUTCOME',
    cell: ({ outcome }) => outcome.replaceAll('_', ' '),
    style: ({ outcome }) =>
      outcome === 'measured' ? paletteFor(process.stdout).green : paletteFor(process.stdout).dim,
  },
];

const classColumn: Column<Result> = {
  title: 'CLASS',
  cell: (result) => classOf(result),
  style: (result) => styleOf(result),
};

const verdictColumns: readonly Column<Result>[] = [
  {
    title: 'PASSED',
    rank: 3,
    align: 'right',
    cell: ({ n_replicates_passed: passed, n_replicates: all }) => `${passed}/${all}`,
  },
  {
    title: 'FLAGS',
    rank: 4,
    cell: ({ qc }) => qc.flags.join(' '),
    style: () => paletteFor(process.stdout).yellow,
  },
];

const affinityColumns: readonly Column<Result>[] = [
  {
    title: 'KD',
    align: 'right',
    cell: (result) => kdText(result),
    style: () => paletteFor(process.stdout).bold,
  },
  { title: '95 % INTERVAL', align: 'right', cell: ({ quantities }) => intervalText(quantities.kd) },
  { title: 'KON 1/(M·s)', rank: 5, align: 'right', cell: ({ quantities }) => rateText(quantities.kon) },
  { title: 'KOFF 1/s', rank: 5, align: 'right', cell: ({ quantities }) => rateText(quantities.koff) },
];

const screeningColumns: readonly Column<Result>[] = [
  { title: 'RESPONSE', align: 'right', cell: (result) => responseText(result) },
  { title: 'THRESHOLD', rank: 5, align: 'right', cell: (result) => digits(bindingRow(result)?.threshold) },
  { title: 'Z', rank: 5, align: 'right', cell: (result) => digits(bindingRow(result)?.z_score) },
];

/** In the order of the service's ranking, best first. */
export function resultsTable(results: readonly Result[]): Table {
  const isScreening = results.every(({ experiment_type: type }) => type === 'screening');
  const assay = assayColumns(results);
  const binding = [...(isScreening ? screeningColumns : affinityColumns), classColumn];
  const { bold } = paletteFor(process.stdout);
  return layTable([...nameColumns, ...(assay?.columns ?? binding), ...verdictColumns], results, {
    width: tableWidth(),
    titleStyle: bold,
  });
}

/** Such as `39 of 52 bind; the best is A with 3.21 nM`. */
export function resultsSummary(results: readonly Result[]): string {
  const assay = assayColumns(results);
  if (assay !== undefined) return assaySummary(results, assay);
  const designs = results.filter(({ is_control: isControl }) => !isControl);
  const binders = designs.filter(
    (result) => result.outcome === 'measured' && bindingRow(result)?.binding === 'true',
  );
  const [best] = binders;
  const lead = `${binders.length} of ${countOf(designs.length, 'sequence')} ${binders.length === 1 || designs.length === 1 ? 'binds' : 'bind'}`;
  if (best === undefined) return `${lead}.`;
  const kd = kdText(best);
  return `${lead}; the best is ${plainText(best.sequence_name)}${kd === '' ? '' : ` with ${kd}`}.`;
}

/** The class of a binder, or the outcome of any other sequence. */
function classOf(result: Result): string {
  const { outcome } = result;
  const strength = bindingRow(result)?.binding_strength;
  const isKnown = strength !== undefined && strength !== 'none' && strength !== 'unknown';
  return outcome === 'measured' && isKnown ? strength : '';
}

function styleOf(result: Result): Style {
  const palette = paletteFor(process.stdout);
  switch (classOf(result)) {
    case 'strong':
      return palette.green;
    case 'medium':
      return palette.cyan;
    case 'weak':
      return palette.yellow;
    default:
      return palette.dim;
  }
}

function kdText({ quantities }: Result): string {
  const { kd } = quantities;
  return kd === undefined || kd.value === null ? '' : formatMolar(kd.value, kd.relation);
}

function intervalText(quantity: Quantity | undefined): string {
  return quantity === undefined ? '' : formatMolarInterval(quantity);
}

function rateText(quantity: Quantity | undefined): string {
  return quantity === undefined || quantity.value === null
    ? ''
    : formatRate(quantity.value, quantity.relation);
}

function responseText(result: Result): string {
  const row = bindingRow(result);
  const value = digits(row?.response);
  return value === '' ? '' : `${value} ${row?.response_unit ?? ''}`.trim();
}

function digits(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : threeDigits(value);
}

type Cell = string | number | boolean | null | undefined;

type CsvColumn = readonly [name: string, cell: (result: Result) => Cell];

const csvHead: readonly CsvColumn[] = [
  ['experiment_code', (result) => result.experiment_code],
  ['place', (result) => result.place],
  ['sequence_name', (result) => result.sequence_name],
  ['is_control', (result) => result.is_control],
  ['target_name', (result) => result.target_name],
  ['outcome', (result) => result.outcome],
];

const bindingCsv: readonly CsvColumn[] = [
  ['binding_strength', (result) => bindingRow(result)?.binding_strength],
  ['kd_m', (result) => result.quantities.kd?.value],
  ['kd_relation', (result) => result.quantities.kd?.relation],
  ['kd_ci95_low_m', (result) => result.quantities.kd?.ci95_low],
  ['kd_ci95_high_m', (result) => result.quantities.kd?.ci95_high],
  ['kd_log10_sd', (result) => result.quantities.kd?.log10_sd],
  ['kon_per_m_s', (result) => result.quantities.kon?.value],
  ['kon_relation', (result) => result.quantities.kon?.relation],
  ['koff_per_s', (result) => result.quantities.koff?.value],
  ['koff_relation', (result) => result.quantities.koff?.relation],
  ['response', (result) => bindingRow(result)?.response],
  ['response_unit', (result) => bindingRow(result)?.response_unit],
  ['threshold', (result) => bindingRow(result)?.threshold],
  ['z_score', (result) => bindingRow(result)?.z_score],
];

const csvTail: readonly CsvColumn[] = [
  ['n_replicates', (result) => result.n_replicates],
  ['n_replicates_passed', (result) => result.n_replicates_passed],
  ['flags', (result) => result.qc.flags.join(' ')],
  ['result_id', (result) => result.id],
];

/** RFC 4180, numbers in base units; text that a spreadsheet would run as a formula is made harmless. */
export function resultsCsv(results: readonly Result[]): string {
  const csvColumns = [...csvHead, ...(assayColumns(results)?.csv ?? bindingCsv), ...csvTail];
  const rows = results.map((result) => csvColumns.map(([, cell]) => csvCell(cell(result))).join(','));
  return [csvColumns.map(([name]) => name).join(','), ...rows, ''].join('\r\n');
}

function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  // A cell with a single relation sign, even "=", is not a formula.
  if (typeof value === 'string' && /^[=<>~]$/.test(value)) return value;
  return typeof value === 'string' ? csvField(value) : String(value);
}

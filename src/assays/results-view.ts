/** Formats results as a ranked table and as CSV. */
import { formatCount } from '#core/words.ts';
import { writeCsvField } from '#core/csv.ts';
import { GRADE_WORDS } from '#features/results/words/outcomes.ts';
import { formatPassedOfOrdered } from '#features/results/words/replicates.ts';
import { layTable, type Column, type Table } from '#cli/table.ts';
import { getPalette, toPlainText, shortenText, getTerminal } from '#cli/terminal.ts';
import type { AssayColumns, Cell, Result } from './columns.ts';
import { loadParts, USUAL_ASSAY } from './registry.ts';

const NAME_WIDTH = 32;

export const COLUMNS = await loadParts((assay) => assay.loadColumns());

const getColumns = (type: string): AssayColumns | undefined =>
  Object.hasOwn(COLUMNS, type) ? COLUMNS[type] : COLUMNS[USUAL_ASSAY];

/** Of the assay that all results share; others are shown like those of the usual one. */
function getAssayColumns(results: readonly Result[]): AssayColumns {
  const [type = '', ...others] = new Set(results.map((result) => result.experiment_type));
  const columns = getColumns(others.length === 0 ? type : USUAL_ASSAY);
  if (columns === undefined) throw new Error(`results of ${type} cannot be shown: no such assay`);
  return columns;
}

/** Of every assay that the results are of; a column that several have stands once. */
function listCsvColumns(results: readonly Result[]): AssayColumns['csv'] {
  const types = new Set(
    results.length === 0 ? [USUAL_ASSAY] : results.map(({ experiment_type: type }) => type),
  );
  return [...new Map([...types].flatMap((type) => getColumns(type)?.csv ?? []))];
}

const nameColumns: readonly Column<Result>[] = [
  {
    title: 'GRADE',
    getCell: ({ assessment }) => assessment.grade.replaceAll('_', ' '),
    getStyle: ({ assessment: { grade } }) => {
      const { green, yellow, dim } = getPalette(getTerminal().stdout);
      return grade === 'solid' ? green : grade === 'indicative' ? dim : yellow;
    },
  },
  {
    title: '#',
    align: 'right',
    getCell: ({ place }) => (place === null || place === undefined ? '' : String(place)),
  },
  {
    title: 'NAME',
    getCell: (result) =>
      `${shortenText(result.sequence_name, NAME_WIDTH)}${result.is_control ? ' (control)' : ''}`,
  },
  {
    title: 'OUTCOME',
    getCell: (result) => describeMeasured(result) ?? result.outcome.replaceAll('_', ' '),
    getStyle: (result) => {
      const isFirm = result.assessment.grade === 'solid' && describeMeasured(result) === undefined;
      const { green, dim } = getPalette(getTerminal().stdout);
      return isFirm && result.outcome === 'measured' ? green : dim;
    },
  },
];

function describeMeasured(result: Result): string | undefined {
  return result.outcome === 'measured' ? getAssayColumns([result]).describeMeasured?.(result) : undefined;
}

const verdictColumns: readonly Column<Result>[] = [
  {
    title: 'PASSED',
    rank: 3,
    align: 'right',
    getCell: formatPassedOfOrdered,
  },
  {
    title: 'FLAGS',
    rank: 4,
    getCell: ({ qc }) => qc.flags.join(' '),
    getStyle: () => getPalette(getTerminal().stdout).yellow,
  },
];

/** In the order of the service's ranking, best first. */
export function createResultsTable(results: readonly Result[]): Table {
  return layTable([...nameColumns, ...getAssayColumns(results).columns, ...verdictColumns], results);
}

/** Outcomes that say nothing about the sequence itself, so that no share of the sequences counts them. */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set(['failed_qc', 'not_tested']);

/** `39 of 52 sequences bind; the best is A with 3.2 nM; 2 more failed QC or were not tested`. */
export function summarizeResults(results: readonly Result[]): string {
  const { isCounted, formatValue, verb } = getAssayColumns(results);
  const designs = results.filter(({ is_control: isControl }) => !isControl);
  const known = designs.filter(({ outcome }) => !UNKNOWN_OUTCOMES.has(outcome));
  const unknown = designs.length - known.length;
  if (known.length === 0)
    return `No sequence was measured: ${unknown} failed QC or ${unknown === 1 ? 'was' : 'were'} not tested.`;
  const counted = known.filter((result) => isCounted(result));
  const isOne = counted.length === 1 || known.length === 1;
  const parts = [`${counted.length} of ${formatCount(known.length, 'sequence')} ${verb[isOne ? 0 : 1]}`];
  const [best] = counted;
  if (best !== undefined) {
    const reached = formatValue(best);
    const { grade } = best.assessment;
    parts.push(
      `the best is ${toPlainText(best.sequence_name)}${reached === '' ? '' : ` with ${reached}`}${grade === 'solid' ? '' : ` (${GRADE_WORDS[grade]})`}`,
    );
  }
  if (unknown > 0) parts.push(`${unknown} more failed QC or ${unknown === 1 ? 'was' : 'were'} not tested`);
  return `${parts.join('; ')}.`;
}

const csvHead: AssayColumns['csv'] = [
  ['grade', (result) => result.assessment.grade],
  ['experiment_code', (result) => result.experiment_code],
  ['place', (result) => result.place],
  ['sequence_name', (result) => result.sequence_name],
  ['is_control', (result) => result.is_control],
  ['target_name', (result) => result.target_name],
  ['outcome', (result) => result.outcome],
];

const csvTail: AssayColumns['csv'] = [
  ['n_replicates_ordered', (result) => result.n_replicates_ordered],
  ['n_replicates', (result) => result.n_replicates],
  ['n_replicates_passed', (result) => result.n_replicates_passed],
  ['n_curves_planned', (result) => result.n_curves_planned],
  ['n_curves', (result) => result.n_curves],
  ['flags', (result) => result.qc.flags.join(' ')],
  ['result_id', (result) => result.id],
  ['grade_reasons', (result) => result.assessment.reasons.join(' ')],
];

/** RFC 4180, numbers in base units; text that a spreadsheet would run as a formula is made harmless. */
export function writeResultsCsv(results: readonly Result[]): string {
  const csvColumns = [...csvHead, ...listCsvColumns(results), ...csvTail];
  const rows = results.map((result) => csvColumns.map(([, cell]) => writeCsvCell(cell(result))).join(','));
  return [csvColumns.map(([name]) => name).join(','), ...rows, ''].join('\r\n');
}

function writeCsvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  // A cell with a single relation sign, even "=", is not a formula.
  if (typeof value === 'string' && /^[=<>~]$/.test(value)) return value;
  return typeof value === 'string' ? writeCsvField(value) : String(value);
}

/** The ranked results, each with its value, interval and flags. */
import type { Output } from '#core/operation.ts';
import type { getExperimentResults } from '../contract.ts';
import { hasFailedPlate } from '../words/failed-plate.ts';
import { getAssayView } from '#assays/views.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import type { ExportedValues, ResultColumn, TableScale } from '#assays/cells.ts';
import { formatPassedOfOrdered } from '../words/replicates.ts';
import { formatFlags } from '../words/results.ts';
import { isRecord } from '#core/records.ts';
import { renderFlagLinks } from './flag-links.ts';
import { renderShortGradeChip, renderResultChip } from './chips.ts';

type Item = Output<typeof getExperimentResults>['items'][number];

/** A column of the table: those of the assay, and what all results have. */
export type TableColumn = Omit<ResultColumn, 'render' | 'listValues'> & {
  readonly render: (item: Item) => Part;
  readonly listValues?: (item: Item) => ExportedValues;
};

const GRADE: TableColumn = {
  key: 'grade',
  label: 'Grade',
  sort: 'grade',
  render: ({ assessment }) => renderShortGradeChip(assessment),
  listValues: ({ assessment }) => ({ grade: assessment.grade }),
};
const PLACE: TableColumn = {
  key: 'place',
  label: '#',
  className: 'number',
  sort: 'place',
  render: ({ place }) => markup`<span class="muted">${place ?? '–'}</span>`,
  listValues: ({ place }) => ({ place: place ?? null }),
};
const OUTCOME: TableColumn = {
  key: 'outcome',
  label: 'Outcome',
  sort: 'outcome',
  render: renderResultChip,
  listValues: ({ outcome }) => ({ outcome }),
};
const REPLICATES: TableColumn = {
  key: 'replicates',
  label: 'Replicates',
  className: 'number',
  render: formatPassedOfOrdered,
  listValues: (item) => ({
    n_replicates_passed: item.n_replicates_passed,
    n_replicates: item.n_replicates,
    n_replicates_ordered: item.n_replicates_ordered,
  }),
};
const FLAGS: TableColumn = {
  key: 'flags',
  label: 'Flags',
  sort: 'flag_count',
  render: renderFlagsCell,
  listValues: ({ qc }) => ({ flags: qc.flags.join(' ') }),
};
/** Hidden until somebody chooses it. */
export const OPTIONAL_COLUMNS: ReadonlySet<string> = new Set([REPLICATES.key]);

/** Lists the columns of an assay; the name stands before the third, in each table. */
export function listTableColumns(experimentType: string, scale: TableScale): TableColumn[] {
  const own = getAssayView(experimentType).listColumns(scale);
  const judgments = own.filter(({ isJudgment }) => isJudgment === true);
  const values = own.filter(({ isJudgment }) => isJudgment !== true);
  return [GRADE, PLACE, ...values, OUTCOME, ...judgments, REPLICATES, FLAGS];
}

/** The columns that stand before the name. */
const BEFORE_NAME: ReadonlySet<string> = new Set([GRADE.key, PLACE.key]);

interface RankedTable {
  /** The address below which each result has a page. */
  readonly base?: string;
  /** What these addresses carry along, such as the list that they belong to. */
  readonly query?: string;
  readonly columns?: readonly TableColumn[];
  /** Renders the head of a column, such as with a link that sorts; `name` is that of the names. */
  readonly renderHead?: (
    column: Pick<TableColumn, 'key' | 'label' | 'head' | 'className' | 'sort'>,
  ) => Markup;
}

/** In the columns of their assay, which is the same for all results of an experiment. */
export function renderRankedResults(items: readonly Item[], table: RankedTable = {}): Markup {
  const {
    base = '/results',
    query = '',
    columns = listTableColumns(items[0]?.experiment_type ?? '', findScale(items)).filter(
      ({ key }) => !OPTIONAL_COLUMNS.has(key),
    ),
    renderHead = renderPlainHead,
  } = table;
  const before = columns.filter(({ key }) => BEFORE_NAME.has(key));
  const after = columns.filter(({ key }) => !BEFORE_NAME.has(key));
  const rows = items.map(
    (item) =>
      markup`<tr>${before.map((column) => renderCell(column, item))}${renderNameCell(item, `${base}/${item.id}${query}`)}${after.map((column) => renderCell(column, item))}</tr>\n`,
  );
  return markup`${renderFailedPlates(items)}<div class="scroll" role="region" aria-label="Table of results" tabindex="0"><table class="ranked">
<thead><tr>${before.map(renderHead)}${renderHead(NAME)}${after.map(renderHead)}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

export const NAME = { key: 'name', label: 'Sequence', sort: 'sequence_name' } as const;

/** The scale of a table that shows these results alone. */
function findScale(items: readonly Item[]): TableScale {
  const kds = items.flatMap(({ quantities: { kd } }) => ((kd?.value ?? 0) > 0 ? [kd?.value ?? 0] : []));
  return { kd_m: kds.length === 0 ? null : { low: Math.min(...kds), high: Math.max(...kds) } };
}

const renderClass = (className: string | undefined): Part =>
  className !== undefined && markup` class="${className}"`;

function renderPlainHead({
  label,
  head,
  className,
}: Pick<TableColumn, 'label' | 'head' | 'className'>): Markup {
  return markup`<th scope="col"${renderClass(className)}>${head ?? label}</th>`;
}

function renderCell({ className, render }: TableColumn, item: Item): Markup {
  return markup`<td${renderClass(className)}>${render(item)}</td>`;
}

/** Stands above the table, because a reader of a ranking begins with its first name. */
function renderFailedPlates(items: readonly Item[]): Markup | null {
  const { length: count } = items.filter(({ qc }) => hasFailedPlate(qc.flags));
  if (count === 0) return null;
  const subject =
    count === items.length ? 'All results here' : `${count} of the ${items.length} results here`;
  const verb = count === 1 && items.length > 1 ? 'comes' : 'come';
  return markup`<p class="note warn results-note failed-plate"><strong>${subject} ${verb} from a plate on which a control failed.</strong> Measure them on another plate before you rely on their calls and values.</p>`;
}

function renderNameCell(item: Item, address: string): Markup {
  return markup`<th scope="row"><a href="${address}"><bdi>${item.sequence_name}</bdi></a>${item.is_control && markup`<span class="sub">control</span>`}</th>`;
}

/** Shows the worst flag and how many more there are, which a title names. */
function renderFlagsCell({ qc }: Item): Markup {
  const [worst, ...rest] = sortWorstFirst(qc);
  if (worst === undefined) return markup`<span class="muted">none</span>`;
  return markup`<span class="flags">${renderFlagLinks([worst])}${rest.length > 0 && markup` <span class="muted" title="${formatFlags(rest)}">+${rest.length}</span>`}</span>`;
}

function sortWorstFirst({ flags, details = [] }: Item['qc']): string[] {
  const errors = new Set(
    details.filter(isRecord).flatMap(({ code, severity }) => (severity === 'error' ? [code] : [])),
  );
  return [...flags.filter((code) => errors.has(code)), ...flags.filter((code) => !errors.has(code))];
}

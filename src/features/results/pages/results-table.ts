/** The ranked results, each with its value, interval and flags. */
import type { Output } from '#core/operation.ts';
import type { getExperimentResults } from '../contract.ts';
import { hasFailedPlate } from '../words/failed-plate.ts';
import { getAssayView } from '#assays/views.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { formatFlags } from '../words/results.ts';
import { isRecord } from '#core/records.ts';
import { renderFlagLinks } from './flag-links.ts';
import { renderShortGradeChip, renderResultChip } from './chips.ts';

type Item = Output<typeof getExperimentResults>['items'][number];

/**
 * In the columns of their assay, which is the same for all results of an experiment. `base` is the address below which
 * each result has a page.
 */
export function renderRankedResults(items: readonly Item[], base = '/results'): Markup {
  const { heads, renderCells, judgment } = getAssayView(items[0]?.experiment_type ?? '');
  const cellsOf = renderCells(items);
  const rows = items.map(
    (
      item,
    ) => markup`<tr><td>${renderShortGradeChip(item.assessment)}</td><td class="number muted">${item.place ?? '–'}</td>
${renderNameCell(item, base)}
${cellsOf(item)}
<td>${renderResultChip(item)}</td>${judgment !== undefined && markup`\n${judgment.cell(item)}`}
<td>${renderFlagsCell(item)}</td></tr>`,
  );
  return markup`${renderFailedPlates(items)}<div class="scroll" role="region" aria-label="Table of results" tabindex="0"><table class="ranked">
<thead><tr><th scope="col">Grade</th><th scope="col" class="number">#</th><th scope="col">Sequence</th>${typeof heads === 'function' ? heads(items) : heads}<th scope="col">Outcome</th>${judgment?.head}<th scope="col">Flags</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
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

function renderNameCell(item: Item, base: string): Markup {
  return markup`<th scope="row"><a href="${base}/${item.id}"><bdi>${item.sequence_name}</bdi></a>${item.is_control && markup`<span class="sub">control</span>`}</th>`;
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

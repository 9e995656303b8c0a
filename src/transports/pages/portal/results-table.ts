/** The ranked results, each with its value, interval and flags. */
import type { Output } from '#core/operation.ts';
import type { getExperimentResults } from '#domain/results/contract.ts';
import { getAssayView, formatOutcome } from '../assays/registry.ts';
import { markup, type Markup } from '../markup.ts';
import { renderFlagLinks } from '../flag-links.ts';
import { renderOutcomeChip } from './pieces.ts';

type Item = Output<typeof getExperimentResults>['items'][number];

/**
 * In the columns of their assay, which is the same for all results of an experiment. `base` is the address below which
 * each result has a page.
 */
export function renderRankedResults(items: readonly Item[], base = '/results'): Markup {
  const { heads, renderCells, judgment } = getAssayView(items[0]?.experiment_type ?? '');
  const cellsOf = renderCells(items);
  const rows = items.map(
    (item) => markup`<tr><td class="number muted">${item.place ?? '–'}</td>
${renderNameCell(item, base)}
${cellsOf(item)}
<td>${renderOutcomeChip(item.outcome, formatOutcome(item))}</td>${judgment !== undefined && markup`\n${judgment.cell(item)}`}
<td>${renderFlagsCell(item)}</td></tr>`,
  );
  return markup`<div class="scroll" role="region" aria-label="Table of results" tabindex="0"><table class="ranked">
<thead><tr><th scope="col" class="number">#</th><th scope="col">Sequence</th>${heads}<th scope="col">Outcome</th>${judgment?.head}<th scope="col">Flags</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function renderNameCell(item: Item, base: string): Markup {
  return markup`<th scope="row"><a href="${base}/${item.id}"><bdi>${item.sequence_name}</bdi></a>${item.is_control && markup`<span class="sub">control</span>`}</th>`;
}

function renderFlagsCell({ qc }: Item): Markup {
  return qc.flags.length === 0
    ? markup`<span class="muted">none</span>`
    : markup`<span class="flags">${renderFlagLinks(qc.flags)}</span>`;
}

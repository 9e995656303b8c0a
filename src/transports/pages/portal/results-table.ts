/** The ranked results, each with its value, interval and flags. */
import type { Output } from '#core/operation.ts';
import type { getExperimentResults } from '#domain/results/contract.ts';
import { getAssayView, outcomeText } from '../assays/registry.ts';
import { markup, type Markup } from '../markup.ts';
import { flagsText, sentenceCase } from '../words.ts';
import { outcomeChip } from './pieces.ts';

type Item = Output<typeof getExperimentResults>['items'][number];

/** In the columns of their assay, which is the same for all results of an experiment. */
export function rankedResults(items: readonly Item[]): Markup {
  const { heads, cells, judgement } = getAssayView(items[0]?.experiment_type ?? '');
  const cellsOf = cells(items);
  const rows = items.map(
    (item) => markup`<tr><td class="number muted">${item.place ?? '–'}</td>
${nameCell(item)}
${cellsOf(item)}
<td>${outcomeChip(item.outcome, outcomeText(item))}</td>${judgement !== undefined && markup`\n${judgement.cell(item)}`}
<td>${flagsCell(item)}</td></tr>`,
  );
  return markup`<div class="scroll" role="region" aria-labelledby="results" tabindex="0"><table class="ranked">
<thead><tr><th scope="col" class="number">#</th><th scope="col">Sequence</th>${heads}<th scope="col">Outcome</th>${judgement?.head}<th scope="col">Flags</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function nameCell(item: Item): Markup {
  return markup`<th scope="row"><a href="/results/${item.id}"><bdi>${item.sequence_name}</bdi></a>${item.is_control && markup`<span class="sub">control</span>`}</th>`;
}

function flagsCell({ qc }: Item): Markup {
  return qc.flags.length === 0
    ? markup`<span class="muted">none</span>`
    : markup`<span class="flags">${sentenceCase(flagsText(qc.flags))}</span>`;
}

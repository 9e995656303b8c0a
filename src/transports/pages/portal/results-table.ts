/** The ranked results, each with its value, interval and flags. */
import type { Output } from '#core/operation.ts';
import type { AffinityResult, getExperimentResults, Quantity } from '#domain/results/contract.ts';
import { bindingRow } from '#domain/results/rows.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import {
  flagsText,
  kdReading,
  outcomeText,
  quantityReading,
  scientific,
  sentenceCase,
  unitText,
} from '../words.ts';
import type { AssayView } from '../assays/page-assay.ts';
import { assayView } from '../assays/registry.ts';
import { kdScale, type KdScale } from './kd-scale.ts';
import { outcomeChip, reading } from './pieces.ts';

type Item = Output<typeof getExperimentResults>['items'][number];

export function rankedResults(items: readonly Item[]): Markup {
  const view = assayView(items[0]?.experiment_type ?? '');
  if (view !== undefined) return assayResults(items, view);
  const isScreening = items.every((item) => item.experiment_type === 'screening');
  const head = isScreening
    ? markup`<th scope="col" class="number">Response</th><th scope="col" class="number">z score</th>`
    : markup`<th scope="col">K<sub>D</sub> (95 % CI)</th><th scope="col" class="scale-cell">Scale</th><th scope="col">k<sub>on</sub> (M⁻¹s⁻¹)</th><th scope="col">k<sub>off</sub> (s⁻¹)</th>`;
  const scale = kdScale(items.map((item) => item.quantities.kd));
  const rows = items.map((item) => row(item, isScreening, scale));
  return markup`<div class="scroll" role="region" aria-labelledby="results" tabindex="0"><table class="ranked">
<thead><tr><th scope="col" class="number">#</th><th scope="col">Sequence</th>${head}<th scope="col">Outcome</th>${!isScreening && CLASS_HEAD}<th scope="col">Flags</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function assayResults(items: readonly Item[], view: AssayView): Markup {
  const rows = items.map(
    (item) => markup`<tr><td class="number muted">${item.place ?? '–'}</td>
${nameCell(item)}
${view.cells(item)}
<td>${outcomeChip(item.outcome, outcomeText(item))}</td>
<td>${flagsCell(item)}</td></tr>`,
  );
  return markup`<div class="scroll" role="region" aria-labelledby="results" tabindex="0"><table class="ranked">
<thead><tr><th scope="col" class="number">#</th><th scope="col">Sequence</th>${view.heads}<th scope="col">Outcome</th><th scope="col">Flags</th></tr></thead>
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

const CLASS_HEAD = markup`<th scope="col">Class</th>`;

function strengthText(strength: string | undefined): Part {
  return strength === undefined || strength === 'unknown'
    ? markup`<span class="muted">–</span>`
    : sentenceCase(strength);
}

function row(item: Item, isScreening: boolean, scale: KdScale): Markup {
  const summary = bindingRow(item);
  const numbers = isScreening ? screeningCells(summary) : kineticCells(item, scale);
  return markup`<tr><td class="number muted">${item.place ?? '–'}</td>
${nameCell(item)}
${numbers}
<td>${outcomeChip(item.outcome, outcomeText(item))}</td>
${!isScreening && markup`<td>${strengthText(summary?.binding_strength)}</td>`}
<td>${flagsCell(item)}</td></tr>`;
}

function kineticCells(item: Item, scale: KdScale): Markup {
  const { kd, kon, koff } = item.quantities;
  return markup`<td>${reading(kdReading(kd))}</td><td class="scale-cell">${scale.draw(kd)}</td><td class="nowrap">${bare(kon)}</td><td class="nowrap">${bare(koff)}</td>`;
}

/** The value without its unit, which is in the column head. */
function bare(quantity: Quantity | undefined): string {
  if (quantity === undefined || quantity.value === null) return '–';
  return (quantityReading(quantity)?.value ?? '–').replace(` ${unitText(quantity.unit)}`, '');
}

function screeningCells(summary: AffinityResult | undefined): Markup {
  const { response, response_unit: unit, z_score: z } = summary ?? {};
  return markup`<td class="number">${typeof response === 'number' ? `${scientific(response)} ${unit ?? ''}` : '–'}</td><td class="number">${typeof z === 'number' ? z.toFixed(1) : '–'}</td>`;
}

/** Cells of result tables: quantities, limits, flags and replicates. */
import { writeRelation } from '#core/relations.ts';
import type { ResultInfo } from '#domain/results/contract.ts';
import { quantityParts } from '#presentation/words/quantities.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import { flagsText, sentenceCase, type Reading } from '../words.ts';

export type Item = Pick<ResultInfo, 'experiment_type' | 'quantities' | 'summary' | 'outcome'>;
type Quantity = ResultInfo['quantities'][string];

export const MUTED = markup`<span class="muted">–</span>`;

/** Such as `63.4 °C` with its interval `63.1–63.7`. */
export function readingOf(quantity: Quantity | undefined, decimals?: number): Reading | null {
  const said = quantityParts(quantity, decimals);
  return said === undefined ? null : { value: said.value, interval: said.interval ?? null };
}

export function number(value: number | null | undefined, digits = 3): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(digits))).replace('-', '−') : '–';
}

export function fixed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' ? value.toFixed(decimals).replace('-', '−') : '–';
}

export function signed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' && value > 0 ? `+${fixed(value, decimals)}` : fixed(value, decimals);
}

export function bounded(
  value: number | null | undefined,
  relation: string | null | undefined,
  write: (value: number) => string = number,
): string {
  return typeof value === 'number' ? `${writeRelation(relation)}${write(value)}` : '–';
}

export function flagCell(flags: readonly string[] | undefined): Part {
  return flags === undefined || flags.length === 0
    ? markup`<span class="muted">none</span>`
    : sentenceCase(flagsText(flags));
}

export function replicateTable(heads: Markup, rows: readonly Markup[]): Markup | null {
  return replicateSection(markup`<th scope="col">Well</th>${heads}`, rows);
}

export function replicateSection(heads: Markup, rows: readonly Markup[]): Markup | null {
  if (rows.length === 0) return null;
  return markup`<section class="card flush" aria-labelledby="replicates"><div class="card-head"><h2 id="replicates">Replicates</h2></div><div class="scroll" role="region" aria-labelledby="replicates" tabindex="0"><table>
<thead><tr><th scope="col">Replicate</th>${heads}<th scope="col">Flags</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

export interface ReplicateHead {
  readonly replicate: number;
  readonly plate?: string | null | undefined;
  readonly well?: string | null | undefined;
  readonly flags?: readonly string[] | undefined;
}

export function replicateRow(each: ReplicateHead, cells: Markup): Markup {
  const place = [each.plate, each.well].filter((part) => part !== null && part !== undefined).join(' ');
  return markup`<tr><th scope="row">${each.replicate}</th><td class="nowrap">${place === '' ? '–' : place}</td>${cells}<td>${flagCell(each.flags)}</td></tr>`;
}

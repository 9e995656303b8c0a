/** Cells of result tables: quantities, limits, flags and replicates. */
import { formatRelation } from '#core/relations.ts';
import type { ResultInfo } from '#features/results/contract.ts';
import {
  formatFixed as writeFixed,
  formatQuantityParts,
  type QuantityParts,
} from '#features/results/words/quantities.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderFlagLinks } from '#features/results/pages/flag-links.ts';
import { createReading, formatScientific, type Reading } from '#ui/words.ts';

export type Item = Pick<
  ResultInfo,
  'assessment' | 'experiment_type' | 'quantities' | 'rows' | 'outcome' | 'qc' | 'details'
> &
  Partial<Pick<ResultInfo, 'analysis'>>;
type Quantity = ResultInfo['quantities'][string];

export const MUTED = markup`<span class="muted">–</span>`;

/** Such as `63.4 °C` with its interval `63.1–63.7`. */
export function toReading(quantity: Quantity | undefined, decimals?: number): Reading | null {
  const parts = formatQuantityParts(quantity, decimals);
  return parts === undefined ? null : createReading(parts.value, parts.interval, quantity?.n);
}

/** Below this a number shows its power of ten. */
const LEAST_PLAIN = 1e-3;

/** With three digits, as figures and reports write it. */
export function formatNumber(value: number | null | undefined): string {
  if (typeof value !== 'number') return '–';
  if (value !== 0 && Math.abs(value) < LEAST_PLAIN) return formatScientific(value);
  return formatQuantityParts({ value, relation: '=' })?.number ?? '–';
}

/** A reading of an instrument, with the digits that it gave. */
export function formatReading(value: number | null | undefined): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))).replace('-', '−') : '–';
}

interface Interval {
  readonly ci_low?: number | null | undefined;
  readonly ci_high?: number | null | undefined;
}

/** The number of a replicate and its interval, as figures and reports write them. */
export function formatWithInterval(
  value: number | null | undefined,
  relation: string | null | undefined,
  interval?: Interval | null,
): QuantityParts | undefined {
  return formatQuantityParts({
    value: value ?? null,
    relation: relation ?? '=',
    ci95_low: interval?.ci_low ?? null,
    ci95_high: interval?.ci_high ?? null,
  });
}

/** The number of a quantity with its relation; its unit stands in the head of the column. */
export function formatQuantityNumber(quantity: Quantity | undefined): string {
  return formatQuantityParts(quantity)?.number ?? '–';
}

export function formatFixed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' ? writeFixed(value, decimals) : '–';
}

/** A difference, with a plus before what is above zero. */
export function formatDifference(quantity: Quantity | undefined): string {
  const text = formatQuantityNumber(quantity);
  return (quantity?.value ?? 0) > 0 ? text.replace(/^(\D*)/, '$1+') : text;
}

export function formatHeadUnit(unit: string | null | undefined): string {
  return typeof unit === 'string' && unit !== '' ? ` (${unit})` : '';
}

export function formatBounded(
  value: number | null | undefined,
  relation: string | null | undefined,
  write: (value: number) => string = formatNumber,
): string {
  return typeof value === 'number' ? `${formatRelation(relation)}${write(value)}` : '–';
}

export function renderFlagCell(flags: readonly string[] | undefined): Part {
  return flags === undefined || flags.length === 0
    ? markup`<span class="muted">none</span>`
    : renderFlagLinks(flags);
}

export function renderReplicateTable(heads: Markup, rows: readonly Markup[]): Markup | null {
  return renderReplicateSection(markup`<th scope="col">Well</th>${heads}`, rows);
}

export function renderReplicateSection(heads: Markup, rows: readonly Markup[]): Markup | null {
  if (rows.length === 0) return null;
  return markup`<section class="card flush" aria-labelledby="replicates"><div class="card-head"><h2 id="replicates">Replicates</h2></div><div class="scroll" role="region" aria-label="Table of replicates" tabindex="0"><table class="replicates">
<thead><tr><th scope="col">Replicate</th>${heads}<th scope="col">Flags</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

interface ReplicateHead {
  readonly replicate: number;
  readonly plate?: string | null | undefined;
  readonly well?: string | null | undefined;
  readonly flags?: readonly string[] | undefined;
}

export function renderReplicateRow(each: ReplicateHead, cells: Markup): Markup {
  const place = [each.plate, each.well].filter((part) => part !== null && part !== undefined).join(' ');
  return markup`<tr><th scope="row">${each.replicate}</th><td class="nowrap">${place === '' ? '–' : place}</td>${cells}<td>${renderFlagCell(each.flags)}</td></tr>`;
}

/** The interface of an assay on the pages. */

/** The value of a result; several readings stand side by side where the analysis cannot choose. */
export interface Headline {
  readonly label: string | Markup;
  readonly readings: readonly HeadlineReading[];
}

interface HeadlineReading extends Reading {
  /** What tells this reading from the others, or what it was judged by. */
  readonly by?: string;
}

/** The columns of the ranking, the headline of a result, its replicates. */
export interface AssayView {
  /** Column heads of the ranking; a function where they say what its results share, such as the ends of a scale. */
  readonly heads: Markup | ((items: readonly Item[]) => Markup);
  /** Of each result of a ranking, whose results may share a scale. */
  readonly renderCells: (items: readonly Item[]) => (item: Item) => Markup;
  /** A column behind the outcome. */
  readonly judgment?: { readonly head: Markup; readonly cell: (item: Item) => Markup };
  /** Of the outcome `measured`, where the assay can say more. */
  readonly describeMeasured?: (item: Item) => string | undefined;
  /** Whether a result with the outcome `measured` leaves open what the assay asks, so that its chip warns. */
  readonly isUnanswered?: (item: Item) => boolean;
  readonly getHeadline: (item: Item) => Headline | null;
  readonly renderReplicates: (item: Item) => Markup | null;
  readonly plotTitle: string;
  /** Whether a page with scripts shows all that the figure does, so that the figure is for print. */
  readonly isReadWhole?: boolean;
  /** Whether what is read are the wells of plates, which need less room than curves. */
  readonly isReadByWell?: boolean;
  readonly getPlotHint: (item: Item) => string;
}

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

/** What all rows of a table share: the range of their KDs, in M, where there are some. */
export interface TableScale {
  readonly kd_m: { readonly low: number; readonly high: number } | null;
}

/** A column of a table of results. */
export interface ResultColumn {
  /** Its name in addresses. */
  readonly key: string;
  /** In plain words, for the choice of columns. */
  readonly label: string;
  /** What stands in the head, if not the label. */
  readonly head?: Part;
  readonly className?: 'number' | 'number wide-only' | 'scale-cell' | 'nowrap';
  /** Of the language of lists; a column without it cannot be sorted by. */
  readonly sort?: string;
  /** Whether the largest is the best, so that it comes first. */
  readonly isLargeFirst?: boolean;
  /** Whether it stands behind the outcome. */
  readonly isJudgment?: boolean;
  readonly render: (item: Item) => Part;
  /** What an export has, by the names of its columns; a drawing has nothing. */
  readonly listValues?: (item: Item) => ExportedValues;
}

export type ExportedValues = Readonly<Record<string, string | number | null>>;

/** The members of a quantity in an export. */
function listQuantityValues(name: string, quantity: Quantity | undefined): ExportedValues {
  return {
    [name]: quantity?.value ?? null,
    [`${name}_relation`]: quantity?.relation ?? null,
    [`${name}_ci95_low`]: quantity?.ci95_low ?? null,
    [`${name}_ci95_high`]: quantity?.ci95_high ?? null,
    [`${name}_unit`]: quantity?.unit ?? null,
  };
}

/** A column of a quantity: sorted by its value, exported with its interval. */
export function defineQuantityColumn(
  quantity: string,
  column: Omit<ResultColumn, 'key' | 'sort' | 'listValues'>,
): ResultColumn {
  return {
    key: quantity,
    sort: `float(at(at(quantities,${quantity}),value))`,
    listValues: (item) => listQuantityValues(quantity, item.quantities[quantity]),
    ...column,
  };
}

/** A well of a result, as it is read under the pointer. */
interface ReadWell {
  readonly plate: string;
  readonly well: string;
  readonly replicate: number;
  /** How dark it is among the others; null without a value. */
  readonly value: number | null;
  readonly text: string;
}

/** The columns of the ranking, the headline of a result, its replicates. */
export interface AssayView {
  /** Of a ranking, whose results may share a scale. */
  readonly listColumns: (scale: TableScale) => readonly ResultColumn[];
  /** Of the outcome `measured`, where the assay can say more. */
  readonly describeMeasured?: (item: Item) => string | undefined;
  /** What everything is called that was measured, in a choice of outcomes. */
  readonly measuredWord?: string;
  /** Whether a result with the outcome `measured` leaves open what the assay asks, so that its chip warns. */
  readonly isUnanswered?: (item: Item) => boolean;
  readonly getHeadline: (item: Item) => Headline | null;
  readonly renderReplicates: (item: Item) => Markup | null;
  readonly plotTitle: string;
  /** The heading of the small pictures of many results, where their curves show something at that size. */
  readonly picturesTitle?: string;
  /** Whether a page with scripts shows all that the figure does, so that the figure is for print. */
  readonly isReadWhole?: boolean;
  /** The wells behind the result, where its curves have no map of them. */
  readonly listWells?: (item: Item) => readonly ReadWell[];
  /** Whether what is read are the wells of plates, which need less room than curves. */
  readonly isReadByWell?: boolean;
  readonly getPlotHint: (item: Item) => string;
}

/** What the three assays without a target show: the columns of the ranking, the headline of a result, its replicates. */
import { writeRelation } from '#core/relations.ts';
import type { ResultInfo } from '#domain/results/contract.ts';
import { expressionRow } from '#domain/assays/expression/row.ts';
import { fluorescenceRow } from '#domain/assays/fluorescence/row.ts';
import { thermostabilityRow } from '#domain/assays/thermostability/row.ts';
import { quantityParts } from '#presentation/words/quantities.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import { flagsText, sentenceCase, type Reading } from '../words.ts';
import { reading } from './pieces.ts';

type Item = Pick<ResultInfo, 'experiment_type' | 'quantities' | 'summary' | 'outcome'>;
type Quantity = ResultInfo['quantities'][string];

export interface AssayView {
  /** Heads of the columns in the ranking. */
  readonly heads: Markup;
  readonly cells: (item: Item) => Markup;
  readonly headline: (item: Item) => { readonly label: string; readonly reading: Reading } | null;
  readonly replicates: (item: Item) => Markup | null;
  readonly plotTitle: string;
  readonly plotHint: string;
}

const MUTED = markup`<span class="muted">–</span>`;

/** `63.4 °C` with its interval `63.1–63.7`. */
function readingOf(quantity: Quantity | undefined, decimals?: number): Reading | null {
  const said = quantityParts(quantity, decimals);
  return said === undefined ? null : { value: said.value, interval: said.interval ?? null };
}

function number(value: number | null | undefined, digits = 3): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(digits))).replace('-', '−') : '–';
}

function fixed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' ? value.toFixed(decimals).replace('-', '−') : '–';
}

function signed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' && value > 0 ? `+${fixed(value, decimals)}` : fixed(value, decimals);
}

function bounded(value: number | null | undefined, relation: string | null | undefined, digits = 3): string {
  return typeof value === 'number' ? `${writeRelation(relation)}${number(value, digits)}` : '–';
}

function flagCell(flags: readonly string[] | undefined): Part {
  return flags === undefined || flags.length === 0
    ? markup`<span class="muted">none</span>`
    : sentenceCase(flagsText(flags));
}

function replicateTable(heads: Markup, rows: readonly Markup[]): Markup | null {
  if (rows.length === 0) return null;
  return markup`<section class="card flush" aria-labelledby="replicates"><div class="card-head"><h2 id="replicates">Replicates</h2></div><div class="scroll" role="region" aria-labelledby="replicates" tabindex="0"><table>
<thead><tr><th scope="col">Replicate</th><th scope="col">Well</th>${heads}<th scope="col">Flags</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

interface ReplicateHead {
  readonly replicate: number;
  readonly plate?: string | null | undefined;
  readonly well?: string | null | undefined;
  readonly flags?: readonly string[] | undefined;
}

function replicateRow(each: ReplicateHead, cells: Markup): Markup {
  const place = [each.plate, each.well].filter((part) => part !== null && part !== undefined).join(' ');
  return markup`<tr><th scope="row">${each.replicate}</th><td class="nowrap">${place === '' ? '–' : place}</td>${cells}<td>${flagCell(each.flags)}</td></tr>`;
}

const thermostability: AssayView = {
  heads: markup`<th scope="col">T<sub>m</sub> (95 % CI)</th><th scope="col" class="number">ΔT<sub>m</sub> (°C)</th><th scope="col" class="number wide-only">Onset (°C)</th>`,
  cells: (item) => {
    const row = thermostabilityRow(item);
    const tm = readingOf(item.quantities.tm, 1);
    const reason = row?.no_transition_reason ?? null;
    const none = reason === null ? MUTED : markup`<span class="muted">no transition</span>`;
    return markup`<td>${tm === null ? none : reading(tm)}</td><td class="number">${signed(row?.delta_tm_vs_control, 1)}</td><td class="number wide-only">${fixed(row?.tonset, 1)}</td>`;
  },
  headline: (item) => {
    const found = readingOf(item.quantities.tm, 1);
    return found === null ? null : { label: 'Tm', reading: found };
  },
  replicates: (item) =>
    replicateTable(
      markup`<th scope="col" class="number">T<sub>m</sub> (°C)</th><th scope="col" class="number">Onset (°C)</th><th scope="col" class="number">ΔH (kcal/mol)</th><th scope="col" class="number">R²</th><th scope="col">Transitions</th>`,
      (thermostabilityRow(item)?.replicates ?? []).map((each) =>
        replicateRow(
          each,
          markup`<td class="number">${fixed(each.tm, 2)}</td><td class="number">${fixed(each.tonset, 1)}</td><td class="number">${number(each.dh)}</td><td class="number">${fixed(each.r2, 4)}</td><td>${each.no_transition_reason ? sentenceCase(each.no_transition_reason) : (each.tm_all ?? []).map((tm) => fixed(tm, 1)).join(', ')}</td>`,
        ),
      ),
    ),
  plotTitle: 'Melting curves',
  plotHint: 'Signal with fit, and its first derivative; the dashed line is the melting temperature.',
};

const expression: AssayView = {
  heads: markup`<th scope="col">Yield (95 % CI)</th><th scope="col" class="number wide-only">µM</th><th scope="col">Class</th>`,
  cells: (item) => {
    const row = expressionRow(item);
    const found = readingOf(item.quantities.yield_ng_per_ul);
    return markup`<td>${found === null ? MUTED : reading(found)}</td><td class="number wide-only">${bounded(row?.molar_um, row?.yield_relation)}</td><td>${row?.expression_class ? sentenceCase(row.expression_class) : MUTED}</td>`;
  },
  headline: (item) => {
    const found = readingOf(item.quantities.yield_ng_per_ul);
    return found === null ? null : { label: 'Yield', reading: found };
  },
  replicates: (item) =>
    replicateTable(
      markup`<th scope="col" class="number">Yield (ng/µL)</th><th scope="col">95 % interval</th><th scope="col" class="number">Signal</th><th scope="col" class="number">Less no-DNA</th>`,
      (expressionRow(item)?.replicates ?? []).map((each) => {
        const { yield_ng_per_ul_interval: interval } = each;
        const [low, high] = [interval?.ci_low, interval?.ci_high];
        return replicateRow(
          each,
          markup`<td class="number nowrap">${bounded(each.yield_ng_per_ul, each.yield_ng_per_ul_relation)}</td><td class="nowrap">${typeof low === 'number' ? `${number(low)} – ${number(high)}` : '–'}</td><td class="number">${number(each.loading_signal)}</td><td class="number">${number(each.loading_signal_adjusted)}</td>`,
        );
      }),
    ),
  plotTitle: 'Expression',
  plotHint: 'Standard curve, captures with their initial rate, and the yield with its 95 % interval.',
};

const fluorescence: AssayView = {
  heads: markup`<th scope="col">Of reference (95 % CI)</th><th scope="col" class="number">log₂ fold</th><th scope="col" class="number wide-only">Intensity</th>`,
  cells: (item) => {
    const row = fluorescenceRow(item);
    const found = readingOf(item.quantities.normalized_to_control);
    return markup`<td>${found === null ? MUTED : reading(found)}</td><td class="number">${signed(row?.log2_fold, 2)}</td><td class="number wide-only nowrap">${bounded(row?.intensity, row?.intensity_relation)} ${row?.intensity_unit ?? ''}</td>`;
  },
  headline: (item) => {
    const normalized = readingOf(item.quantities.normalized_to_control);
    if (normalized !== null) return { label: 'Of the reference', reading: normalized };
    const intensity = readingOf(item.quantities.intensity);
    return intensity === null ? null : { label: 'Intensity', reading: intensity };
  },
  replicates: (item) =>
    replicateTable(
      markup`<th scope="col" class="number">Raw</th><th scope="col" class="number">Less blank</th><th scope="col" class="number">Of reference</th>`,
      (fluorescenceRow(item)?.replicates ?? []).map((each) =>
        replicateRow(
          each,
          markup`<td class="number">${each.saturated === true ? 'saturated' : number(each.raw, 6)}</td><td class="number nowrap">${bounded(each.intensity, each.intensity_relation, 5)}</td><td class="number nowrap">${bounded(each.normalized_to_control, each.normalized_to_control_relation)}</td>`,
        ),
      ),
    ),
  plotTitle: 'Plates',
  plotHint:
    'Every well of the plates, the wells of this sequence ringed, and its intensity beside the reference.',
};

const VIEWS: Readonly<Record<string, AssayView>> = { thermostability, expression, fluorescence };

/** Undefined for the binding assays, which have pages of their own kind. */
export function assayView(experimentType: string): AssayView | undefined {
  return VIEWS[experimentType];
}

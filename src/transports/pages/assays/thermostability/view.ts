import { formatRelation } from '#core/relations.ts';
import type { ThermostabilityResult } from '#domain/assays/thermostability/row.ts';
import { findThermostabilityRow, isWithoutTransition } from '#domain/assays/thermostability/find-row.ts';
import { markup } from '../../markup.ts';
import { renderReading } from '../../portal/pieces.ts';
import { toSentenceCase } from '../../words.ts';
import {
  MUTED,
  toReading,
  formatNumber,
  formatFixed,
  formatSigned,
  renderReplicateTable,
  renderReplicateRow,
} from '../cells.ts';
import type { AssayView, PageAssay } from '../page-assay.ts';

/** Quantities of the transitions above the first. */
const LATER = ['tm_2', 'tm_3'] as const;

/** `50.1 (49.8–50.4)` for each transition of a replicate; a result of an earlier engine has only their temperatures. */
function listTransitions({
  transitions,
  tm_all: all = [],
}: ThermostabilityResult['replicates'][number]): string[] {
  if (transitions === undefined) return all.map((tm) => formatFixed(tm, 1));
  return transitions.map(({ tm, tm_relation: relation, tm_interval: interval }) => {
    const value = `${formatRelation(relation)}${formatFixed(tm, 1)}`;
    const { ci_low: low, ci_high: high } = interval ?? {};
    const isKnown = typeof low === 'number' && typeof high === 'number';
    return isKnown ? `${value} (${formatFixed(low, 1)}–${formatFixed(high, 1)})` : value;
  });
}

const view: AssayView = {
  heads: markup`<th scope="col">T<sub>m</sub> (95% CI)</th><th scope="col" class="number">ΔT<sub>m</sub> (°C)</th><th scope="col" class="number wide-only">Onset (°C)</th>`,
  renderCells: () => (item) => {
    const row = findThermostabilityRow(item);
    const tm = toReading(item.quantities.tm, 1);
    return markup`<td>${tm === null ? MUTED : renderReading(tm)}</td><td class="number">${formatSigned(row?.delta_tm_vs_control, 1)}</td><td class="number wide-only">${formatFixed(row?.tonset, 1)}</td>`;
  },
  describeMeasured: (item) => {
    if (!isWithoutTransition(item)) return undefined;
    return item.qc.flags.includes('SATURATED') ? 'No Tm: saturated' : 'No transition';
  },
  getHeadline: (item) => {
    const found = toReading(item.quantities.tm, 1);
    if (found === null) return null;
    const { length: count } = findThermostabilityRow(item)?.tm_all ?? [];
    const later = LATER.flatMap((name) => toReading(item.quantities[name], 1) ?? []);
    const isSaid = later.length === count - 1;
    const few = isSaid ? `Tm of ${count} transitions` : `Tm, first of ${count} transitions`;
    return { label: count > 1 ? few : 'Tm', readings: isSaid ? [found, ...later] : [found] };
  },
  renderReplicates: (item) =>
    renderReplicateTable(
      markup`<th scope="col" class="number">T<sub>m</sub> (°C)</th><th scope="col" class="number">Onset (°C)</th><th scope="col" class="number">ΔH (kcal/mol)</th><th scope="col" class="number">R²</th><th scope="col">Transitions (°C)</th>`,
      (findThermostabilityRow(item)?.replicates ?? []).map((each) =>
        renderReplicateRow(
          each,
          markup`<td class="number">${formatFixed(each.tm, 2)}</td><td class="number">${formatFixed(each.tonset, 1)}</td><td class="number">${formatNumber(each.dh)}</td><td class="number">${formatFixed(each.r2, 4)}</td><td>${each.no_transition_reason ? toSentenceCase(each.no_transition_reason) : listTransitions(each).join(', ')}</td>`,
        ),
      ),
    ),
  plotTitle: 'Melting curves',
  getPlotHint: (item) => {
    const { tm_method: method, tm } = findThermostabilityRow(item) ?? {};
    const fit = method === 'two_state' || method === 'boltzmann' ? ' with fit' : '';
    const line = typeof tm === 'number' ? '; the dashed line is the melting temperature' : '';
    return `Signal${fit}, and its first derivative${line}.`;
  },
};

export const thermostability: PageAssay = {
  label: 'Thermostability: Tm',
  templates: ['melting-curves', 'temperature-by-well'],
  view,
};

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

const view: AssayView = {
  heads: markup`<th scope="col">T<sub>m</sub> (95% CI)</th><th scope="col" class="number">ΔT<sub>m</sub> (°C)</th><th scope="col" class="number wide-only">Onset (°C)</th>`,
  renderCells: () => (item) => {
    const row = findThermostabilityRow(item);
    const tm = toReading(item.quantities.tm, 1);
    return markup`<td>${tm === null ? MUTED : renderReading(tm)}</td><td class="number">${formatSigned(row?.delta_tm_vs_control, 1)}</td><td class="number wide-only">${formatFixed(row?.tonset, 1)}</td>`;
  },
  describeMeasured: (item) => (isWithoutTransition(item) ? 'No transition' : undefined),
  getHeadline: (item) => {
    const found = toReading(item.quantities.tm, 1);
    if (found === null) return null;
    const { length: count } = findThermostabilityRow(item)?.tm_all ?? [];
    return { label: count > 1 ? `Tm, first of ${count} transitions` : 'Tm', readings: [found] };
  },
  renderReplicates: (item) =>
    renderReplicateTable(
      markup`<th scope="col" class="number">T<sub>m</sub> (°C)</th><th scope="col" class="number">Onset (°C)</th><th scope="col" class="number">ΔH (kcal/mol)</th><th scope="col" class="number">R²</th><th scope="col">Transitions (°C)</th>`,
      (findThermostabilityRow(item)?.replicates ?? []).map((each) =>
        renderReplicateRow(
          each,
          markup`<td class="number">${formatFixed(each.tm, 2)}</td><td class="number">${formatFixed(each.tonset, 1)}</td><td class="number">${formatNumber(each.dh)}</td><td class="number">${formatFixed(each.r2, 4)}</td><td>${each.no_transition_reason ? toSentenceCase(each.no_transition_reason) : (each.tm_all ?? []).map((tm) => formatFixed(tm, 1)).join(', ')}</td>`,
        ),
      ),
    ),
  plotTitle: 'Melting curves',
  getPlotHint: (item) => {
    const { tm_method: method, tm, tm_all: all } = findThermostabilityRow(item) ?? {};
    const fit = method === 'two_state' || method === 'boltzmann' ? ' with fit' : '';
    const line = typeof tm === 'number' ? '; the dashed line is the melting temperature' : '';
    const several = (all ?? []).length > 1 ? ' Of several transitions only the first has an interval.' : '';
    return `Signal${fit}, and its first derivative${line}.${several}`;
  },
};

export const thermostability: PageAssay = {
  label: 'Thermostability: Tm',
  templates: ['melting-curves', 'temperature-by-well'],
  view,
};

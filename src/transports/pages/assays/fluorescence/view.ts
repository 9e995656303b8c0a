import { findFluorescenceRow } from '#domain/assays/fluorescence/find-row.ts';
import { markup } from '../../markup.ts';
import { renderReading } from '../../portal/pieces.ts';
import {
  MUTED,
  toReading,
  formatNumber,
  formatSigned,
  formatBounded,
  renderReplicateTable,
  renderReplicateRow,
} from '../cells.ts';
import type { AssayView, PageAssay } from '../page-assay.ts';

const view: AssayView = {
  heads: markup`<th scope="col">Of reference (95% CI)</th><th scope="col" class="number">log₂ fold</th><th scope="col" class="number wide-only">Intensity</th>`,
  renderCells: () => (item) => {
    const row = findFluorescenceRow(item);
    const found = toReading(item.quantities.normalized_to_control);
    return markup`<td>${found === null ? MUTED : renderReading(found)}</td><td class="number">${formatSigned(row?.log2_fold, 2)}</td><td class="number wide-only nowrap">${formatBounded(row?.intensity, row?.intensity_relation)} ${row?.intensity_unit ?? ''}</td>`;
  },
  getHeadline: (item) => {
    const normalized = toReading(item.quantities.normalized_to_control);
    if (normalized !== null) return { label: 'Of the reference', readings: [normalized] };
    const intensity = toReading(item.quantities.intensity);
    return intensity === null ? null : { label: 'Intensity', readings: [intensity] };
  },
  renderReplicates: (item) =>
    renderReplicateTable(
      markup`<th scope="col" class="number">Raw</th><th scope="col" class="number">Minus blank</th><th scope="col" class="number">Of reference</th>`,
      (findFluorescenceRow(item)?.replicates ?? []).map((each) =>
        renderReplicateRow(
          each,
          markup`<td class="number">${each.saturated === true ? 'saturated' : formatNumber(each.raw, 6)}</td><td class="number nowrap">${formatBounded(each.intensity, each.intensity_relation, (value) => formatNumber(value, 5))}</td><td class="number nowrap">${formatBounded(each.normalized_to_control, each.normalized_to_control_relation)}</td>`,
        ),
      ),
    ),
  plotTitle: 'Plates',
  getPlotHint: ({ quantities }) =>
    `Every well of the plates, the wells of this sequence ringed, and its intensity${quantities.normalized_to_control === undefined ? '' : ' beside the reference'}.`,
};

export const fluorescence: PageAssay = {
  label: 'Fluorescence: intensity',
  templates: ['plate-values', 'plate-reader'],
  view,
};

import { findFluorescenceRow } from './row.ts';
import { markup } from '#ui/markup.ts';
import { renderReading } from '#ui/pieces.ts';
import {
  defineQuantityColumn,
  MUTED,
  toReading,
  formatDifference,
  formatHeadUnit,
  formatReading,
  formatBounded,
  renderReplicateTable,
  renderReplicateRow,
  type AssayView,
} from '../cells.ts';

const RELATIVE = 'Relative intensity';

export const fluorescenceView: AssayView = {
  listColumns: () => [
    defineQuantityColumn('normalized_to_control', {
      label: 'Relative intensity (95% CI)',
      isLargeFirst: true,
      render: (item) => {
        const reading = toReading(item.quantities.normalized_to_control);
        return reading === null ? MUTED : renderReading(reading);
      },
    }),
    defineQuantityColumn('log2_fold', {
      label: 'log₂ fold',
      className: 'number',
      isLargeFirst: true,
      render: (item) => formatDifference(item.quantities.log2_fold),
    }),
    defineQuantityColumn('intensity', {
      label: 'Intensity',
      className: 'number wide-only',
      isLargeFirst: true,
      render: (item) =>
        markup`<span class="nowrap">${toReading(item.quantities.intensity)?.value ?? '–'}</span>`,
    }),
  ],
  getHeadline: (item) => {
    const normalized = toReading(item.quantities.normalized_to_control);
    if (normalized !== null) return { label: RELATIVE, readings: [normalized] };
    const intensity = toReading(item.quantities.intensity);
    return intensity === null ? null : { label: 'Intensity', readings: [intensity] };
  },
  renderReplicates: (item) => {
    const unit = formatHeadUnit(findFluorescenceRow(item)?.intensity_unit);
    return renderReplicateTable(
      markup`<th scope="col" class="number">Raw${unit}</th><th scope="col" class="number">Minus blank${unit}</th><th scope="col" class="number">${RELATIVE}</th>`,
      (findFluorescenceRow(item)?.replicates ?? []).map((each) =>
        renderReplicateRow(
          each,
          markup`<td class="number">${each.saturated === true ? 'saturated' : formatReading(each.raw)}</td><td class="number nowrap">${formatBounded(each.intensity, each.intensity_relation)}</td><td class="number nowrap">${formatBounded(each.normalized_to_control, each.normalized_to_control_relation)}</td>`,
        ),
      ),
    );
  },
  plotTitle: 'Plates',
  isReadByWell: true,
  getPlotHint: ({ quantities }) =>
    `Every well of the plates, the wells of this sequence ringed, and its intensity${quantities.normalized_to_control === undefined ? '' : ' beside the reference'}.`,
};

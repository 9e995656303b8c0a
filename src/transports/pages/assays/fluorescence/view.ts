import { fluorescenceRow } from '#domain/assays/fluorescence/row.ts';
import { markup } from '../../markup.ts';
import { reading } from '../../portal/pieces.ts';
import { MUTED, readingOf, number, signed, bounded, replicateTable, replicateRow } from '../cells.ts';
import type { AssayView, PageAssay } from '../page-assay.ts';

const view: AssayView = {
  heads: markup`<th scope="col">Of reference (95 % CI)</th><th scope="col" class="number">log₂ fold</th><th scope="col" class="number wide-only">Intensity</th>`,
  cells: () => (item) => {
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
      markup`<th scope="col" class="number">Raw</th><th scope="col" class="number">Minus blank</th><th scope="col" class="number">Of reference</th>`,
      (fluorescenceRow(item)?.replicates ?? []).map((each) =>
        replicateRow(
          each,
          markup`<td class="number">${each.saturated === true ? 'saturated' : number(each.raw, 6)}</td><td class="number nowrap">${bounded(each.intensity, each.intensity_relation, (value) => number(value, 5))}</td><td class="number nowrap">${bounded(each.normalized_to_control, each.normalized_to_control_relation)}</td>`,
        ),
      ),
    ),
  plotTitle: 'Plates',
  plotHint:
    'Every well of the plates, the wells of this sequence ringed, and its intensity beside the reference.',
};

export const fluorescence: PageAssay = {
  label: 'Fluorescence: intensity',
  templates: ['plate-values', 'plate-reader'],
  view,
};

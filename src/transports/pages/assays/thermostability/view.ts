import { thermostabilityRow } from '#domain/assays/thermostability/row.ts';
import { markup } from '../../markup.ts';
import { reading } from '../../portal/pieces.ts';
import { sentenceCase } from '../../words.ts';
import { MUTED, readingOf, number, fixed, signed, replicateTable, replicateRow } from '../cells.ts';
import type { AssayView, PageAssay } from '../page-assay.ts';

const view: AssayView = {
  heads: markup`<th scope="col">T<sub>m</sub> (95 % CI)</th><th scope="col" class="number">ΔT<sub>m</sub> (°C)</th><th scope="col" class="number wide-only">Onset (°C)</th>`,
  cells: () => (item) => {
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

export const thermostability: PageAssay = {
  label: 'Thermostability: Tm',
  templates: ['melting-curves', 'temperature-by-well'],
  view,
};

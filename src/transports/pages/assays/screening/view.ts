import { findBindingRow } from '#domain/assays/binding/row.ts';
import { formatFixed, formatSignalValue } from '#presentation/words/quantities.ts';
import { markup } from '../../markup.ts';
import { bindingView } from '../binding/view.ts';
import type { AssayView, PageAssay } from '../page-assay.ts';

const view: AssayView = {
  ...bindingView,
  heads: markup`<th scope="col" class="number">Response</th><th scope="col" class="number">z score</th>`,
  renderCells: () => (item) => {
    const { response, response_unit: unit, z_score: z } = findBindingRow(item) ?? {};
    return markup`<td class="number">${typeof response === 'number' ? `${formatSignalValue(response)} ${unit ?? ''}` : '–'}</td><td class="number">${typeof z === 'number' ? formatFixed(z, 1) : '–'}</td>`;
  },
  describeMeasured: () => 'Binder',
};

export const screening: PageAssay = {
  label: 'Screening: binds or not',
  templates: ['binding-traces'],
  view,
};

import { findBindingRow } from '../binding/row.ts';
import { formatFixed, formatSignalValue } from '#features/results/words/quantities.ts';
import { markup } from '#ui/markup.ts';
import { bindingView } from '../binding/view.ts';
import type { Item, AssayView, Headline } from '../cells.ts';

function describeResponse(item: Item): Headline | null {
  const { response, response_unit: unit, z_score: z } = findBindingRow(item) ?? {};
  if (typeof response !== 'number') return null;
  const value = [formatSignalValue(response), unit].filter((part) => typeof part === 'string').join(' ');
  const by = typeof z === 'number' ? { by: `z score ${formatFixed(z, 1)}` } : {};
  return { label: 'Response', readings: [{ value, interval: null, ...by }] };
}

export const screeningView: AssayView = {
  ...bindingView,
  heads: markup`<th scope="col" class="number">Response</th><th scope="col" class="number">z score</th>`,
  renderCells: () => (item) => {
    const { response, response_unit: unit, z_score: z } = findBindingRow(item) ?? {};
    return markup`<td class="number">${typeof response === 'number' ? `${formatSignalValue(response)} ${unit ?? ''}` : '–'}</td><td class="number">${typeof z === 'number' ? formatFixed(z, 1) : '–'}</td>`;
  },
  getHeadline: (item) => bindingView.getHeadline(item) ?? describeResponse(item),
  describeMeasured: () => 'Binder',
};

import { findBindingRow } from '../binding/row.ts';
import { formatFixed, formatSignalValue } from '#features/results/words/quantities.ts';
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
  listColumns: () => [
    {
      key: 'response',
      label: 'Response',
      className: 'number',
      sort: 'float(at(summary,response))',
      isLargeFirst: true,
      render: (item) => {
        const { response, response_unit: unit } = findBindingRow(item) ?? {};
        return typeof response === 'number' ? `${formatSignalValue(response)} ${unit ?? ''}` : '–';
      },
      listValues: (item) => {
        const { response = null, response_unit: unit = null } = findBindingRow(item) ?? {};
        return { response, response_unit: unit };
      },
    },
    {
      key: 'z_score',
      label: 'z score',
      className: 'number',
      sort: 'float(at(summary,z_score))',
      isLargeFirst: true,
      render: (item) => {
        const { z_score: z } = findBindingRow(item) ?? {};
        return typeof z === 'number' ? formatFixed(z, 1) : '–';
      },
      listValues: (item) => ({ z_score: findBindingRow(item)?.z_score ?? null }),
    },
  ],
  getHeadline: (item) => bindingView.getHeadline(item) ?? describeResponse(item),
  describeMeasured: () => 'Binder',
  measuredWord: 'Binder',
};

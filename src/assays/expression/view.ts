import { findExpressionRow } from './row.ts';
import { findSignalUnit } from '#features/results/package/packaged.ts';
import { markup } from '#ui/markup.ts';
import { renderReading } from '#ui/pieces.ts';
import { toSentenceCase } from '#ui/words.ts';
import {
  defineQuantityColumn,
  MUTED,
  toReading,
  formatNumber,
  formatHeadUnit,
  formatQuantityNumber,
  formatWithInterval,
  type Item,
  renderReplicateTable,
  renderReplicateRow,
  type AssayView,
} from '../cells.ts';

/** A capture has a rate in the unit of its sensor, absorbance that of the reader. */
function findSignalHead({ analysis, ...item }: Item): string {
  const unit = analysis === undefined ? undefined : findSignalUnit({ analysis });
  const isAbsorbance = findExpressionRow(item)?.quantification === 'a280';
  return formatHeadUnit(unit === undefined || isAbsorbance ? unit : `${unit}/s`);
}

export const expressionView: AssayView = {
  listColumns: () => [
    defineQuantityColumn('yield_ng_per_ul', {
      label: 'Yield (95% CI)',
      isLargeFirst: true,
      render: (item) => {
        const reading = toReading(item.quantities.yield_ng_per_ul);
        return reading === null ? MUTED : renderReading(reading);
      },
    }),
    defineQuantityColumn('molar_um', {
      label: 'µM',
      className: 'number wide-only',
      isLargeFirst: true,
      render: (item) => formatQuantityNumber(item.quantities.molar_um),
    }),
    {
      key: 'class',
      label: 'Class',
      // A class is a range of the yield, so its order is that of the yield.
      sort: 'float(at(at(quantities,yield_ng_per_ul),value))',
      isLargeFirst: true,
      render: (item) => {
        const name = findExpressionRow(item)?.expression_class;
        return name ? toSentenceCase(name) : MUTED;
      },
      listValues: (item) => ({ class: findExpressionRow(item)?.expression_class ?? null }),
    },
  ],
  getHeadline: (item) => {
    const reading = toReading(item.quantities.yield_ng_per_ul);
    return reading === null ? null : { label: 'Yield', readings: [reading] };
  },
  renderReplicates: (item) =>
    renderReplicateTable(
      markup`<th scope="col" class="number">Yield (ng/µL)</th><th scope="col">95 % interval</th><th scope="col" class="number">Signal${findSignalHead(item)}</th><th scope="col" class="number">Minus no-DNA${findSignalHead(item)}</th>`,
      (findExpressionRow(item)?.replicates ?? []).map((each) => {
        const yieldText = formatWithInterval(
          each.yield_ng_per_ul,
          each.yield_ng_per_ul_relation,
          each.yield_ng_per_ul_interval,
        );
        return renderReplicateRow(
          each,
          markup`<td class="number nowrap">${yieldText?.number ?? '–'}</td><td class="nowrap">${yieldText?.interval ?? '–'}</td><td class="number">${formatNumber(each.loading_signal)}</td><td class="number">${formatNumber(each.loading_signal_adjusted)}</td>`,
        );
      }),
    ),
  listWells: (item) =>
    (findExpressionRow(item)?.replicates ?? []).flatMap((each) => {
      const { plate, well, replicate, yield_ng_per_ul: value } = each;
      if (typeof plate !== 'string' || typeof well !== 'string') return [];
      const read = formatWithInterval(value, each.yield_ng_per_ul_relation, each.yield_ng_per_ul_interval);
      const interval = read?.interval === undefined ? '' : ` (${read.interval})`;
      const amount = read === undefined ? 'no yield' : `${read.number} ng/µL${interval}`;
      const signal = formatNumber(each.loading_signal_adjusted);
      const text = `${amount}, signal minus no-DNA ${signal}${findSignalHead(item).replaceAll(/[()]/g, '')}`;
      return [{ plate, well, replicate, value: value ?? null, text }];
    }),
  plotTitle: 'Expression',
  getPlotHint: (item) =>
    findExpressionRow(item)?.quantification === 'a280'
      ? 'The yield from absorbance, its replicates and its interval where it has one.'
      : 'Standard curve, captures with their initial rate, and the yield with its interval where it has one.',
};

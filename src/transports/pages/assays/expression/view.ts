import { expressionRow } from '#domain/assays/expression/row.ts';
import { markup } from '../../markup.ts';
import { reading } from '../../portal/pieces.ts';
import { sentenceCase } from '../../words.ts';
import { MUTED, readingOf, number, bounded, replicateTable, replicateRow } from '../cells.ts';
import type { AssayView, PageAssay } from '../page-assay.ts';

const view: AssayView = {
  heads: markup`<th scope="col">Yield (95 % CI)</th><th scope="col" class="number wide-only">µM</th><th scope="col">Class</th>`,
  cells: () => (item) => {
    const row = expressionRow(item);
    const found = readingOf(item.quantities.yield_ng_per_ul);
    return markup`<td>${found === null ? MUTED : reading(found)}</td><td class="number wide-only">${bounded(row?.molar_um, row?.yield_relation)}</td><td>${row?.expression_class ? sentenceCase(row.expression_class) : MUTED}</td>`;
  },
  headline: (item) => {
    const found = readingOf(item.quantities.yield_ng_per_ul);
    return found === null ? null : { label: 'Yield', reading: found };
  },
  replicates: (item) =>
    replicateTable(
      markup`<th scope="col" class="number">Yield (ng/µL)</th><th scope="col">95 % interval</th><th scope="col" class="number">Signal</th><th scope="col" class="number">Minus no-DNA</th>`,
      (expressionRow(item)?.replicates ?? []).map((each) => {
        const { yield_ng_per_ul_interval: interval } = each;
        const [low, high] = [interval?.ci_low, interval?.ci_high];
        return replicateRow(
          each,
          markup`<td class="number nowrap">${bounded(each.yield_ng_per_ul, each.yield_ng_per_ul_relation)}</td><td class="nowrap">${typeof low === 'number' ? `${number(low)} – ${number(high)}` : '–'}</td><td class="number">${number(each.loading_signal)}</td><td class="number">${number(each.loading_signal_adjusted)}</td>`,
        );
      }),
    ),
  plotTitle: 'Expression',
  plotHint: 'Standard curve, captures with their initial rate, and the yield with its 95 % interval.',
};

export const expression: PageAssay = {
  label: 'Expression: yield',
  templates: ['plate-values', 'plate-reader'],
  view,
};

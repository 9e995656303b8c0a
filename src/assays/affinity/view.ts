import { findBindingRow } from '../binding/row.ts';
import { formatStrength } from '../binding/strength.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderReading } from '#ui/pieces.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatBareRate, toKdReading } from '#features/results/pages/readings.ts';
import { createKdScale, type KdScale } from '../binding/kd-scale.ts';
import { bindingView, findDoubt } from '../binding/view.ts';
import { MUTED, type Item } from '../cells.ts';
import type { AssayView } from '../page-assay.ts';

function renderKd(item: Item): Part {
  const doubt = findDoubt(item);
  if (doubt === undefined) return renderReading(toKdReading(item.quantities.kd));
  return markup`${doubt.candidates.map(({ kd }) => `≈ ${kd}`).join(' or ')}<span class="sub">by ${doubt.candidates.map(({ name }) => name).join(' or ')}</span>`;
}

const createScale = (items: readonly Item[]): KdScale =>
  createKdScale(items.map(({ quantities }) => quantities.kd));

/** The ends of the axis stand at its ends. */
function renderScaleHead(items: readonly Item[]): Markup {
  const [strong, weak] = createScale(items).ends;
  return markup`<th scope="col" class="scale-cell">Scale<span class="sub scale-ends"><span>${strong}</span><span class="visually-hidden"> to </span><span>${weak}</span></span></th>`;
}

export const affinityView: AssayView = {
  ...bindingView,
  heads: (items) =>
    markup`<th scope="col">K<sub>D</sub> (95% CI)</th>${renderScaleHead(items)}<th scope="col">k<sub>on</sub> (1/(M·s))</th><th scope="col">k<sub>off</sub> (1/s)</th>`,
  renderCells: (items) => {
    const scale = createScale(items);
    return (item) => {
      const { kd, kon, koff } = item.quantities;
      return markup`<td>${renderKd(item)}</td><td class="scale-cell">${scale.draw(kd)}</td><td class="nowrap">${formatBareRate(kon)}</td><td class="nowrap">${formatBareRate(koff)}</td>`;
    };
  },
  judgment: {
    head: markup`<th scope="col">Class</th>`,
    cell: (item) => {
      const strength = formatStrength(item, findBindingRow(item)?.binding_strength);
      return markup`<td>${strength === 'unknown' ? MUTED : toSentenceCase(strength)}</td>`;
    },
  },
};

import { findBindingRow } from '../binding/row.ts';
import { formatStrength } from '../binding/strength.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderReading } from '#ui/pieces.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatBareRate, toKdReading } from '#features/results/pages/readings.ts';
import { bindingView, findDoubt } from '../binding/view.ts';
import { MUTED, type Item, type AssayView } from '../cells.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { Quantity } from '#features/results/contract.ts';

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

/** Draws each KD with its interval on one logarithmic axis for the whole table. */

const WIDTH = 80;
const HEIGHT = 18;
const MARGIN = 5;

interface KdScale {
  /** The KD at each end, from left to right. */
  readonly ends: readonly [strong: string, weak: string];
  draw(kd: Quantity | undefined): Markup | null;
}

/**
 * The axis covers all given values and ends at whole decades. Strong binders are at the left, as in the figure of the
 * ranking.
 */
export function createKdScale(kds: readonly (Quantity | undefined)[]): KdScale {
  const logs = kds.flatMap((kd) =>
    kd?.value !== null && kd?.value !== undefined && kd.value > 0 ? [Math.log10(kd.value)] : [],
  );
  const low = Math.floor(Math.min(...logs, -9) - 0.2);
  const high = Math.ceil(Math.max(...logs, -7) + 0.2);
  const x = (value: number): number => {
    const share = (Math.log10(value) - low) / (high - low);
    return Math.round((MARGIN + Math.min(1, Math.max(0, share)) * (WIDTH - 2 * MARGIN)) * 10) / 10;
  };
  const decades = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const ticks: Part = decades.map((value) => markup`<path class="tick" d="M${x(value)} 2V${HEIGHT - 2}"/>`);
  return {
    ends: [formatConcentration(10 ** low), formatConcentration(10 ** high)],
    draw(kd) {
      if (kd?.value === undefined || kd.value === null || !(kd.value > 0)) return null;
      const { ci95_low: least, ci95_high: most } = kd;
      const interval: Part =
        least !== null &&
        most !== null &&
        least > 0 &&
        markup`<path class="interval" d="M${x(least)} ${HEIGHT / 2}H${x(most)}"/>`;
      return markup`<svg class="kd-scale" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true" focusable="false">${ticks}${interval}${mark(kd.relation, x(kd.value))}</svg>`;
    },
  };
}

/** A dot for a value; an arrow for a limit, toward the possible values. */
function mark(relation: Quantity['relation'], at: number): Markup {
  const y = HEIGHT / 2;
  if (relation === '<') return markup`<path class="limit" d="M${at} ${y - 4}l-5 4 5 4"/>`;
  if (relation === '>') return markup`<path class="limit" d="M${at} ${y - 4}l5 4-5 4"/>`;
  return markup`<circle class="value" cx="${at}" cy="${y}" r="4"/>`;
}

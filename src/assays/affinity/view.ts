import { formatCount } from '#core/words.ts';
import { findBindingRow } from '../binding/row.ts';
import { formatStrength } from '../binding/strength.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderReading } from '#ui/pieces.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatBareRate, toKdReading } from '#features/results/pages/readings.ts';
import { bindingView, findDoubt } from '../binding/view.ts';
import { defineQuantityColumn, MUTED, type Item, type AssayView } from '../cells.ts';
import { describeDetectable, formatExcluded } from '#features/results/words/results.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { Quantity } from '#features/results/contract.ts';

function renderKd(item: Item): Part {
  const doubt = findDoubt(item);
  if (doubt === undefined) {
    const reading = toKdReading(item.quantities.kd);
    return reading === null ? renderExcluded(item) : renderReading(reading);
  }
  const models = doubt.candidates.map(({ name }) => name).join(' or ');
  return markup`${doubt.values} <span class="sub" title="by ${models}">by ${formatCount(doubt.candidates.length, 'model')}</span>`;
}

/** What a sequence without a KD excludes stands in its place. */
function renderExcluded(item: Item): Part {
  const row = findBindingRow(item);
  const kd = item.outcome === 'non_binder' ? formatExcluded(row?.kd_detectable_m) : undefined;
  if (kd === undefined) return renderReading(null);
  return markup`<span class="muted nowrap" title="${toSentenceCase(describeDetectable(row ?? {}) ?? '')}.">${kd}</span>`;
}

const renderClass = (item: Item): Part => {
  const strength = formatStrength(item, findBindingRow(item)?.binding_strength);
  return strength === 'unknown' ? MUTED : toSentenceCase(strength);
};

/** The ends of the axis stand at its ends. */
const renderScaleHead = ([strong, weak]: KdScale['ends']): Markup =>
  markup`Scale<span class="sub scale-ends"><span>${strong}</span><span class="visually-hidden"> to </span><span>${weak}</span></span>`;

export const affinityView: AssayView = {
  ...bindingView,
  listColumns: ({ kd_m: range }) => {
    const scale = createKdScale(range === null ? [] : [range.low, range.high]);
    return [
      defineQuantityColumn('kd', {
        label: 'KD (95% CI)',
        head: markup`K<sub>D</sub> (95% CI)`,
        render: renderKd,
      }),
      {
        key: 'scale',
        label: 'Scale',
        head: renderScaleHead(scale.ends),
        className: 'scale-cell',
        render: (item) => scale.draw(item.quantities.kd),
      },
      defineQuantityColumn('kon', {
        label: 'kon (1/(M·s))',
        head: markup`k<sub>on</sub> (1/(M·s))`,
        className: 'nowrap',
        isLargeFirst: true,
        render: (item) => formatBareRate(item.quantities.kon),
      }),
      defineQuantityColumn('koff', {
        label: 'koff (1/s)',
        head: markup`k<sub>off</sub> (1/s)`,
        className: 'nowrap',
        render: (item) => formatBareRate(item.quantities.koff),
      }),
      {
        key: 'class',
        label: 'Class',
        className: 'nowrap',
        isJudgment: true,
        // A class is a range of KD, so its order is that of KD.
        sort: 'float(at(at(quantities,kd),value))',
        render: renderClass,
        listValues: (item) => ({ class: findBindingRow(item)?.binding_strength ?? null }),
      },
    ];
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
export function createKdScale(kdsM: readonly number[]): KdScale {
  const logs = kdsM.map(Math.log10);
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

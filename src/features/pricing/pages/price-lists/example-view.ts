/** What an example order costs by the list in effect and by this one, and what changes between them. */
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import type { compareOrderCost, OrderCost } from '../../draft-contract.ts';
import type { PriceComparison } from '../../list-contract.ts';
import { experimentTypes } from '../../../experiments/types.ts';
import { renderFormField, renderSelect } from '#ui/form.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';
import { describePlace } from './draft-form.ts';
import { formatPricing } from './material-lines.ts';

/** The example as the address has it. */
export interface Example {
  readonly assay: string;
  readonly method: string;
  readonly sequences: string;
  readonly replicates: string;
  /** Catalog number, or empty. */
  readonly target: string;
}

export interface ExampleView {
  readonly path: string;
  readonly example: Example;
  /** Undefined: the example cannot be priced, for the reason in `problem`. */
  readonly costs?: Output<typeof compareOrderCost> | undefined;
  readonly problem?: string | undefined;
  readonly isDraft: boolean;
}

type Priced = Pick<ExampleView, 'path' | 'isDraft'> & {
  readonly costs: NonNullable<ExampleView['costs']>;
};

export function renderExample({ path, example, costs, problem, isDraft }: ExampleView): Markup {
  const renderText = (name: keyof Example, label: string, more: Markup): Markup =>
    renderFormField({
      name,
      id: `example-${name}`,
      label,
      problems: [],
      renderControl: (attributes) => markup`<input ${attributes} value="${example[name]}" ${more}>`,
    });
  const assays = experimentTypes.map((type) => [type, toSentenceCase(type)] as const);
  return markup`<section class="card stack" aria-labelledby="example"><h2 id="example">An example order</h2>
<form method="get" action="${path}" class="example"><div class="field"><label for="example-assay">Assay</label>${renderSelect(markup`id="example-assay" name="assay"`, example.assay, assays)}</div>
<div class="field"><label for="example-method">Method</label>${renderSelect(
    markup`id="example-method" name="method"`,
    example.method,
    [
      ['', 'None, or any'],
      ['bli', 'BLI'],
      ['spr', 'SPR'],
    ],
  )}</div>
${renderText('sequences', 'Sequences', markup`type="number" min="1" max="10000" step="1"`)}${renderText('replicates', 'Replicates', markup`type="number" min="1" max="5" step="1"`)}<div class="whole">${renderText('target', 'Catalog number of the target', markup`type="text" maxlength="200" autocomplete="off"`)}</div>
<div><button>Compute</button></div></form>
${problem !== undefined && markup`<p class="problem" role="alert">${problem}</p>`}
${costs !== undefined && renderCosts({ path, costs, isDraft })}</section>`;
}

function renderCosts({ path, costs: { base, before, after }, isDraft }: Priced): Markup {
  const rows: readonly (readonly [label: string, pick: (cost: OrderCost) => number | null])[] = [
    ['Assay', (cost) => cost.assay_cents],
    ['Antigen', (cost) => cost.materials_cents],
    ['Discount', (cost) => 0 - cost.discount_cents],
    ['Total', (cost) => cost.total_cents],
  ];
  const isInEffect = base !== null && path.endsWith(base.id);
  const columns: readonly (readonly [head: string, cost: OrderCost | null])[] = [
    ...(isInEffect ? [] : [[base === null ? 'In effect' : base.version, before] as const]),
    [isDraft ? 'This draft' : 'This list', after],
  ];
  const body = rows.map(
    ([label, pick]) =>
      markup`<tr${label === 'Total' && markup` class="sum"`}><th scope="row">${label}</th>${columns.map(([, cost]) => markup`<td class="number">${formatCost(cost, pick)}</td>`)}</tr>`,
  );
  return markup`<table class="costs"><thead><tr><td></td>${columns.map(([head]) => markup`<th scope="col" class="number">${head}</th>`)}</tr></thead><tbody>${body}</tbody></table>
${!isInEffect && renderDifference(before, after)}<p class="hint">Before tax.${isDraft && ' What was typed counts after it is saved.'}</p>`;
}

function formatCost(cost: OrderCost | null, pick: (cost: OrderCost) => number | null): Part {
  if (cost === null) return markup`<span class="muted">not sold</span>`;
  const cents = pick(cost);
  return cents === null ? markup`<span class="muted">by hand</span>` : formatUsd(cents);
}

function renderDifference(before: OrderCost | null, after: OrderCost | null): Markup | null {
  const [old, next] = [before?.total_cents ?? null, after?.total_cents ?? null];
  if (old === null || next === null) return null;
  if (old === next) return markup`<p class="note">The order costs the same.</p>`;
  const share = old === 0 ? '' : `, ${((Math.abs(next - old) / old) * 100).toFixed(1)} %`;
  return markup`<p class="note">The order costs <strong>${formatUsd(Math.abs(next - old))}</strong>${share} ${next > old ? 'more' : 'less'}.</p>`;
}

/** Renders what differs from the list in effect, and what clients could not order. */
export function renderChanges({
  base,
  prices,
  volume_discounts,
  materials,
  warnings,
}: PriceComparison): Markup {
  const formatPrice = (amounts: PriceComparison['prices'][number]['before']): string =>
    amounts === null
      ? 'not sold'
      : `${formatUsd(amounts.unit_price_cents)} + ${formatUsd(amounts.replicate_price_cents)} a further replicate`;
  const rows = [
    ...prices.map(({ experiment_type: experimentType, method, before, after }) => ({
      what: describePlace({ experimentType, method }),
      before: formatPrice(before),
      after: formatPrice(after),
    })),
    ...volume_discounts.map(({ experiment_type: type, sequences_min: from, before, after }) => ({
      what: `Discount from ${formatCount(from, 'sequence')}${type === null ? '' : `, ${toSentenceCase(type)}`}`,
      before: before === null ? 'none' : `${before / 100} %`,
      after: after === null ? 'none' : `${after / 100} %`,
    })),
    ...materials.map(({ name, before, after }) => ({
      what: markup`Antigen <bdi>${name}</bdi>`,
      before: formatPricing(before),
      after: formatPricing(after),
    })),
  ];
  const shown = rows.slice(0, CHANGES_SHOWN);
  const warningsNote =
    warnings.length > 0 &&
    markup`<div class="note warn"><strong>${formatCount(warnings.length, 'warning')}</strong><ul>${warnings.map((warning) => markup`<li>${toSentenceCase(warning)}</li>`)}</ul></div>`;
  return markup`<section class="card stack" aria-labelledby="changes"><h2 id="changes">${base === null ? 'What begins to be sold' : markup`What changes from ${base.version}`}</h2>${warningsNote}
${rows.length === 0 ? markup`<p class="muted">Nothing.</p>` : markup`<ul class="changes">${shown.map(({ what, before, after }) => markup`<li><strong>${what}</strong><br><del>${before}</del> → <ins>${after}</ins></li>`)}</ul>`}${rows.length > shown.length && markup`<p class="muted">and ${rows.length - shown.length} more</p>`}</section>`;
}

const CHANGES_SHOWN = 200;

/** The price of an experiment at every stage: estimate, quote, invoice. */
import { formatCount } from '#core/words.ts';
import { isBeforeRun, type ExperimentStatus } from '#core/lifecycle.ts';
import { formatUsd } from '#core/money.ts';
import type { ExperimentCosts } from '../contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';

type Estimate = Extract<ExperimentCosts, { type: 'estimate' | 'incomplete_estimate' }>;
type Assay = Extract<ExperimentCosts, { type: 'incomplete_estimate' }>['assay'];

/** The breakdown of an estimate, or the reason why there is none yet, in other words where the caller knows better. */
export function renderEstimate(costs: Estimate, reason?: string): Markup {
  if (costs.type === 'incomplete_estimate') {
    return markup`<p class="amount small">Price on request</p>
<p class="note warn">${reason ?? costs.materials_unavailable.reason}</p>${renderBreakdown(costs.assay, [])}`;
  }
  const { breakdown: full } = costs;
  const { materials } = full;
  const material: [string, string, number][] =
    materials === null || materials === undefined
      ? []
      : [
          [
            `Target material ${materials.target_name}`,
            describeMaterials(materials),
            materials.subtotal_cents,
          ],
        ];
  const discount: [string, string, number][] =
    full.discount_cents === undefined ? [] : [['Volume discount', 'on the assay', -full.discount_cents]];
  const { totals } = costs;
  const tax: [string, string, number][] =
    totals === undefined || totals.tax_cents === 0
      ? []
      : [[totals.tax.name, `on ${formatUsd(totals.subtotal_cents)}`, totals.tax_cents]];
  const words =
    totals === undefined ? 'before tax' : totals.tax_cents === 0 ? 'no tax' : `with ${totals.tax.name}`;
  return markup`<p class="amount small">${formatUsd(totals?.total_cents ?? full.total_cents)} <span>USD, ${words}</span></p>${renderBreakdown(full.assay, [...material, ...discount, ...tax])}`;
}

/** Renders when results can be expected; nothing where no date is promised. */
export function renderOfferedDate(eta: string | null | undefined): Markup | null {
  return typeof eta === 'string'
    ? markup`<p>Results by <strong>${renderDay(eta)}</strong> if you order today.</p>`
    : null;
}

type Materials = NonNullable<Extract<ExperimentCosts, { type: 'estimate' }>['breakdown']['materials']>;

function describeMaterials(materials: Materials): string {
  if (materials.type === 'per_sequence') {
    return `${formatCount(materials.sequence_count, 'sequence')} × ${formatUsd(materials.price_per_sequence_cents)}`;
  }
  return materials.lots
    .map(
      (lot) =>
        `${formatCount(lot.quantity, 'lot')} for ${lot.num_sequences} × ${formatUsd(lot.lot_price_cents)}`,
    )
    .join(', ');
}

function renderBreakdown(assay: Assay, further: readonly (readonly [string, string, number])[]): Markup {
  const extra =
    assay.n_replicates > 1 ? ` + ${assay.n_replicates - 1} × ${formatUsd(assay.replicate_price_cents)}` : '';
  const rows: (readonly [string, string, number])[] = [
    [
      `${toSentenceCase(assay.experiment_type)} assay`,
      `${formatCount(assay.sequence_count, 'sequence')} × (${formatUsd(assay.unit_price_cents)}${extra})`,
      assay.subtotal_cents,
    ],
    ...further,
  ];
  return markup`<dl class="facts">${rows.map(
    ([label, detail, amount]) =>
      markup`<div><dt><bdi>${label}</bdi><span class="sub">${detail}</span></dt><dd class="number">${formatUsd(amount)}</dd></div>`,
  )}</dl>`;
}

/** `pdf` is the address of the document, for people who may read it. */
export function renderQuoted(
  costs: Extract<ExperimentCosts, { type: 'quoted' }>,
  pdf: string | null,
): Markup {
  return markup`<p class="amount small">${formatUsd(costs.amount_cents)} <span>${costs.currency.toUpperCase()}</span></p>
<p class="hint">Quote valid until ${renderDay(costs.expires_at)}. <a href="${getPath(costs.provider_quote_url)}">Open the quote</a>${pdf !== null && markup` or its <a href="${pdf}">PDF</a>`}</p>`;
}

const INVOICE_WORDS = {
  draft: 'The invoice is being prepared.',
  open: 'The invoice is open.',
  paid: 'Paid.',
  void: 'The invoice was voided.',
  uncollectible: 'The invoice is closed.',
} as const;

export function renderInvoiced(
  costs: Extract<ExperimentCosts, { type: 'invoiced' }>,
  status: ExperimentStatus,
  pdf: string | null,
): Markup {
  const url = costs.provider_invoice_url;
  const link =
    url !== null &&
    url !== undefined &&
    (costs.status === 'open'
      ? markup`<a class="button primary large" href="${getPath(url)}">Pay the invoice</a>`
      : markup`<a href="${getPath(url)}">${costs.status === 'paid' ? 'Receipt' : 'Invoice'}</a>`);
  return markup`<p class="amount small">${formatUsd(costs.amount_cents)} <span>${costs.currency.toUpperCase()}</span></p>
<p>${costs.status === 'open' && isBeforeRun(status) ? 'The invoice is open; the run starts when it is paid.' : INVOICE_WORDS[costs.status]}</p>${link}${pdf !== null && costs.status !== 'draft' && markup`<p><a href="${pdf}">${costs.status === 'paid' ? 'Receipt' : 'Invoice'} as PDF</a></p>`}`;
}

/** Our own addresses are linked by path, so that a page opened under another host name stays on that host. */
function getPath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

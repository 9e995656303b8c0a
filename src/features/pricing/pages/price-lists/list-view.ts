/** The price list as a page: a published one to read, a draft to edit, try and publish. */
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import {
  deletePriceList,
  editPriceList,
  publishPriceList,
  type PriceComparison,
} from '../../list-contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPrice } from '../../../targets/pages/targets.ts';
import { canCall } from '#ui/session.ts';
import { renderDay, renderTime, toSentenceCase } from '#ui/words.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import type { FormsView } from '#ui/form.ts';
import { renderTable, type Column } from '#ui/list.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import { describePlace, type PriceList, renderDraftForm } from './draft-form.ts';
import { renderChanges, renderExample, type ExampleView } from './example-view.ts';
import type { KnownTargets } from './material-lines.ts';

export const PATH = '/lab/price-lists';
export const LIST_PATH = `${PATH}/:price_list_id`;
const MATERIALS_SHOWN = 200;

export const publication = defineAction(publishPriceList, {
  path: `${LIST_PATH}/publish`,
  page: LIST_PATH,
  button: 'Publish the saved draft',
  tone: 'primary',
  done: 'The list was published.',
});
export const deletion = defineAction(deletePriceList, {
  path: `${LIST_PATH}/delete`,
  page: PATH,
  button: 'Delete the draft',
  summary: 'Delete the draft',
  tone: 'danger',
  hint: 'Nobody has bought by it.',
  done: 'The draft was deleted.',
});

export interface ListView {
  readonly list: PriceList;
  readonly targets: KnownTargets;
  readonly comparison: PriceComparison;
  readonly example: ExampleView;
  readonly now: Date;
  readonly notice: Markup | null;
}

export function renderListChip(
  { status, in_effect: isInEffect, effective_from: from }: PriceList,
  now: Date,
): Markup {
  if (status === 'draft') return markup`<span class="chip yours">Draft</span>`;
  if (isInEffect) return markup`<span class="chip good">In effect</span>`;
  return new Date(from) > now
    ? markup`<span class="chip moving">Takes effect later</span>`
    : markup`<span class="chip idle">Replaced</span>`;
}

export function renderListPage(forms: FormsView, view: ListView): PageContent {
  const { list, comparison, now } = view;
  const path = `${PATH}/${list.id}`;
  const isDraft = list.status === 'draft';
  const title = list.version ?? 'Draft of prices';
  const side = markup`<div class="actions">${renderListChip(list, now)}<a class="button" href="${path}/export.csv">Export</a></div>`;
  const mayEdit = isDraft && canCall(forms.session, editPriceList);
  const main = mayEdit
    ? renderDraftForm(forms, list, view.targets.numbers, path)
    : renderContent(list, view.targets);
  const body = markup`${renderLabHead(markup`${title}`, { above: [PATH, 'Prices'], side })}
${view.notice}
<div class="columns prices"><div class="stack">${main}</div>
<div class="stack">${renderExample(view.example)}${isDraft && renderChanges(comparison)}${isDraft ? renderPublication(forms, list, now) : renderAbout(list)}</div></div>`;
  return { title, body };
}

function renderPublication(forms: FormsView, list: PriceList, now: Date): Markup | null {
  const { effective_from: from, prices } = list;
  const params = { price_list_id: list.id };
  const deleting = renderAction(forms, deletion, { params });
  if (deleting === null) return null;
  const moment =
    new Date(from) > now
      ? markup`It takes effect on ${renderDay(from)}.`
      : markup`Its day has come, so it takes effect at once.`;
  return markup`<section class="card stack" aria-labelledby="publish"><h2 id="publish">Publish</h2>
${prices.length === 0 && markup`<p class="muted">A list needs at least one price before it can be published.</p>`}
${prices.length > 0 && renderAction(forms, publication, { params, hint: markup`${moment} A published list never changes. Open quotes keep their prices.` })}
${deleting}</section>`;
}

function renderAbout(list: PriceList): Markup {
  const facts = renderFacts([
    ['Takes effect', renderTime(list.effective_from)],
    ['Published', list.published_at !== null && renderTime(list.published_at)],
    ['Note', list.note !== '' && markup`<bdi>${list.note}</bdi>`],
  ]);
  return markup`<section class="card" aria-labelledby="about"><h2 id="about">List</h2>${facts}</section>`;
}

/** Renders what the list says, to read. */
function renderContent(list: PriceList, { numbers, names }: KnownTargets): Markup {
  const { prices, volume_discounts: discounts, materials } = list;
  return markup`${renderSection('prices', 'Prices', PRICES, prices, 'No prices.')}
${discounts.length > 0 && renderSection('discounts', 'Discounts by volume', DISCOUNTS, discounts, '')}
${
  materials.length > 0 &&
  renderSection(
    'materials',
    'Antigens',
    listMaterialColumns(names, numbers),
    materials.slice(0, MATERIALS_SHOWN),
    '',
  )
}${materials.length > MATERIALS_SHOWN && markup`<p class="hint">and ${formatCount(materials.length - MATERIALS_SHOWN, 'antigen')} more; export the list to read all of them.</p>`}`;
}

function renderSection<Item>(
  id: string,
  title: string,
  columns: readonly Column<Item>[],
  items: readonly Item[],
  nothing: string,
): Markup {
  return markup`<section class="card flush" aria-labelledby="${id}"><div class="card-head"><h2 id="${id}">${title}</h2></div>${items.length === 0 ? markup`<p class="empty">${nothing}</p>` : renderTable(columns, items)}</section>`;
}

const PRICES: readonly Column<PriceList['prices'][number]>[] = [
  {
    head: 'Assay and method',
    render: ({ experiment_type: experimentType, method = null }) =>
      markup`<span>${describePlace({ experimentType, method })}</span>`,
  },
  { head: 'A sequence', isNumber: true, render: (entry) => formatUsd(entry.unit_price_cents) },
  {
    head: 'Each further replicate',
    isNumber: true,
    render: (entry) => formatUsd(entry.replicate_price_cents),
  },
];

const DISCOUNTS: readonly Column<PriceList['volume_discounts'][number]>[] = [
  {
    head: 'Assay',
    render: ({ experiment_type: type = null }) =>
      markup`<span>${type === null ? 'Every other assay' : toSentenceCase(type)}</span>`,
  },
  { head: 'Sequences from', isNumber: true, render: (row) => row.sequences_min.toLocaleString('en-US') },
  { head: 'Discount', isNumber: true, render: (row) => `${row.basis_points / 100} %` },
];

function listMaterialColumns(
  names: ReadonlyMap<string, string>,
  numbers: ReadonlyMap<string, string>,
): readonly Column<PriceList['materials'][number]>[] {
  return [
    {
      head: 'Target',
      render: ({ target_id: id }) =>
        markup`<a href="/lab/targets/${id}"><bdi>${names.get(id) ?? id}</bdi></a><span class="sub"><bdi>${numbers.get(id) ?? 'one organization'}</bdi></span>`,
    },
    { head: 'Price', render: ({ pricing }) => renderPrice(pricing) },
  ];
}

/** `/lab/price-lists`: every version and draft. */
import { importPriceList } from '../../draft-contract.ts';
import { createPriceList, listPriceLists } from '../../list-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { findSentence, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { loadFirstSteps } from '../../../installation/pages/setup.ts';
import { createFormsView, renderLabForm, renderNotice } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import type { Remark } from '#ui/screen.ts';
import type { PriceList } from './draft-form.ts';
import { PATH, renderListChip } from './list-view.ts';

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Version or note' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['draft', 'Draft'],
      ['published', 'Published'],
    ],
  },
];
const DONE: Readonly<Record<string, string>> = { deleted: 'The draft was deleted.' };

export async function loadLists(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session, parts } = context;
  const values = readFilters(request, FILTERS);
  const { state } = values;
  const [page, steps] = await Promise.all([
    api.call(listPriceLists, {
      query: buildListQuery(request, values, [state !== '' && `eq(status,${state})`]),
    }),
    loadFirstSteps(context),
  ]);
  const forms = createFormsView(context, remark);
  const side = markup`<div class="actions">${canCall(session, importPriceList) && markup`<a class="button" href="${PATH}/import">Import</a>`}${canCall(session, createPriceList) && renderLabForm(forms, { action: `${PATH}/new`, button: 'New draft', tone: 'primary' })}</div>`;
  const body = renderListPage({
    title: 'Prices',
    side,
    notice: renderNotice(findSentence(DONE, queryParameter(request, 'done'))),
    lead: steps,
    path: PATH,
    label: 'Price lists',
    noun: 'list',
    filters: FILTERS,
    values,
    page,
    columns: buildColumns(parts.work.clock.now()),
    empty: EMPTY,
  });
  return { title: 'Prices', body };
}

const EMPTY = markup`<h2>No prices</h2><p class="muted">Nothing is sold without a published list. Begin a draft, or import a CSV file.</p>`;

function buildColumns(now: Date): readonly Column<PriceList>[] {
  return [
    {
      head: 'Version',
      render: (item) =>
        markup`<a href="${PATH}/${item.id}">${item.version ?? 'Draft'}</a>${item.note !== '' && markup`<span class="sub"><bdi>${item.note}</bdi></span>`}`,
    },
    { head: 'State', render: (item) => renderListChip(item, now) },
    {
      head: 'Takes effect',
      render: (item) => markup`<span class="nowrap">${renderDay(item.effective_from)}</span>`,
    },
    { head: 'Prices', isNumber: true, render: (item) => String(item.prices.length) },
    { head: 'Discounts', isNumber: true, render: (item) => String(item.volume_discounts.length) },
    { head: 'Antigens', isNumber: true, render: (item) => item.materials.length.toLocaleString('en-US') },
    { head: 'Changed', render: (item) => markup`<span class="nowrap">${renderDay(item.updated_at)}</span>` },
  ];
}

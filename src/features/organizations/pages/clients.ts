/** `/lab/clients`: the organizations of clients, and who is billed for each. */
import { getCountryName, listCountries } from '#core/countries.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { getOrganizationBilling, updateOrganizationBilling } from '../../billing/contract.ts';
import { listLabOrganizations } from '../contract.ts';
import { defineAction, renderAction, renderDone } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, redirectAfterForm } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderDay } from '#ui/words.ts';
import { createFormsView } from '#ui/form.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import type { Column } from '#ui/list.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';

const PATH = '/lab/clients';
/** Bookmarks may still have it. */
const FORMER_PATH = '/lab/customers';

type Client = Output<typeof listLabOrganizations>['items'][number];
type Profile = Output<typeof getOrganizationBilling>;

const billing = defineAction(updateOrganizationBilling, {
  path: `${PATH}/:organization_id/billing`,
  page: `${PATH}/:organization_id`,
  button: 'Save',
  tone: 'primary',
  hint: 'Quotes and invoices that are open keep their buyer and tax.',
  fields: {
    legal_name: { label: 'Legal name' },
    address: {
      label: 'Address',
      kind: 'area',
      hint: 'Up to ten lines, as they are printed; without the country.',
    },
    country: { label: 'Country', options: [['', 'Not given'], ...listCountries()] },
    tax_id: { label: 'Tax id', hint: 'In the European Union the VAT number with its letters.' },
  },
  done: 'The billing details are saved. New quotes will use them.',
});

const COLUMNS: readonly Column<Client>[] = [
  {
    head: 'Organization',
    render: ({ id, name, slug }) =>
      markup`<a href="${PATH}/${id}"><bdi>${name}</bdi></a><span class="sub mono">${slug}</span>`,
  },
  {
    head: 'Billed to',
    render: ({ legal_name: legal, country }) =>
      markup`${legal === null ? markup`<span class="muted">–</span>` : markup`<bdi>${legal}</bdi>`}${country !== null && markup`<span class="sub">${getCountryName(country)}</span>`}`,
  },
  { head: 'Members', isNumber: true, render: ({ member_count: count }) => count.toLocaleString('en-US') },
  { head: 'Orders', isNumber: true, render: ({ experiment_count: count }) => count.toLocaleString('en-US') },
  { head: 'Owes', isNumber: true, render: ({ owed_cents: cents }) => formatUsd(cents) },
  { head: 'Since', render: ({ created_at: since }) => renderDay(since) },
];

export const clientsScreen = defineListScreen(listLabOrganizations, {
  path: PATH,
  label: 'Clients',
  group: 'Money',
  letter: 'c',
  noun: 'client',
  filters: [{ name: 'search', label: 'Name, legal name or code' }],
  sort: 'asc(name)',
  buildColumns: () => COLUMNS,
  empty: markup`<h2>No clients yet</h2><p class="muted">An organization stands here as soon as somebody signs up for it. The guide <a href="/docs/guide/people">People</a> says how.</p>`,
  add(routes) {
    routes.addPage(FORMER_PATH, async ({ reply }) => redirectAfterForm(reply, PATH));
    routes.addPage(`${FORMER_PATH}/:id`, async ({ reply, request }) =>
      redirectAfterForm(reply, `${PATH}/${encodeURIComponent(getPathParameter(request, 'id'))}`),
    );
    routes.addPage(`${PATH}/:organization_id`, (context) => loadClientPage(context), getOrganizationBilling);
    routes.addActions([billing], loadClientPage);
  },
});

async function loadClientPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const params = { organization_id: getPathParameter(context.request, 'organization_id') };
  const profile = await context.api.call(getOrganizationBilling, { params });
  const page = await context.api.call(listLabOrganizations, {
    query: { filter: `eq(id,${profile.organization_id})` },
  });
  const [client] = page.items;
  const form = renderAction(createFormsView(context, remark), billing, {
    params,
    values: profile,
    fields: { legal_name: { hint: `If empty: ${profile.organization_name}` } },
  });
  const body = markup`${renderLabHead(markup`<bdi>${profile.organization_name}</bdi>`, {
    above: [PATH, 'Clients'],
    over: client !== undefined && markup`<span class="mono">${client.slug}</span>`,
  })}
${renderDone(context, [billing])}
<div class="columns equal"><section class="card" aria-labelledby="billed"><h2 id="billed">Billed to</h2>${form ?? renderFacts(listProfileFacts(profile))}</section>${client !== undefined && renderOrders(client)}</div>`;
  return { title: profile.organization_name, body };
}

function listProfileFacts(profile: Profile): readonly (readonly [string, Part])[] {
  const { country, address, tax_id: taxId, legal_name: legalName, organization_name: name } = profile;
  return [
    ['Legal name', markup`<bdi>${legalName ?? name}</bdi>`],
    ['Address', address !== null && markup`<span class="written"><bdi>${address}</bdi></span>`],
    ['Country', country !== null && getCountryName(country)],
    ['Tax id', taxId !== null && markup`<bdi>${taxId}</bdi>`],
  ];
}

function renderOrders(client: Client): Markup {
  return markup`<section class="card" aria-labelledby="orders"><h2 id="orders">Orders and money</h2>${renderFacts(
    [
      [
        'Orders',
        markup`<a href="/lab/experiments?state=every&amp;client=${client.id}">${client.experiment_count.toLocaleString('en-US')}</a>`,
      ],
      ['Invoices', markup`<a href="/lab/invoices?client=${client.id}">Open the list</a>`],
      ['Owes', formatUsd(client.owed_cents)],
      ['Members', client.member_count],
      ['Since', renderDay(client.created_at)],
    ],
  )}</section>`;
}

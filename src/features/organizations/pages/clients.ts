/** `/lab/clients`: the organizations of clients, and who is billed for each. */
import { getCountryName, listCountries } from '#core/countries.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { getOrganizationBilling, updateOrganizationBilling } from '../../billing/contract.ts';
import { listLabOrganizations } from '../contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getField, getPathParameter, queryParameter, redirectAfterForm } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { createFormsView, renderLabForm, renderNotice, type LabField } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';

const PATH = '/lab/clients';
/** Bookmarks may still have it. */
const FORMER_PATH = '/lab/customers';
const FILTERS: readonly ListFilter[] = [{ name: 'search', label: 'Name, legal name or code' }];
const DONE: Readonly<Record<string, string>> = {
  saved: 'The billing details are saved. New quotes will use them.',
};

export const clientsScreen: LabScreen = {
  path: PATH,
  label: 'Clients',
  group: 'Money',
  letter: 'c',
  reads: listLabOrganizations,
  add: (routes) => {
    routes.addPage(FORMER_PATH, async ({ reply }) => redirectAfterForm(reply, PATH));
    routes.addPage(`${FORMER_PATH}/:id`, async ({ reply, request }) =>
      redirectAfterForm(reply, `${PATH}/${encodeURIComponent(getPathParameter(request, 'id'))}`),
    );
    routes.addPage(PATH, loadClientsPage);
    routes.addPage(`${PATH}/:id`, (context) => loadClientPage(context), getOrganizationBilling);
    routes.addForm(`${PATH}/:id/billing`, updateOrganizationBilling, saveBilling, loadClientPage);
  },
};

type Client = Output<typeof listLabOrganizations>['items'][number];
type Profile = Output<typeof getOrganizationBilling>;

async function loadClientsPage({ api, request }: PortalContext): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const page = await api.call(listLabOrganizations, {
    query: buildListQuery(request, values),
  });
  const body = renderListPage({
    title: 'Clients',
    path: PATH,
    label: 'Clients',
    noun: 'client',
    filters: FILTERS,
    values,
    page,
    columns: COLUMNS,
    empty: EMPTY,
  });
  return { title: 'Clients', body };
}

const EMPTY = markup`<h2>No clients yet</h2><p class="muted">An organization stands here as soon as somebody signs up for it. The guide <a href="/docs/guide/people">People</a> says how.</p>`;

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

async function loadClientPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session } = context;
  const id = getPathParameter(request, 'id');
  const profile = await api.call(getOrganizationBilling, { params: { organization_id: id } });
  const page = await api.call(listLabOrganizations, {
    query: { filter: `eq(id,${profile.organization_id})` },
  });
  const [client] = page.items;
  const mayChange = canCall(session, updateOrganizationBilling);
  const body = markup`${renderLabHead(markup`<bdi>${profile.organization_name}</bdi>`, {
    above: [PATH, 'Clients'],
    over: client !== undefined && markup`<span class="mono">${client.slug}</span>`,
  })}
${renderNotice(findSentence(DONE, queryParameter(request, 'done')))}
<div class="columns equal"><section class="card" aria-labelledby="billed"><h2 id="billed">Billed to</h2>${
    mayChange
      ? renderLabForm(createFormsView(context, remark), {
          action: `${PATH}/${profile.organization_id}/billing`,
          button: 'Save',
          tone: 'primary',
          fields: buildFields(profile),
          hint: 'Quotes and invoices that are open keep their buyer and tax.',
        })
      : renderFacts(listProfileFacts(profile))
  }</section>${client !== undefined && renderOrders(client)}</div>`;
  return { title: profile.organization_name, body };
}

const BILLING_FIELDS = ['legal_name', 'address', 'country', 'tax_id'] as const;

function buildFields(profile: Profile): LabField[] {
  return [
    {
      name: 'legal_name',
      label: 'Legal name',
      hint: `If empty: ${profile.organization_name}`,
      value: profile.legal_name ?? '',
      lengthMax: 200,
    },
    {
      name: 'address',
      label: 'Address',
      kind: 'area',
      hint: 'Up to ten lines, as they are printed; without the country.',
      value: profile.address ?? '',
      lengthMax: 600,
    },
    {
      name: 'country',
      label: 'Country',
      value: profile.country ?? '',
      options: [['', 'Not given'], ...listCountries()],
    },
    {
      name: 'tax_id',
      label: 'Tax id',
      hint: 'In the European Union the VAT number with its letters.',
      value: profile.tax_id ?? '',
      lengthMax: 50,
    },
  ];
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

async function saveBilling({ api, form, request }: FormContext): Promise<string> {
  const id = getPathParameter(request, 'id');
  const body = Object.fromEntries(
    BILLING_FIELDS.map((name) => {
      // Browsers send line ends as two characters.
      const text = getField(form, name).replaceAll(/\r\n?/g, '\n');
      return [name, text === '' ? null : text];
    }),
  );
  await api.reply(updateOrganizationBilling, { params: { organization_id: id }, body });
  return `${PATH}/${encodeURIComponent(id)}?done=saved`;
}

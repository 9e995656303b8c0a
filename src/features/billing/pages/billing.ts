/** `/organization/billing`: the billing details on quotes and invoices. */
import type { Output } from '#core/operation.ts';
import { getCountryName, listCountries } from '#core/countries.ts';
import { getBillingProfile, updateBillingProfile } from '../contract.ts';
import { defineAction, renderAction, renderDone } from '#ui/action.ts';
import { addPortalPage, type PortalContext } from '#ui/context.ts';
import { createFormsView } from '#ui/form.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { addPortalActions, type Remark } from '#ui/screen.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';

const PATH = '/organization/billing';

type Profile = Output<typeof getBillingProfile>;

const save = defineAction(updateBillingProfile, {
  path: PATH,
  page: PATH,
  button: 'Save',
  tone: 'primary',
  fields: {
    legal_name: { label: 'Legal name', autocomplete: 'organization' },
    address: {
      label: 'Address',
      kind: 'area',
      autocomplete: 'street-address',
      hint: 'Up to ten lines, as they are printed; without the country.',
    },
    country: { label: 'Country', options: [['', 'Not given'], ...listCountries()] },
    tax_id: {
      label: 'Tax id',
      hint: 'In the European Union the VAT number with its letters, such as DE123456789.',
    },
    page_size: {
      label: 'Paper size of documents',
      options: [
        ['', 'Usual size of the country'],
        ['a4', 'A4'],
        ['letter', 'Letter'],
      ],
    },
  },
  done: 'The billing details are saved. New quotes will use them.',
});

export function addBillingPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadBillingPage(context));
  addPortalActions(routes, parts, [save], loadBillingPage);
}

async function loadBillingPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const profile = await context.api.call(getBillingProfile);
  const form = renderAction(createFormsView(context, remark), save, {
    values: profile,
    fields: { legal_name: { hint: `If empty: ${profile.organization_name}` } },
  });
  const body = markup`${renderSettingsHead(context.session, 'billing')}
${renderDone(context, [save])}
<div class="sheets"><section class="card" aria-labelledby="billed"><h2 id="billed">Billed to</h2>${form ?? renderFacts(profile)}</section>
${EFFECT}</div>`;
  return { title: 'Billing details', body, section: 'organization' };
}

const EFFECT = markup`<section class="card stack" aria-labelledby="effect"><h2 id="effect">What these details change</h2>
<p>They are printed on quotes and invoices. Country and tax id decide the tax.</p>
<p>A quote keeps the buyer and the tax that it was opened with, and its invoice takes both from it. When they are wrong on an open quote, correct them here, reject the quote and submit the experiment again. When they are wrong on an invoice, correct them here and ask the lab to issue it again.</p>
<p><a href="/invoices">Invoices of the organization</a></p></section>`;

/** Renders the details for people who may only read them. */
function renderFacts(profile: Profile): Markup {
  const facts = [
    ['Legal name', profile.legal_name ?? profile.organization_name],
    ['Address', profile.address],
    ['Country', profile.country === null ? null : getCountryName(profile.country)],
    ['Tax id', profile.tax_id],
  ] as const;
  return markup`<dl class="facts">${facts.map(([label, value]) => markup`<div><dt>${label}</dt><dd><bdi>${value ?? '–'}</bdi></dd></div>`)}</dl>`;
}

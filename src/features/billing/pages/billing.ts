/** `/organization/billing`: the billing details on quotes and invoices. */
import { Failure, type Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { getBillingProfile, updateBillingProfile } from '../contract.ts';
import { listCountries, getCountryName } from '#core/countries.ts';
import { formatCount } from '#core/words.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { renderFormField, renderSelect } from '#ui/form.ts';
import { getField, queryParameter, type Form } from '#ui/http.ts';
import { renderFormToken, type PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, type Session } from '#ui/session.ts';
import { toSentenceCase } from '#ui/words.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';
import type { Routes } from '#ui/routes.ts';

const PATH = '/organization/billing';
const FIELDS = ['legal_name', 'address', 'country', 'tax_id', 'page_size'] as const;

type Profile = Output<typeof getBillingProfile>;
/** The values of the form; an empty field is null. */
type Typed = Readonly<Record<(typeof FIELDS)[number], string>>;

export function addBillingPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, async ({ api, request, session }) => {
    const profile = await api.call(getBillingProfile);
    const isSaved = queryParameter(request, 'done') === 'saved';
    return renderBillingPage(session, profile, { typed: toTyped(profile), isSaved });
  });
  addPortalForm(routes, parts, PATH, save);
}

async function save(context: FormContext): Promise<string | PageContent> {
  const typed = readTyped(context.form);
  const body = Object.fromEntries(FIELDS.map((name) => [name, typed[name] === '' ? null : typed[name]]));
  try {
    await context.api.call(updateBillingProfile, { body });
    return `${PATH}?done=saved`;
  } catch (error) {
    if (!(error instanceof Failure) || error.problems.length === 0) throw error;
    return correct(context, typed, error.problems);
  }
}

async function correct(
  { api, session }: PortalContext,
  typed: Typed,
  problems: readonly Problem[],
): Promise<PageContent> {
  return {
    ...renderBillingPage(session, await api.call(getBillingProfile), { typed, problems }),
    status: 422,
  };
}

function toTyped(profile: Profile): Typed {
  return {
    legal_name: profile.legal_name ?? '',
    address: profile.address ?? '',
    country: profile.country ?? '',
    tax_id: profile.tax_id ?? '',
    page_size: profile.page_size ?? '',
  };
}

function readTyped(form: Form): Typed {
  return {
    legal_name: getField(form, 'legal_name'),
    // Browsers send line ends as two characters.
    address: getField(form, 'address').replaceAll(/\r\n?/g, '\n'),
    country: getField(form, 'country'),
    tax_id: getField(form, 'tax_id'),
    page_size: getField(form, 'page_size'),
  };
}

interface BillingView {
  readonly typed: Typed;
  readonly problems?: readonly Problem[];
  readonly isSaved?: boolean;
}

function renderBillingPage(session: Session, profile: Profile, view: BillingView): PageContent {
  const { problems = [], isSaved = false } = view;
  const body = markup`${renderSettingsHead(session, 'billing')}
${isSaved && markup`<p class="notice" role="status">The billing details are saved. New quotes will use them.</p>`}
${problems.length > 0 && markup`<div class="note attention form-note" role="alert">${formatCount(problems.length, 'problem')} to solve; nothing was saved.</div>`}
<div class="sheets"><section class="card" aria-labelledby="billed"><h2 id="billed">Billed to</h2>${canCall(session, updateBillingProfile) ? renderForm(session, profile, view) : renderFacts(profile)}</section>
${EFFECT}</div>`;
  return { title: 'Billing details', body, section: 'organization' };
}

const EFFECT = markup`<section class="card stack" aria-labelledby="effect"><h2 id="effect">What these details change</h2>
<p>They are printed on quotes and invoices. Country and tax id decide the tax.</p>
<p>A quote keeps the buyer and the tax that it was opened with, and its invoice takes both from it. When they are wrong on an open quote, correct them here, reject the quote and submit the experiment again. When they are wrong on an invoice, correct them here and ask the lab to issue it again.</p>
<p><a href="/invoices">Invoices of the organization</a></p></section>`;

const SIZES = [
  ['', 'Usual size of the country'],
  ['a4', 'A4'],
  ['letter', 'Letter'],
] as const;

function renderForm(session: Session, profile: Profile, { typed, problems = [] }: BillingView): Markup {
  const listProblems = (name: (typeof FIELDS)[number]) =>
    problems.filter(({ path }) => path === name).map(({ message }) => `${toSentenceCase(message)}.`);
  const renderField = (name: 'legal_name' | 'tax_id', label: string, maxLength: number, hint: string) =>
    renderFormField({
      name,
      label,
      hint,
      problems: listProblems(name),
      renderControl: (attributes) =>
        markup`<input type="text" ${attributes} value="${typed[name]}" maxlength="${maxLength}" autocomplete="${name === 'legal_name' ? 'organization' : 'off'}">`,
    });
  return markup`<form method="post" action="${PATH}" class="fields">${renderFormToken(session.visitor)}
${renderField('legal_name', 'Legal name', 200, `If empty: ${profile.organization_name}`)}
${renderFormField({
  name: 'address',
  label: 'Address',
  hint: 'Up to ten lines, as they are printed; without the country.',
  problems: listProblems('address'),
  renderControl: (attributes) =>
    markup`<textarea class="short" ${attributes} maxlength="600" autocomplete="street-address">${typed.address}</textarea>`,
})}
${renderFormField({
  name: 'country',
  label: 'Country',
  problems: listProblems('country'),
  renderControl: (attributes) =>
    renderSelect(attributes, typed.country, [['', 'Not given'], ...listCountries()]),
})}
${renderField('tax_id', 'Tax id', 50, 'In the European Union the VAT number with its letters, such as DE123456789.')}
${renderFormField({
  name: 'page_size',
  label: 'Paper size of documents',
  problems: listProblems('page_size'),
  renderControl: (attributes) => renderSelect(attributes, typed.page_size, SIZES),
})}
<div><button class="primary">Save</button></div></form>`;
}

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

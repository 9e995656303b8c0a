/** The page of one target: its form for those who keep the catalog, its facts for all other staff. */
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { renderAbout, renderConstruct, renderPrice } from '../targets.ts';
import { renderField, renderLabForm, renderNotice, type FormsView } from '#ui/form.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';
import { listFieldGroups, locateProblems, type FieldGroup, type LabTarget } from './entry-form.ts';

const PATH = '/lab/targets';

export function renderNewEntryPage(view: FormsView): PageContent {
  const body = markup`${renderLabHead('New target', { above: [PATH, 'Targets'] })}
${renderEntryForm(view, null, `${PATH}/new`, 'Add the target')}`;
  return { title: 'New target', body };
}

interface EntryParts {
  readonly done: string | undefined;
  readonly mayEdit: boolean;
}

export function renderEntryPage(
  view: FormsView,
  target: LabTarget,
  { done, mayEdit }: EntryParts,
): PageContent {
  const { name, vendor_name: vendor, catalog_number: number, retired } = target;
  const chip =
    retired === true
      ? markup`<span class="chip idle">Retired</span>`
      : markup`<span class="chip good">Listed</span>`;
  const head = renderLabHead(markup`<bdi>${name}</bdi>`, {
    above: [PATH, 'Targets'],
    over: markup`<bdi>${vendor}</bdi>, <bdi>${number}</bdi>`,
    side: markup`<div class="actions">${chip}<a href="/targets/${target.id}">As clients see it</a></div>`,
  });
  const body = markup`${renderNotice(done)}${head}${mayEdit ? markup`${renderEntryForm(view, target, `${PATH}/${target.id}`, 'Save the target')}${renderRetiring(view, target)}` : renderFacts(target)}`;
  return { title: name, body };
}

function renderEntryForm(
  { session, createKey, remark }: FormsView,
  target: LabTarget | null,
  action: string,
  button: string,
): Markup {
  const formRemark = remark?.action === action ? locateRemark(remark) : undefined;
  const isBeside = (formRemark?.problems.length ?? 0) > 0;
  return markup`<form method="post" action="${action}" class="stack">${renderFormFields(session, createKey())}
${formRemark !== undefined && markup`<p class="note attention" role="alert">${isBeside ? 'Nothing was changed; see below.' : formRemark.message}</p>`}
${listFieldGroups(target).map((group) => renderGroup(group, action, formRemark))}
<div class="actions save"><button class="primary">${button}</button></div></form>`;
}

function locateRemark(remark: Remark): Remark {
  return { ...remark, problems: locateProblems(remark.problems, remark.typed) };
}

function renderGroup({ title, fields }: FieldGroup, action: string, remark: Remark | undefined): Markup {
  return markup`<fieldset class="card group"><legend>${title}</legend><div class="group-fields">${fields.map((field) => markup`<div${field.kind === 'area' && markup` class="whole"`}>${renderField(action, field, remark)}</div>`)}</div></fieldset>`;
}

function renderRetiring(view: FormsView, { id, retired }: LabTarget): Markup {
  const isRetired = retired === true;
  return markup`<section class="card apart" aria-labelledby="retire"><h2 id="retire">${isRetired ? 'List it again' : 'Retire it'}</h2>
${renderLabForm(view, {
  action: `${PATH}/${id}/${isRetired ? 'list' : 'retire'}`,
  button: isRetired ? 'List the target' : 'Retire the target',
  ...(isRetired ? {} : { tone: 'danger' as const }),
  hint: isRetired
    ? 'Clients can order it from then on.'
    : 'Nobody can order it from then on; orders that have it keep it.',
})}</section>`;
}

function renderFacts(target: LabTarget): Markup {
  return markup`<div class="columns"><div class="stack">${renderAbout(target)}${renderConstruct(target)}</div>
<div class="stack"><section class="card" aria-labelledby="price"><h2 id="price">Material price</h2><p>${renderPrice(target.pricing)}</p></section>
<section class="card" aria-labelledby="stock"><h2 id="stock">Stock</h2><dl class="facts"><div><dt>Lot in use</dt><dd><bdi>${target.lot ?? '–'}</bdi></dd></div><div><dt>Stock</dt><dd>${target.stock_ug === null ? 'not known' : `${target.stock_ug.toLocaleString('en-US')} µg`}</dd></div></dl></section></div></div>`;
}

/**
 * `/lab/targets`: the catalog as the lab keeps it.
 * This folder: pages of targets and of their import. Not here: the catalog as clients see it
 * (`features/targets/pages/targets.ts`).
 */
import type { FastifyReply } from 'fastify';
import {
  createTarget,
  editTarget,
  getCatalogFile,
  getLabTarget,
  importTargets,
  listLabTargets,
  validateTargetImport,
} from '../../catalog-contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { CSV_TEXT, findSentence, getPathParameter, queryParameter, sendAttachment } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPrice, renderAbout, renderConstruct } from '../targets.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import {
  createFormsView,
  readKey,
  renderNotice,
  renderField,
  renderLabForm,
  type FormsView,
  renderFormFields,
  renderWideRefusal,
} from '#ui/form.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import type { Column } from '#ui/list.ts';
import type { Remark } from '#ui/screen.ts';
import { buildEntry, type LabTarget, listEntryGroups, locateProblems } from './entry-form.ts';
import type { FieldGroup } from '#ui/record-form.ts';
import { IMPORT_FORM_BYTES_MAX, loadImportPage, showImport } from './import.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';

const PATH = '/lab/targets';

export const catalogScreen = defineListScreen(listLabTargets, {
  path: PATH,
  label: 'Targets',
  group: 'Catalog',
  letter: 'm',
  noun: 'target',
  filters: [
    { name: 'search', label: 'Name, gene or number' },
    {
      name: 'state',
      label: 'State',
      options: [
        ['listed', 'Listed'],
        ['retired', 'Retired'],
      ],
      writeCondition: (state) => `eq(retired,${state === 'retired'})`,
    },
    {
      name: 'price',
      label: 'Price',
      options: [
        ['fixed', 'Fixed'],
        ['request', 'On request'],
      ],
      writeCondition: (price) => `eq(selfservice,${price === 'fixed'})`,
    },
    {
      name: 'owner',
      label: 'For',
      options: [
        ['everyone', 'Everyone'],
        ['one', 'One organization'],
      ],
      writeCondition: (owner) => `${owner === 'one' ? 'is_not_null' : 'is_null'}(organization_id)`,
    },
  ],
  renderSide: ({ context: { session } }) =>
    markup`<div class="actions"><a class="button" href="${PATH}/export.csv">Export</a>${canCall(session, importTargets) && markup`<a class="button" href="${PATH}/import">Import</a>`}${canCall(session, createTarget) && markup`<a class="button primary" href="${PATH}/new">New target</a>`}</div>`,
  renderLead: ({ context }) => renderNotice(describeImport(context)),
  buildColumns: () => COLUMNS,
  empty: markup`<h2>No targets</h2><p class="muted">Clients can order a target when it is in the catalog. A manager imports a CSV file, or adds them one by one.</p>`,
  add(routes) {
    routes.addPage(`${PATH}/export.csv`, sendCatalog, getCatalogFile);
    routes.addPage(`${PATH}/new`, (context) => loadNewEntry(context), createTarget);
    routes.addForm(`${PATH}/new`, createTarget, create, loadNewEntry);
    routes.addPage(`${PATH}/import`, loadImportPage, importTargets);
    const large = { bytesMax: IMPORT_FORM_BYTES_MAX };
    routes.addForm(`${PATH}/import`, validateTargetImport, showImport, loadImportPage, large);
    routes.addPage(`${PATH}/:id`, (context) => loadEntry(context), getLabTarget);
    routes.addForm(`${PATH}/:id`, editTarget, save, loadEntry);
    routes.addForm(`${PATH}/:id/retire`, editTarget, (context) => retire(context, true), loadEntry);
    routes.addForm(`${PATH}/:id/list`, editTarget, (context) => retire(context, false), loadEntry);
  },
});

const DONE: Readonly<Record<string, string>> = {
  created: 'The target was added.',
  saved: 'The target was saved.',
  retired: 'The target was retired: nobody can order it any more.',
  listed: 'The target is listed again.',
};

function describeImport({ request }: PortalContext): string | undefined {
  const [, added, changed] = /^imported-(\d+)-(\d+)$/.exec(queryParameter(request, 'done')) ?? [];
  if (added === undefined || changed === undefined) return undefined;
  return `The file was imported: ${Number(added)} added, ${Number(changed)} changed.`;
}

const COLUMNS: readonly Column<LabTarget>[] = [
  {
    head: 'Target',
    render: (item) =>
      markup`<a href="${PATH}/${item.id}"><bdi>${item.name}</bdi></a><span class="sub"><bdi>${item.vendor_name}</bdi>, <bdi>${item.catalog_number}</bdi></span>`,
  },
  { head: 'UniProt', render: (item) => markup`<span class="mono">${item.uniprot_id ?? '–'}</span>` },
  { head: 'Organism', render: (item) => markup`<i>${item.organism ?? '–'}</i>` },
  { head: 'Material price', render: (item) => renderPrice(item.pricing) },
  { head: 'Lot and stock', render: renderStock },
  {
    head: 'State',
    render: (item) =>
      markup`${item.retired === true ? markup`<span class="chip idle">Retired</span>` : markup`<span class="chip good">Listed</span>`}${item.organization_id !== null && markup`<span class="sub">one organization</span>`}`,
  },
  { head: 'Changed', render: (item) => markup`<span class="nowrap">${renderDay(item.updated_at)}</span>` },
];

function renderStock({ lot, stock_ug: stockUg }: LabTarget): Markup {
  if (lot === null && stockUg === null) return markup`<span class="muted">–</span>`;
  return markup`<bdi>${lot ?? 'no lot'}</bdi>${stockUg !== null && markup`<span class="sub">${stockUg.toLocaleString('en-US')} µg</span>`}`;
}

async function sendCatalog({ api, reply }: PortalContext): Promise<FastifyReply> {
  const { content } = await api.call(getCatalogFile);
  return sendAttachment(reply, { fileName: 'targets.csv', contentType: CSV_TEXT, content });
}

async function loadNewEntry(context: PortalContext, remark?: Remark): Promise<PageContent> {
  return renderNewEntryPage(createFormsView(context, remark));
}

async function loadEntry(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session } = context;
  const params = { target_id: getPathParameter(request, 'id') };
  const target = await api.call(getLabTarget, { params });
  const done = findSentence(DONE, queryParameter(request, 'done'));
  return renderEntryPage(createFormsView(context, remark), target, {
    done,
    mayEdit: canCall(session, editTarget),
  });
}

async function create({ api, form }: FormContext): Promise<string> {
  const body = Object.fromEntries(Object.entries(buildEntry(form)).filter(([, value]) => value !== null));
  const { id } = await api.call(createTarget, { body, idempotencyKey: readKey(form) });
  return `${PATH}/${id}?done=created`;
}

async function save({ api, form, request }: FormContext): Promise<string> {
  const id = getPathParameter(request, 'id');
  await api.call(editTarget, { params: { target_id: id }, body: buildEntry(form) });
  return `${PATH}/${id}?done=saved`;
}

async function retire({ api, request }: FormContext, retired: boolean): Promise<string> {
  const id = getPathParameter(request, 'id');
  await api.call(editTarget, { params: { target_id: id }, body: { retired } });
  return `${PATH}/${id}?done=${retired ? 'retired' : 'listed'}`;
}

/** The page of one target: its form for those who keep the catalog, its facts for all other staff. */
function renderNewEntryPage(view: FormsView): PageContent {
  const body = markup`${renderLabHead('New target', { above: [PATH, 'Targets'] })}
${renderEntryForm(view, null, `${PATH}/new`, 'Add the target')}`;
  return { title: 'New target', body };
}

interface EntryParts {
  readonly done: string | undefined;
  readonly mayEdit: boolean;
}

function renderEntryPage(view: FormsView, target: LabTarget, { done, mayEdit }: EntryParts): PageContent {
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
${formRemark !== undefined && renderWideRefusal(formRemark, isBeside ? 'Nothing was changed; see below.' : undefined)}
${listEntryGroups(target).map((group) => renderGroup(group, action, formRemark))}
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

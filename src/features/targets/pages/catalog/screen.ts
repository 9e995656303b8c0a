/**
 * `/lab/targets`: the catalog as the lab keeps it.
 * This folder: pages of targets and of their import. Not here: the catalog as clients see it (`portal/targets.ts`).
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
import {
  CSV_TEXT,
  findSentence,
  getField,
  getPathParameter,
  queryParameter,
  sendAttachment,
} from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPrice } from '../targets.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { createFormsView, readKey, renderNotice } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { buildEntry, type LabTarget } from './entry-form.ts';
import { renderEntryPage, renderNewEntryPage } from './entry-view.ts';
import { IMPORT_FORM_BYTES_MAX, loadImportPage, showImport } from './import.ts';

const PATH = '/lab/targets';

export const catalogScreen: LabScreen = {
  path: PATH,
  label: 'Targets',
  group: 'Catalog',
  letter: 'm',
  reads: listLabTargets,
  add(routes) {
    routes.addPage(PATH, loadCatalog);
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
};

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Name, gene or number' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['listed', 'Listed'],
      ['retired', 'Retired'],
    ],
  },
  {
    name: 'price',
    label: 'Price',
    options: [
      ['fixed', 'Fixed'],
      ['request', 'On request'],
    ],
  },
  {
    name: 'owner',
    label: 'For',
    options: [
      ['everyone', 'Everyone'],
      ['one', 'One organization'],
    ],
  },
];

const DONE: Readonly<Record<string, string>> = {
  created: 'The target was added.',
  saved: 'The target was saved.',
  retired: 'The target was retired: nobody can order it any more.',
  listed: 'The target is listed again.',
};

async function loadCatalog({ api, request, session }: PortalContext): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const { state, price, owner } = values;
  const page = await api.call(listLabTargets, {
    query: buildListQuery(request, values, [
      state !== '' && `eq(retired,${state === 'retired'})`,
      price !== '' && `eq(selfservice,${price === 'fixed'})`,
      owner !== '' && (owner === 'one' ? 'is_not_null(organization_id)' : 'is_null(organization_id)'),
    ]),
  });
  const side = markup`<div class="actions"><a class="button" href="${PATH}/export.csv">Export</a>${canCall(session, importTargets) && markup`<a class="button" href="${PATH}/import">Import</a>`}${canCall(session, createTarget) && markup`<a class="button primary" href="${PATH}/new">New target</a>`}</div>`;
  const body = renderListPage({
    title: 'Targets',
    side,
    notice: renderNotice(describeDone(request)),
    path: PATH,
    label: 'Targets',
    noun: 'target',
    filters: FILTERS,
    values,
    page,
    columns: COLUMNS,
    empty: renderEmpty(session),
  });
  return { title: 'Targets', body };
}

function describeDone(request: PortalContext['request']): string | undefined {
  const done = queryParameter(request, 'done');
  const [kind, added, changed] = done.split('-');
  if (kind === 'imported' && Number.isInteger(Number(added)) && Number.isInteger(Number(changed)))
    return `The file was imported: ${Number(added)} added, ${Number(changed)} changed.`;
  return findSentence(DONE, done);
}

/** Tells those who may not import who does. */
function renderEmpty(session: Session): Markup {
  const mayImport = canCall(session, importTargets);
  const next = mayImport
    ? markup`Import a CSV file, or add one.</p><p><a class="button primary" href="${PATH}/import">Import</a>`
    : 'A manager adds or imports them.';
  return markup`<h2>No targets</h2><p class="muted">Clients can order a target when it is in the catalog. ${next}</p>`;
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
  const entry = buildEntry(form);
  // The names cannot be cleared: an empty one is refused as empty, not as null.
  const named = ['name', 'vendor_name', 'catalog_number'].map((name) => [name, getField(form, name)]);
  await api.call(editTarget, {
    params: { target_id: id },
    body: { ...entry, ...Object.fromEntries(named) },
  });
  return `${PATH}/${id}?done=saved`;
}

async function retire({ api, request }: FormContext, retired: boolean): Promise<string> {
  const id = getPathParameter(request, 'id');
  await api.call(editTarget, { params: { target_id: id }, body: { retired } });
  return `${PATH}/${id}?done=${retired ? 'retired' : 'listed'}`;
}

/**
 * `/lab/price-lists`: versions of the prices, and their drafts.
 * This folder: pages of price lists and of their import. Not here: prices of single targets (`catalog`).
 */
import type { FastifyReply } from 'fastify';
import { createInvalidFieldsFailure, type Problem, Failure } from '#core/failures.ts';
import {
  getPriceListFile,
  importPriceList,
  validatePriceListImport,
  compareOrderCost,
} from '../../draft-contract.ts';
import {
  comparePriceList,
  createPriceList,
  editPriceList,
  getPriceList,
  listPriceLists,
} from '../../list-contract.ts';
import { defineAction, renderAction, renderDone, writeNext } from '#ui/action.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { CSV_TEXT, findSentence, getPathParameter, queryParameter, sendAttachment } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { createFormsView, readKey, renderNotice } from '#ui/form.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import type { Remark } from '#ui/screen.ts';
import { buildPrices, type PriceList } from './draft-form.ts';
import { IMPORT_FORM_BYTES_MAX, loadPricesImport, showPricesImport } from './import.ts';
import { deletion, LIST_PATH, PATH, publication, renderListPage, renderListChip } from './list-view.ts';
import { findTargetIds, loadTargets, parseMaterials } from './material-lines.ts';
import { USUAL_ASSAY } from '#assays/registry.ts';
import type { Example, ExampleView } from './example-view.ts';
import { markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { loadFirstSteps } from '../../../installation/pages/setup.ts';
import type { Column } from '#ui/list.ts';

const beginning = defineAction(createPriceList, {
  path: `${PATH}/new`,
  page: `${PATH}/:id`,
  button: 'New draft',
  tone: 'primary',
  done: 'A draft with the prices of the list in effect. Nothing is sold by it until you publish it.',
  does: begin,
});

export const pricesScreen = defineListScreen(listPriceLists, {
  path: PATH,
  label: 'Prices',
  group: 'Catalog',
  letter: 'e',
  listed: 'Price lists',
  noun: 'list',
  filters: [
    { name: 'search', label: 'Version or note' },
    {
      name: 'state',
      label: 'State',
      options: [
        ['draft', 'Draft'],
        ['published', 'Published'],
      ],
      writeCondition: (state) => `eq(status,${state})`,
    },
  ],
  renderSide: ({ forms }) =>
    markup`<div class="actions">${canCall(forms.session, importPriceList) && markup`<a class="button" href="${PATH}/import">Import</a>`}${renderAction(forms, beginning)}</div>`,
  renderLead: async ({ context }) =>
    markup`${renderDone(context, [deletion])}${await loadFirstSteps(context)}`,
  buildColumns: ({ now }) => buildColumns(now),
  empty: markup`<h2>No prices</h2><p class="muted">Nothing is sold without a published list. Begin a draft, or import a CSV file.</p>`,
  actions: [beginning],
  add(routes) {
    routes.addPage(`${PATH}/import`, loadPricesImport, importPriceList);
    const large = { bytesMax: IMPORT_FORM_BYTES_MAX };
    routes.addForm(`${PATH}/import`, validatePriceListImport, showPricesImport, loadPricesImport, large);
    routes.addPage(LIST_PATH, (context) => loadList(context), getPriceList);
    routes.addForm(LIST_PATH, editPriceList, save, loadList, large);
    routes.addPage(`${LIST_PATH}/export.csv`, sendFile, getPriceListFile);
    routes.addActions([publication, deletion], loadList);
  },
});

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

/** Reads the example order of the address and asks what it costs. */
const USUAL_SEQUENCES = '24';
const USUAL_REPLICATES = '3';

async function loadExample(context: PortalContext, list: PriceList): Promise<ExampleView> {
  const example = readExample(context, list);
  const view = { path: `${PATH}/${list.id}`, example, isDraft: list.status === 'draft' };
  const { api } = context;
  const targetId =
    example.target === '' ? undefined : (await findTargetIds(api, [example.target]))(example.target);
  if (example.target !== '' && targetId === undefined)
    return { ...view, problem: `The catalog has no target “${example.target}”.` };
  try {
    const costs = await api.call(compareOrderCost, {
      params: { price_list_id: list.id },
      query: {
        experiment_type: example.assay,
        sequence_count: example.sequences,
        n_replicates: example.replicates,
        ...(example.method === '' ? {} : { method: example.method }),
        ...(targetId === undefined ? {} : { target_id: targetId }),
      },
    });
    return { ...view, costs };
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 404].includes(error.status)) throw error;
    return { ...view, problem: error.message };
  }
}

/** What the address omits is as in a usual order of the first assay that the list prices. */
function readExample({ request }: PortalContext, list: PriceList): Example {
  const [first] = list.prices;
  const assay = queryParameter(request, 'assay').slice(0, 100);
  const read = (text: string, usual: string): string => (text === '' ? usual : text.slice(0, 200));
  return {
    assay: assay === '' ? (first?.experiment_type ?? USUAL_ASSAY) : assay,
    method: assay === '' ? (first?.method ?? '') : queryParameter(request, 'method').slice(0, 10),
    sequences: read(queryParameter(request, 'sequences'), USUAL_SEQUENCES),
    replicates: read(queryParameter(request, 'replicates'), USUAL_REPLICATES),
    target: queryParameter(request, 'target').trim().slice(0, 200),
  };
}

/** Antigens whose names a page asks for. */
const MATERIALS_NAMED = 500;

/** Where the answer names the list that follows, or the form is no action. */
const DONE: Readonly<Record<string, string>> = {
  saved: 'The draft was saved.',
  imported: 'The file is a draft now. Nothing is sold by it until you publish it.',
};

const readParameters = ({ request }: PortalContext): { readonly price_list_id: string } => ({
  price_list_id: getPathParameter(request, 'price_list_id'),
});

async function loadList(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, parts } = context;
  const params = readParameters(context);
  const [list, comparison] = await Promise.all([
    api.call(getPriceList, { params }),
    api.call(comparePriceList, { params }),
  ]);
  const [targets, example] = await Promise.all([
    loadTargets(api, list.materials.slice(0, MATERIALS_NAMED)),
    loadExample(context, list),
  ]);
  return renderListPage(createFormsView(context, remark), {
    list,
    targets,
    comparison,
    example,
    now: parts.work.clock.now(),
    notice:
      renderDone(context, [beginning, publication]) ??
      renderNotice(findSentence(DONE, queryParameter(request, 'done'))),
  });
}

/** Begins a draft with what the list in effect says. */
async function begin({ api, form, parts }: FormContext): Promise<string> {
  const { items } = await api.call(listPriceLists, {
    query: { filter: 'eq(status,published)', limit: 100 },
  });
  const present = items.find(({ in_effect: isInEffect }) => isInEffect);
  const { id } = await api.call(createPriceList, {
    body: {
      effective_from: parts.work.clock.now().toISOString(),
      prices: present?.prices ?? [],
      volume_discounts: present?.volume_discounts ?? [],
    },
    idempotencyKey: readKey(form),
  });
  return writeNext(beginning, { id });
}

async function save(context: FormContext): Promise<string> {
  const { api, form } = context;
  const params = readParameters(context);
  const present = await api.call(getPriceList, { params });
  const { materials: text } = form;
  const materials = text === undefined ? {} : { materials: await readMaterials(context, text) };
  await api.call(editPriceList, { params, body: { ...buildPrices(form, present), ...materials } });
  return `${PATH}/${present.id}?done=saved`;
}

/** Throws `invalid_request` with every line whose target the catalog does not have. */
async function readMaterials({ api }: FormContext, text: string): Promise<unknown[]> {
  const lines = parseMaterials(text);
  const findId = await findTargetIds(
    api,
    lines.map(({ name }) => name),
  );
  const unknown = lines.flatMap(({ name, line }): Problem[] =>
    findId(name) === undefined
      ? [{ path: 'materials', message: `line ${line}: the catalog has no target “${name.slice(0, 80)}”` }]
      : [],
  );
  if (unknown.length > 0) throw createInvalidFieldsFailure(unknown);
  return lines.map(({ name, pricing }) => ({ target_id: findId(name), pricing }));
}

async function sendFile(context: PortalContext): Promise<FastifyReply> {
  const params = readParameters(context);
  const { content } = await context.api.call(getPriceListFile, { params });
  return sendAttachment(context.reply, { fileName: 'prices.csv', contentType: CSV_TEXT, content });
}

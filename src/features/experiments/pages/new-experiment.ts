/** `/experiments/new`: from sequences to a price, then to an experiment; also like an earlier one. */
import { USUAL_ASSAY } from '#assays/registry.ts';
import { addPortalPage, type PortalContext } from '#ui/context.ts';
import { readKey } from '#ui/form.ts';
import { getField, queryParameter, ORDER_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { addRefusableFilesForm } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import { createExperiment, getExperiment, validateExperiment, type ExpInfo } from '../contract.ts';
import { formatCopyName } from '../rules.ts';
import { loadOfferedAssays, loadOrderForm, type OfferedAssay, type OrderOutcome } from './order-form.ts';
import { prepareDesigns, readDesigns, type DesignsContext } from './read-designs.ts';
import { callWithOrder, estimateOrder, fillOrder, readOrder } from './read-order.ts';

const PATH = '/experiments/new';

export function addNewExperiment(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, loadNewPage);
  addRefusableFilesForm(routes, parts, PATH, ORDER_FORM_BYTES_MAX, {
    prepare: prepareDesigns,
    act,
    show: (context, remark) =>
      loadFormPage(context, { typed: remark.typed, remark, designs: context.designs }),
  });
}

/** Adds files, checks the price, or creates the experiment. */
async function act(context: DesignsContext): Promise<string | PageContent> {
  const { api, form, parts, designs } = context;
  const intent = getField(form, 'intent');
  const isSandbox = parts.work.site.environment === 'sandbox';
  const earlier = await findEarlier(context, getField(form, 'from'));
  const order = readOrder(form, { isSandbox, earlier, designs });
  const { body } = order;
  if (intent === 'check') {
    const price = await callWithOrder(api, order, () => api.call(validateExperiment, { body: order.body }));
    return loadFormPage(context, { typed: form, price, designs });
  }
  if (intent !== 'create')
    return loadFormPage(context, { typed: form, price: await estimateOrder(api, order), designs });
  const created = await callWithOrder(api, order, () =>
    api.call(createExperiment, { body, idempotencyKey: readKey(form) }),
  );
  return `/experiments/${created.experiment_code}`;
}

/** The experiment that the new one is like; null without one. */
async function findEarlier({ api }: PortalContext, code: string): Promise<ExpInfo | null> {
  return code === '' ? null : api.call(getExperiment, { params: { experiment_id: code } });
}

/** For a person whose role only reads, before anything is typed. */
function renderNoOrderPage({ visitor }: Session): PageContent {
  const body = markup`<div class="page-head"><h1>New experiment</h1></div>
<section class="card stack"><p class="lead">Your role in <bdi>${visitor.organization ?? 'this organization'}</bdi> reads orders and results; it cannot order.</p>
<p>An admin can give you the role of a member under <a href="/organization">Organization</a>. Until then you can look at <a href="/experiments">the experiments</a> and at <a href="/targets">the targets</a>.</p></section>`;
  return { title: 'New experiment', body, section: 'experiments', status: 403 };
}

const USUAL_REPLICATES = 3;

/** A usual order of what the lab offers. */
function createUsual(assays: readonly OfferedAssay[], targetId: string): Form {
  const offered = assays.find(({ experiment_type: type }) => type === USUAL_ASSAY) ?? assays[0];
  const [least, most] = [offered?.n_replicates_min ?? 1, offered?.n_replicates_max ?? USUAL_REPLICATES];
  return {
    target_id: targetId,
    experiment_type: offered?.experiment_type ?? USUAL_ASSAY,
    method: offered?.methods[0] ?? 'bli',
    n_replicates: String(Math.min(Math.max(USUAL_REPLICATES, least), most)),
  };
}

/** Opens the form empty, for the target that the address names, or filled like an experiment. */
async function loadNewPage(context: PortalContext): Promise<PageContent> {
  const { request, session } = context;
  if (!canCall(session, createExperiment)) return renderNoOrderPage(session);
  const earlier = await findEarlier(context, queryParameter(request, 'from'));
  if (earlier === null) {
    const usual = createUsual(await loadOfferedAssays(context), queryParameter(request, 'target_id'));
    return loadFormPage(context, { typed: usual, designs: await readDesigns(context, usual) });
  }
  const name = formatCopyName(earlier.name ?? earlier.code);
  // The webhook belongs to the experiment that had it.
  const typed = { ...fillOrder(earlier), name, from: earlier.code, webhook_url: '' };
  return loadFormPage(context, { typed, designs: await readDesigns(context, typed) });
}

async function loadFormPage(context: PortalContext, outcome: OrderOutcome): Promise<PageContent> {
  const { session } = context;
  if (!canCall(session, createExperiment)) return renderNoOrderPage(session);
  const [assays, earlier] = await Promise.all([
    loadOfferedAssays(context),
    findEarlier(context, getField(outcome.typed, 'from')),
  ]);
  const page = {
    path: PATH,
    heading: markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><h1>New experiment</h1></div>`,
    button: 'Create draft',
    hint: 'A draft costs nothing. You submit it for a quote on the next page.',
    earlier,
    isDraft: false,
  };
  const body = await loadOrderForm(context, page, assays, outcome);
  return { title: 'New experiment', body, section: 'experiments', scripts: ['order-form'] };
}

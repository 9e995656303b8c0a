/** `/experiments/{id or code}/edit`: the order form with what the draft holds. */
import { hasTarget, takesConcentrations } from '#assays/registry.ts';
import { fail } from '#core/failures.ts';
import { addPortalPage, type PortalContext } from '#ui/context.ts';
import { getField, getPathParameter, ORDER_FORM_BYTES_MAX } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { addRefusableFilesForm } from '#ui/screen.ts';
import { canCall } from '#ui/session.ts';
import { getExperiment, modifyExperiment, validateExperiment, type ExpInfo } from '../contract.ts';
import { CONCENTRATIONS_DEFAULT_NM } from '../rules.ts';
import { loadOfferedAssays, loadOrderForm, type OrderOutcome } from './order-form.ts';
import { prepareDesigns, readDesigns, type DesignsContext } from './read-designs.ts';
import { callWithOrder, estimateOrder, fillOrder, readOrder, type Order } from './read-order.ts';

const PATH = '/experiments/:experiment_id/edit';

export function addDraftEdit(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, async (context) => {
    const draft = await requireDraft(context);
    const typed = { ...fillOrder(draft), code: draft.code };
    return loadFormPage(context, draft, { typed, designs: await readDesigns(context, typed) });
  });
  addRefusableFilesForm(routes, parts, PATH, ORDER_FORM_BYTES_MAX, {
    prepare: prepareDesigns,
    act,
    show: async (context, remark) =>
      loadFormPage(context, await requireDraft(context), {
        typed: remark.typed,
        remark,
        designs: context.designs,
      }),
  });
}

/** Throws `experiment_not_editable` for what is no draft any more. */
async function requireDraft({ api, request, session }: PortalContext): Promise<ExpInfo> {
  if (!canCall(session, modifyExperiment))
    throw fail('permission_denied', { permission: modifyExperiment.permission });
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const experiment = await api.call(getExperiment, { params });
  if (experiment.status !== 'draft')
    throw fail('experiment_not_editable', {
      status: experiment.status,
      fields: 'sequences and specification',
    });
  return experiment;
}

/** Adds files, checks the price, or saves the draft. */
async function act(context: DesignsContext): Promise<string | PageContent> {
  const { api, form, parts, designs } = context;
  const draft = await requireDraft(context);
  const { experiment_spec: spec, code } = draft;
  const isSandbox = parts.work.site.environment === 'sandbox';
  const kept = { ...form, experiment_type: spec.experiment_type, method: spec.method ?? '' };
  const order = readOrder(kept, { isSandbox, earlier: draft, designs });
  const intent = getField(form, 'intent');
  if (intent === 'check') {
    const price = await callWithOrder(api, order, () => api.call(validateExperiment, { body: order.body }));
    return loadFormPage(context, draft, { typed: kept, price, designs });
  }
  if (intent !== 'create')
    return loadFormPage(context, draft, { typed: kept, price: await estimateOrder(api, order), designs });
  await callWithOrder(api, order, () =>
    api.call(modifyExperiment, { params: { experiment_id: code }, body: buildChange(order, draft) }),
  );
  return `/experiments/${code}`;
}

/** Builds the change. Sequences that are the same keep their ids. */
function buildChange({ body }: Order, draft: ExpInfo): object {
  const { experiment_spec: spec } = body;
  const type = draft.experiment_spec.experiment_type;
  const hasRequested = spec.requested_target !== undefined;
  return {
    name: body.name,
    description: body.description,
    webhook_url: body.webhook_url ?? '',
    ...(hasTarget(type) && !hasRequested && { target_id: spec.target_id ?? null }),
    ...(spec.n_replicates !== undefined && { n_replicates: spec.n_replicates }),
    ...(takesConcentrations(type) && {
      antigen_concentrations: spec.antigen_concentrations ?? CONCENTRATIONS_DEFAULT_NM,
    }),
    parameters: spec.parameters ?? {},
    sequences: spec.sequences,
  };
}

async function loadFormPage(
  context: PortalContext,
  draft: ExpInfo,
  outcome: OrderOutcome,
): Promise<PageContent> {
  const page = {
    path: `/experiments/${draft.code}/edit`,
    heading: markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a> / <a href="/experiments/${draft.code}">${draft.code}</a></nav>
<div class="page-head"><h1>Edit <bdi>${draft.name ?? draft.code}</bdi></h1></div>`,
    button: 'Save draft',
    hint: 'You submit the draft for a quote on its page.',
    earlier: draft,
    isDraft: true,
  };
  const body = await loadOrderForm(context, page, await loadOfferedAssays(context), outcome);
  return {
    title: `Edit ${draft.code} ${draft.name ?? ''}`,
    body,
    section: 'experiments',
    scripts: ['order-form'],
  };
}

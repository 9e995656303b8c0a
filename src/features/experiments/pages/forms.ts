/** The buttons of the page of an experiment, and the forms that they send. */
import type { FastifyReply } from 'fastify';
import { defineAction, renderAction } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import type { FormsView } from '#ui/form.ts';
import { getField, getPathParameter, PLAIN_TEXT, sendAttachment } from '#ui/http.ts';
import { isTerminal } from '#core/lifecycle.ts';
import {
  cancelExperiment,
  createExperiment,
  deleteExperiment,
  getExperiment,
  modifyExperiment,
  submitExperiment,
  type ExpInfo,
} from '../contract.ts';
import { confirmQuote, rejectQuote } from '../../quotes/contract.ts';
import { listTargets } from '../../targets/contract.ts';
import { listTargetOptions, loadTargetChoices } from '../../targets/pages/target-choices.ts';
import {
  renderRequestLink,
  REQUESTS_PATH,
  type RequestItem,
} from '../../targets/pages/target-request-pieces.ts';
import type { Caller } from '#ui/caller.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';

const PATH = '/experiments/:experiment_id';

const submit = defineAction(submitExperiment, {
  path: `${PATH}/submit`,
  page: PATH,
  button: 'Submit for a quote',
  tone: 'primary large',
});
const rename = defineAction(modifyExperiment, {
  path: `${PATH}/rename`,
  page: PATH,
  button: 'Save',
  summary: 'Rename',
  fields: {
    name: { label: 'Name', lengthMax: 300, isRequired: true },
    description: { label: 'Description', kind: 'area' },
  },
  // An empty description is cleared.
  does: async ({ api, form, request }) => {
    const id = getPathParameter(request, 'experiment_id');
    const body = { name: getField(form, 'name'), description: getField(form, 'description') };
    await api.call(modifyExperiment, { params: { experiment_id: id }, body });
    return `/experiments/${encodeURIComponent(id)}`;
  },
});
const remove = defineAction(deleteExperiment, {
  path: `${PATH}/delete`,
  page: '/experiments',
  button: 'Delete the draft',
  tone: 'danger',
  summary: 'Delete the draft',
  hint: 'The draft and its sequences are gone for good.',
});
const cancel = defineAction(cancelExperiment, {
  path: `${PATH}/cancel`,
  page: PATH,
  button: 'Cancel the experiment',
  tone: 'danger',
  summary: 'Cancel the experiment',
  fields: {
    reason: {
      label: 'Reason',
      hint: 'Optional. A canceled experiment stays readable and cannot be resumed.',
    },
  },
});
const chooseTarget = defineAction(modifyExperiment, {
  path: `${PATH}/target`,
  page: PATH,
  button: 'Use this target',
  tone: 'primary',
  fields: { target_id: { label: 'Target', isRequired: true } },
});
export const experimentActions = [submit, rename, remove, cancel, chooseTarget];

/** Leads to the experiment, which has the invoice. */
export const acceptQuote = defineAction(confirmQuote, {
  path: '/quotes/:quote_id/accept',
  page: PATH,
  button: 'Accept the quote',
  tone: 'primary large',
  fields: {
    purchase_order_number: {
      label: 'Purchase order number',
      hint: 'Optional; it is printed on the invoice.',
    },
  },
});
/** Leads to the experiment, which is a draft again. */
export const declineQuote = defineAction(rejectQuote, {
  path: '/quotes/:quote_id/reject',
  page: PATH,
  button: 'Reject the quote',
  summary: 'Reject the quote',
  hint: 'The experiment becomes a draft again, to be changed and submitted anew.',
  fields: { reason: { label: 'Reason' }, feedback: { label: 'What should change?', kind: 'area' } },
});

export async function sendSequencesFasta({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { code, sequences } = await api.call(getExperiment, { params });
  const content = `${sequences.map(({ fasta }) => fasta).join('\n')}\n`;
  return sendAttachment(reply, { fileName: `${code}.fasta`, contentType: PLAIN_TEXT, content });
}

/** The forms that change an experiment's status, shown only to people who may use them. */
export function renderExperimentActions(
  forms: FormsView,
  experiment: ExpInfo,
  isTargetDeclined: boolean,
): Markup | null {
  const { status, code, provider_quote_id: quoteId } = experiment;
  const params = { experiment_id: code };
  // The lab cannot quote what it has declined.
  const submission = status === 'draft' && !isTargetDeclined && renderAction(forms, submit, { params });
  const decision =
    status === 'quote_sent' && typeof quoteId === 'string' && renderQuoteDecision(forms, quoteId);
  const end = renderEnd(forms, experiment);
  const changes = renderChanges(forms, experiment);
  if (!submission && !decision && !end && !changes) return null;
  return markup`<div class="decision">${submission && markup`${submission}<p class="hint">Nothing is ordered yet: you accept or reject the quote first.</p>`}${decision}${changes}${end}</div>`;
}

/** A draft is deleted; what was submitted is canceled, and stays to be read. */
function renderEnd(forms: FormsView, { status, code }: ExpInfo): Markup | null {
  const params = { experiment_id: code };
  const deletion = status === 'draft' ? renderAction(forms, remove, { params }) : null;
  if (deletion !== null) return deletion;
  const isCancelable = ['draft', 'waiting_for_confirmation', 'quote_sent'].includes(status);
  return isCancelable ? renderAction(forms, cancel, { params }) : null;
}

/** A draft is edited as a whole; later its name and description alone. */
function renderChanges(forms: FormsView, experiment: ExpInfo): Markup | null {
  const { status, code, name, description } = experiment;
  const mayChange = canCall(forms.session, modifyExperiment);
  const edit =
    status === 'draft' && mayChange && markup`<a class="button" href="/experiments/${code}/edit">Edit</a>`;
  const duplicate =
    canCall(forms.session, createExperiment) &&
    markup`<a class="button" href="/experiments/new?from=${code}">Duplicate</a>`;
  const renaming =
    status !== 'draft' &&
    !isTerminal(status) &&
    renderAction(forms, rename, { params: { experiment_id: code }, values: { name, description } });
  if (!edit && !duplicate && !renaming) return null;
  return markup`${(edit || duplicate) && markup`<div class="apart"><div class="actions">${edit}${duplicate}</div><p class="hint">“Duplicate” opens a new order, filled like this one.</p></div>`}${renaming}`;
}

/** Accept with a purchase order, or reject with a reason. */
export function renderQuoteDecision(forms: FormsView, quoteId: string): Markup | null {
  const params = { quote_id: quoteId };
  const accept = renderAction(forms, acceptQuote, { params });
  const reject = renderAction(forms, declineQuote, { params });
  return accept || reject ? markup`${accept}${reject}` : null;
}

/** What an experiment says whose requested target the lab declined, and the form that gives a draft another one. */
export async function renderDeclinedTarget(
  forms: FormsView,
  { id, name, answer }: RequestItem,
  experiment: ExpInfo,
  api: Caller,
): Promise<Markup> {
  const { session } = forms;
  const said = markup`The lab declined the requested target <a href="${REQUESTS_PATH}/${id}"><bdi>${name}</bdi></a>: <bdi>${answer}</bdi>`;
  if (experiment.status === 'canceled') return markup`<p class="note attention form-note">${said}</p>`;
  if (experiment.status !== 'draft')
    return markup`<p class="note attention form-note">${said} You can cancel the experiment and order it with another target.</p>`;
  if (!canCall(session, modifyExperiment) || !canCall(session, listTargets))
    return markup`<p class="note attention form-note">${said} The draft cannot be quoted before a member of your organization gives it another target.</p>`;
  const targets = await loadTargetChoices({ api });
  const choice = renderAction(forms, chooseTarget, {
    params: { experiment_id: experiment.code },
    fields: { target_id: { options: listTargetOptions(targets) } },
  });
  return markup`<section class="card stack form-note" aria-labelledby="declined"><h2 id="declined">Choose another target</h2><p class="note attention">${said}</p>
${targets.length > 0 && choice}
<p class="hint">${targets.length > 0 ? 'Not in the list? ' : 'The catalog has no target yet. '}${renderRequestLink(session, 'Request one anew', name)}; once the lab has approved it, choose it here.</p></section>`;
}

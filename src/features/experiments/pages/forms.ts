/** The buttons of the page of an experiment, and the forms that they send. */
import type { FastifyReply } from 'fastify';
import { createInvalidFieldsFailure } from '#core/failures.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { renderFormFields, readKey } from '#ui/form.ts';
import { getField, getPathParameter, PLAIN_TEXT, sendAttachment } from '#ui/http.ts';
import { cloneExperiment } from '../draft-contract.ts';
import {
  cancelExperiment,
  getExperiment,
  modifyExperiment,
  submitExperiment,
  type ExpInfo,
} from '../contract.ts';
import { confirmQuote, rejectQuote } from '../../quotes/contract.ts';
import { rejectionReasons } from '../../quotes/rules.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { toSentenceCase } from '#ui/words.ts';

export async function sendSequencesFasta({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { code, sequences } = await api.call(getExperiment, { params });
  const content = `${sequences.map(({ fasta }) => fasta).join('\n')}\n`;
  return sendAttachment(reply, { fileName: `${code}.fasta`, contentType: PLAIN_TEXT, content });
}

export async function submitOrder(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const input = { params: { experiment_id: id }, body: {}, idempotencyKey: readKey(context.form) };
  await context.api.reply(submitExperiment, input);
  return `/experiments/${encodeURIComponent(id)}`;
}

export async function chooseTarget(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const targetId = getField(context.form, 'target_id');
  if (targetId === '') throw createInvalidFieldsFailure([{ path: 'target_id', message: 'is required' }]);
  await context.api.reply(modifyExperiment, {
    params: { experiment_id: id },
    body: { target_id: targetId },
    idempotencyKey: readKey(context.form),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

/** Shows the new draft. */
export async function cloneOrder(context: FormContext): Promise<string> {
  const params = { experiment_id: getPathParameter(context.request, 'id') };
  const input = { params, body: {}, idempotencyKey: readKey(context.form) };
  const { experiment_code: code } = await context.api.call(cloneExperiment, input);
  return `/experiments/${code}`;
}

export async function cancelOrder(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const reason = getField(context.form, 'reason');
  await context.api.reply(cancelExperiment, {
    params: { experiment_id: id },
    body: reason === '' ? {} : { reason },
    idempotencyKey: readKey(context.form),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

/** The forms that change an experiment's status, shown only to people who may use them. */
export function renderExperimentActions(
  experiment: ExpInfo,
  session: Session,
  {
    createKey: newKey,
    isTargetDeclined,
  }: { readonly createKey: () => string; readonly isTargetDeclined: boolean },
): Markup | null {
  const { status, code, provider_quote_id: quoteId } = experiment;
  const mayMove = canCall(session, submitExperiment);
  const submit =
    status === 'draft' &&
    // The lab cannot quote what it has declined.
    !isTargetDeclined &&
    mayMove &&
    markup`<form method="post" action="/experiments/${code}/submit">${renderFormFields(session, newKey())}<button class="primary large">Submit for a quote</button></form><p class="hint">Nothing is ordered yet: you accept or reject the quote first.</p>`;
  const decide =
    status === 'quote_sent' && typeof quoteId === 'string' && renderQuoteDecision(quoteId, session, newKey);
  const mayCancel =
    ['draft', 'waiting_for_confirmation', 'quote_sent'].includes(status) &&
    canCall(session, cancelExperiment);
  const cancel = mayCancel && renderCancellation(code, session, newKey());
  const clone =
    canCall(session, cloneExperiment) &&
    markup`<form method="post" action="/experiments/${code}/clone" class="apart">${renderFormFields(session, newKey())}<div><button>Clone</button><p class="hint">Makes a new draft with the same specification and sequences.</p></div></form>`;
  if (submit === false && decide === false && cancel === false && clone === false) return null;
  return markup`<div class="decision">${submit}${decide}${clone}${cancel}</div>`;
}

/** Accept with a purchase order, or reject with a reason. */
export function renderQuoteDecision(quoteId: string, session: Session, newKey: () => string): Markup | null {
  const accept =
    canCall(session, confirmQuote) &&
    markup`<form method="post" action="/quotes/${quoteId}/accept" class="fields">${renderFormFields(session, newKey())}
<div class="field"><label for="po">Purchase order number</label><input id="po" type="text" name="purchase_order_number" maxlength="100" autocomplete="off" aria-describedby="po-hint"><p class="hint" id="po-hint">Optional; it is printed on the invoice.</p></div>
<button class="primary large">Accept the quote</button></form>`;
  const reasons = rejectionReasons.map(
    (reason) => markup`<option value="${reason}">${toSentenceCase(reason)}</option>`,
  );
  const reject =
    canCall(session, rejectQuote) &&
    markup`<details><summary>Reject the quote</summary><form method="post" action="/quotes/${quoteId}/reject" class="fields">${renderFormFields(session, newKey())}
<div class="field"><label for="reason">Reason</label><select id="reason" name="reason">${reasons}</select></div>
<div class="field"><label for="feedback">What should change?</label><textarea class="short" id="feedback" name="feedback" maxlength="5000"></textarea></div>
<p class="hint">The experiment becomes a draft again, to be changed and submitted anew.</p>
<button>Reject the quote</button></form></details>`;
  if (accept === false && reject === false) return null;
  return markup`${accept}${reject}`;
}

function renderCancellation(code: string, session: Session, key: string): Markup {
  return markup`<details><summary>Cancel the experiment</summary><form method="post" action="/experiments/${code}/cancel" class="fields">${renderFormFields(session, key)}
<div class="field"><label for="cancel-reason">Reason</label><input id="cancel-reason" type="text" name="reason" maxlength="2000" aria-describedby="cancel-hint"><p class="hint" id="cancel-hint">Optional. A canceled experiment stays readable and cannot be resumed.</p></div>
<button class="danger">Cancel the experiment</button></form></details>`;
}

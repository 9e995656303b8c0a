/** What the forms of an order do, and its sequences as a file. */
import type { FastifyReply } from 'fastify';
import { createInvalidFieldsFailure } from '#core/failures.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { readKey } from '#ui/form.ts';
import { getField, getPathParameter, PLAIN_TEXT, sendAttachment } from '#ui/http.ts';
import { cloneExperiment } from '../clone-contract.ts';
import { cancelExperiment, getExperiment, modifyExperiment, submitExperiment } from '../contract.ts';

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

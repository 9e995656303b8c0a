/** What the forms of an order do, and its sequences as a file. */
import type { FastifyReply } from 'fastify';
import { createInvalidFieldsFailure } from '#core/failures.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findFormKey } from '#ui/form-field.ts';
import { getField, getPathParameter } from '#ui/http.ts';
import { formatFileName } from '../../results/pages/result.ts';
import { cloneExperiment } from '../clone-contract.ts';
import { cancelExperiment, getExperiment, modifyExperiment, submitExperiment } from '../contract.ts';

export async function sendSequencesFasta({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const params = { experiment_id: getPathParameter(request, 'id') };
  const { code, sequences } = await api.call(getExperiment, { params });
  return reply
    .headers({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${formatFileName(code)}.fasta"`,
    })
    .send(`${sequences.map(({ fasta }) => fasta).join('\n')}\n`);
}

export async function submitOrder(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const input = { params: { experiment_id: id }, body: {}, idempotencyKey: findFormKey(context) };
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
    idempotencyKey: findFormKey(context),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

/** Shows the new draft. */
export async function cloneOrder(context: FormContext): Promise<string> {
  const params = { experiment_id: getPathParameter(context.request, 'id') };
  const input = { params, body: {}, idempotencyKey: findFormKey(context) };
  const { experiment_code: code } = await context.api.call(cloneExperiment, input);
  return `/experiments/${code}`;
}

export async function cancelOrder(context: FormContext): Promise<string> {
  const id = getPathParameter(context.request, 'id');
  const reason = getField(context.form, 'reason');
  await context.api.reply(cancelExperiment, {
    params: { experiment_id: id },
    body: reason === '' ? {} : { reason },
    idempotencyKey: findFormKey(context),
  });
  return `/experiments/${encodeURIComponent(id)}`;
}

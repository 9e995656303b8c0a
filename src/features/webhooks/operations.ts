/** The operations of webhooks, each with what carries it out. */
import { bindList, bindOutward, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as deliveryContract from './delivery-contract.ts';
import { createWebhook } from './create-webhook.ts';
import { updateWebhook } from './update-webhook.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { selectWebhooks, deleteWebhookRow, lockWebhook, updateWebhookRow, findWebhook } from './store.ts';
import { buildWebhook } from './wire.ts';
import { fail } from '#core/failures.ts';
import { randomBytes } from 'node:crypto';
import { addMs } from '#core/clock.ts';
import { SECRET_OVERLAP_MS } from './rules.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import type { RawJson } from '#core/reply.ts';
import {
  listDeliveryPage,
  findDelivery,
  findDeliveryBody,
  selectAttempts,
  resetDelivery,
  resetDeliveries,
  insertTestDelivery,
} from './delivery-store.ts';
import { webhookDeliveryFields } from './list-fields.ts';
import { parseList } from '#core/parse-list.ts';
import { writeSentBody, TEST_EVENT, writeTest } from './body.ts';

export const webhooksOperations: readonly Binding[] = [
  bindRead(contract.listWebhooks, listWebhooks),
  bindOutward(contract.createWebhook, createWebhook),
  bindOutward(contract.updateWebhook, updateWebhook),
  bindWrite(contract.deleteWebhook, deleteWebhook),
  bindOutward(contract.rollWebhookSecret, rollWebhookSecret),
  bindList(deliveryContract.listDeliveries, ({ scope, sql }, query) =>
    listDeliveryPage(scope, sql, query, null),
  ),
  bindRead(deliveryContract.listWebhookDeliveries, listWebhookDeliveries),
  bindRead(deliveryContract.getDelivery, getDelivery),
  bindWrite(deliveryContract.resendDelivery, resendDelivery),
  bindWrite(deliveryContract.resendWebhookDeliveries, resendWebhookDeliveries),
  bindWrite(deliveryContract.testWebhook, testWebhook),
];

/** `GET /webhooks`. */
async function listWebhooks(_input: Input<typeof contract.listWebhooks>, context: ReadContext) {
  const rows = await selectWebhooks(getScope(context.principal), context.sql);
  return rows.map((row) => buildWebhook(row, context.clock.now()));
}

/** `DELETE /webhooks/{webhook_id}`. */
async function deleteWebhook(input: Input<typeof contract.deleteWebhook>, context: WriteContext) {
  const isDeleted = await deleteWebhookRow(getScope(context.principal), context.tx, input.params.webhook_id);
  if (!isDeleted) throw fail('webhook_not_found');
  return {};
}

/** Standard Webhooks ask for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** `POST /webhooks/{webhook_id}/roll-secret`. */
async function rollWebhookSecret(input: Input<typeof contract.rollWebhookSecret>, context: OutwardContext) {
  const { database, principal, clock, webhooks } = context;
  const scope = getScope(principal);
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return database.runTransaction(async (tx) => {
    const present = await lockWebhook(scope, tx, input.params.webhook_id);
    if (present === undefined) throw fail('webhook_not_found');
    const now = clock.now();
    const until = present.sealed_secret === null ? null : addMs(now, SECRET_OVERLAP_MS);
    await updateWebhookRow(scope, tx, present.id, {
      sealed_secret: webhooks.sealer.seal(secret),
      sealed_previous_secret: present.sealed_secret,
      previous_secret_until: until,
      updated_at: now,
    });
    await context.audit(tx, { previous_secret_until: until?.toISOString() ?? null });
    return { secret, previous_secret_until: until?.toISOString() ?? null };
  });
}

/** `GET /webhooks/{webhook_id}/deliveries`. */
async function listWebhookDeliveries(
  input: Input<typeof deliveryContract.listWebhookDeliveries>,
  context: ReadContext,
): Promise<RawJson> {
  const { webhook_id: id } = input.params;
  const scope = getScope(context.principal);
  const query = parseList(context, webhookDeliveryFields, input.query, [], id);
  if ((await findWebhook(scope, context.sql, id)) === undefined) throw fail('webhook_not_found');
  return listDeliveryPage(scope, context.sql, query, id);
}

/** `GET /webhooks/deliveries/{delivery_id}`. */
async function getDelivery(
  input: Input<typeof deliveryContract.getDelivery>,
  { principal, sql, site }: ReadContext,
) {
  const scope = getScope(principal);
  const { delivery_id: id } = input.params;
  const delivery = await findDelivery(scope, sql, id);
  const event = await findDeliveryBody(scope, sql, id);
  if (delivery === undefined || event === undefined) throw fail('delivery_not_found');
  const attempts = await selectAttempts(scope, sql, id);
  return { ...delivery, body: writeSentBody({ ...event, id }, site.baseUrl), attempts_made: attempts };
}

/** `POST /webhooks/deliveries/{delivery_id}/redeliver`. */
async function resendDelivery(input: Input<typeof deliveryContract.resendDelivery>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const delivery = await resetDelivery(getScope(principal), tx, input.params.delivery_id, clock.now());
  if (delivery === undefined) throw fail('delivery_not_found');
  return delivery;
}

/** `POST /webhooks/{webhook_id}/redeliver`. */
async function resendWebhookDeliveries(
  input: Input<typeof deliveryContract.resendWebhookDeliveries>,
  context: WriteContext,
) {
  const { principal, tx, clock } = context;
  const { since, until, only_failed: onlyFailed = true } = input.body;
  const scope = getScope(principal);
  const webhook = await lockWebhook(scope, tx, input.params.webhook_id);
  if (webhook === undefined) throw fail('webhook_not_found');
  const now = clock.now();
  const count = await resetDeliveries(
    scope,
    tx,
    { webhookId: webhook.id, since, until: until ?? now.toISOString(), onlyFailed },
    now,
  );
  return { count };
}

/** `POST /webhooks/{webhook_id}/test`. */
async function testWebhook(input: Input<typeof deliveryContract.testWebhook>, context: WriteContext) {
  const { tx, ids, clock, principal, site } = context;
  const scope = getScope(principal);
  const webhook = await lockWebhook(scope, tx, input.params.webhook_id);
  if (webhook === undefined) throw fail('webhook_not_found');
  if (!webhook.is_enabled) throw fail('webhook_disabled');
  if (!site.deliversWebhooks) throw fail('deliveries_off');
  const id = ids.createUuid();
  const at = clock.now();
  await insertTestDelivery(scope, tx, {
    id,
    webhook_id: webhook.id,
    event_type: TEST_EVENT,
    body: writeTest(scope.organizationId, at, site.deliveryWords),
    at,
  });
  const delivery = await findDelivery(scope, tx, id);
  if (delivery === undefined) throw new Error('the delivery that was written is not there');
  return delivery;
}

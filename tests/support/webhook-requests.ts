/** The requests about webhooks that succeed, each on a state of its own. */
import type { Operation } from '#core/operation.ts';
import type { Builders } from './builders.ts';
import type { Request } from './requests.ts';
import { DEAD_RECEIVER } from './webhook-builders.ts';

export const webhookRequests: Readonly<Record<string, (build: Builders) => Promise<Request>>> = {
  create_webhook: async () => ({ path: '/webhooks', body: { url: DEAD_RECEIVER } }),
  update_webhook: async ({ createWebhook }) => ({
    path: `/webhooks/${await createWebhook()}`,
    body: { event_types: ['results.released'] },
  }),
  delete_webhook: async ({ createWebhook }) => ({ path: `/webhooks/${await createWebhook()}` }),
  roll_webhook_secret: async ({ createWebhook }) => ({
    path: `/webhooks/${await createWebhook()}/roll-secret`,
    body: {},
  }),
  test_webhook: async ({ createWebhook }) => ({ path: `/webhooks/${await createWebhook()}/test`, body: {} }),
  list_webhook_deliveries: async ({ createWebhook }) => ({
    path: `/webhooks/${await createWebhook()}/deliveries`,
  }),
  get_delivery: async ({ createDelivery }) => ({ path: `/webhooks/deliveries/${await createDelivery()}` }),
  resend_delivery: async ({ createDelivery }) => ({
    path: `/webhooks/deliveries/${await createDelivery()}/redeliver`,
    body: {},
  }),
  resend_webhook_deliveries: async ({ createWebhook }) => ({
    path: `/webhooks/${await createWebhook()}/redeliver`,
    body: { since: '2026-01-01T00:00:00Z' },
  }),
};

/** The arguments that name the record of which an operation lists something. */
export function nameListed(
  { path }: Pick<Operation, 'path'>,
  { code, webhookId }: { readonly code: string; readonly webhookId: string },
): Readonly<Record<string, string>> {
  if (path.includes('{webhook_id}')) return { webhook_id: webhookId };
  return path.includes('{experiment_id}') ? { experiment_id: code } : {};
}

/** Endpoints and deliveries that a test may start from. */
import { getItems, getText, type TestService } from './service.ts';

/** Nobody listens there: a delivery is refused at once. */
export const DEAD_RECEIVER = 'http://127.0.0.1:1/hook';
/** Fewer than an organization may have. */
const KEPT_MAX = 10;

export interface WebhookBuilders {
  /** The id of a new endpoint at which nobody listens. */
  readonly createWebhook: () => Promise<string>;
  /** The id of a test that waits to be sent. */
  readonly createDelivery: () => Promise<string>;
}

export function createWebhookBuilders({ ask }: Pick<TestService, 'ask'>): WebhookBuilders {
  const createWebhook = async (): Promise<string> => {
    const kept = getItems((await ask('GET', '/webhooks')).body);
    if (kept.length > KEPT_MAX) await ask('DELETE', `/webhooks/${getText(kept[0]?.id)}`);
    return getText((await ask('POST', '/webhooks', { body: { url: DEAD_RECEIVER } })).body.id);
  };
  return {
    createWebhook,
    createDelivery: async () =>
      getText((await ask('POST', `/webhooks/${await createWebhook()}/test`, { body: {} })).body.id),
  };
}

/** Joins the way to the addresses of webhooks, and the sender of their deliveries. */
import { connectDirectly, resolveByDns } from '#adapters/http-out/network.ts';
import { createOutgoing } from '#adapters/http-out/outgoing.ts';
import { createSealer } from '#core/sealer.ts';
import type { SigningKey } from '#features/tokens/capability.ts';
import type { Settings } from '#settings/settings.ts';
import { createWebhookSender, type WebhookSender } from '#transports/webhook-sender.ts';
import type { WebhookPorts } from '#features/installation/outward-context.ts';
import { deriveKey } from '#features/tokens/signing-keys.ts';
import type { Parts } from './parts.ts';
import type { Receivers } from './system-sources.ts';

/** Time limit of a request to a receiver. */
const TIMEOUT_MS = 15_000;

export function createWebhookPorts(
  settings: Settings,
  keys: readonly SigningKey[],
  receivers: Receivers = {},
): WebhookPorts {
  return {
    headerPrefix: settings.branding.headerPrefix,
    outgoing: createOutgoing({
      policy: settings.webhooks.policy,
      resolve: receivers.resolve ?? resolveByDns,
      connect: receivers.connect ?? connectDirectly,
      timeoutMs: receivers.timeoutMs ?? TIMEOUT_MS,
      ...(receivers.authorities === undefined ? {} : { authorities: receivers.authorities }),
    }),
    sealer: createSealer(deriveKey(keys, 'webhook secrets')),
  };
}

export function createSenderOver({ settings, database, work, log, webhooks, feed }: Parts): WebhookSender {
  return createWebhookSender({
    database,
    work,
    log,
    feed,
    ...webhooks,
    style: { format: settings.webhooks.format, prefix: settings.branding.headerPrefix },
    deploymentSecret: settings.webhooks.secret,
  });
}

import type { OrgWebhook } from './contract.ts';
import { HIDDEN_VALUE } from './rules.ts';
import type { WebhookRow } from './store.ts';
import { eventTypes } from '../updates/types.ts';

/** Writes an endpoint as clients see it. */
export function buildWebhook(row: WebhookRow, now: Date, warning: string | null = null): OrgWebhook {
  const { previous_secret_until: until } = row;
  const isOverlapping = until !== null && Date.parse(until) > now.getTime();
  return {
    id: row.id,
    url: row.url,
    secret_set: row.sealed_secret !== null,
    headers: Object.fromEntries(row.header_names.map((name) => [name, HIDDEN_VALUE])),
    enabled: row.is_enabled,
    created_at: row.created_at,
    updated_at: row.updated_at,
    event_types: eventTypes.filter((type) => row.event_types?.includes(type) === true),
    format: row.format,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since,
    previous_secret_until: isOverlapping ? until : null,
    warning,
  };
}

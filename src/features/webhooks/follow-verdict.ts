/** What the outcome of a delivery means for its endpoint. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ClaimedDelivery } from './claim-store.ts';
import { insertFact } from '../notifications/notice-store.ts';
import { hasFailedTooLong, type Verdict } from './rules.ts';
import { clearFailures, lockWebhook, updateWebhookRow, type WebhookRow } from './store.ts';

type Attempted = Pick<ClaimedDelivery, 'webhook_id' | 'is_enabled' | 'organization_id'>;

/**
 * Holds the endpoint of a failed attempt. Whoever deletes an endpoint or sends its deliveries again holds it before the
 * deliveries, so this comes before the record of the attempt, as `recordSuccess` does.
 */
export async function holdEndpoint(
  tx: Transaction,
  { webhook_id: id, is_enabled: isEnabled, organization_id: organizationId }: Attempted,
): Promise<WebhookRow | undefined> {
  if (id === null || !isEnabled) return undefined;
  return lockWebhook(createOrganizationScope(organizationId), tx, id);
}

/** Ends the time since which the endpoint fails. */
export async function recordSuccess(
  tx: Transaction,
  { webhook_id: id, is_enabled: isEnabled, organization_id: organizationId }: Attempted,
): Promise<void> {
  if (id !== null && isEnabled) await clearFailures(createOrganizationScope(organizationId), tx, id);
}

/** Keeps since when an endpoint fails, and switches one off that is gone or has failed for days. */
export async function followVerdict(
  work: Work,
  tx: Transaction,
  webhook: WebhookRow,
  { verdict, organizationId }: { readonly verdict: Verdict; readonly organizationId: string },
): Promise<void> {
  if (!webhook.is_enabled) return;
  const scope = createOrganizationScope(organizationId);
  const now = work.clock.now();
  const since = webhook.failing_since === null ? now : new Date(webhook.failing_since);
  const reason = findReason(verdict, since, now);
  await updateWebhookRow(scope, tx, webhook.id, {
    failing_since: since,
    ...(reason === null ? {} : { is_enabled: false, disabled_reason: reason, disabled_at: now }),
  });
  if (reason === null) return;
  // The feed is about experiments, so that it has no place for this.
  await insertFact(scope, tx, {
    id: work.ids.createUuid(),
    kind: 'webhook.disabled',
    experiment_code: null,
    details: { subject: webhook.url, sentence: reason },
    at: now,
  });
}

function findReason(verdict: Verdict, since: Date, now: Date): string | null {
  if (verdict.kind === 'failed' && verdict.endsEndpoint)
    return 'The receiver answered 410: it is gone for good. Set enabled to true to deliver again.';
  if (hasFailedTooLong(since, now))
    return 'No delivery has succeeded for three days. Mend the receiver, then set enabled to true.';
  return null;
}

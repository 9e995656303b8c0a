import { randomBytes } from 'node:crypto';
import { addMs } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { rollWebhookSecret as operation } from './contract.ts';
import { SECRET_OVERLAP_MS } from './rules.ts';
import { lockWebhook, updateWebhookRow } from './store.ts';
import type { OutwardContext } from '../installation/outward-context.ts';

/** Standard Webhooks ask for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** `POST /webhooks/{webhook_id}/roll-secret`. */
export async function rollWebhookSecret(input: Input<typeof operation>, context: OutwardContext) {
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

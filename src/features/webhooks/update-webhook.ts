import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { updateWebhook as operation } from './contract.ts';
import { findHeaderProblems, HIDDEN_VALUE, keepHiddenHeaders, needsHeadersAgain } from './rules.ts';
import { readHeaders, sealHeaders } from './sealed.ts';
import { findWebhook, lockWebhook, updateWebhookRow, type WebhookChange, type WebhookRow } from './store.ts';
import { buildWebhook } from './wire.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import { checkReceiver, createWebhookFailure, chooseEventTypes } from './create-webhook.ts';

type Body = Input<typeof operation>['body'];

/** `PATCH /webhooks/{webhook_id}`: null keeps a value, except that a null secret removes it. */
export async function updateWebhook(input: Input<typeof operation>, context: OutwardContext) {
  const { body } = input;
  const { webhook_id: id } = input.params;
  const { database, principal, clock } = context;
  const scope = getScope(principal);
  if ((await findWebhook(scope, database.read, id)) === undefined) throw fail('webhook_not_found');
  const url = body.url ?? null;
  const warning = url === null ? null : await checkReceiver(context, url);
  return database.runTransaction(async (tx) => {
    const present = await lockWebhook(scope, tx, id);
    if (present === undefined) throw fail('webhook_not_found');
    refuseHeadersElsewhere(present, body);
    const now = clock.now();
    const change = { ...buildChange(context, present, body), updated_at: now };
    const row = await updateWebhookRow(scope, tx, id, change);
    if (row === undefined) throw fail('webhook_not_found');
    const changed = buildWebhook(row, now, warning);
    await context.audit(tx, changed);
    return changed;
  });
}

function refuseHeadersElsewhere({ url, header_names: headerNames }: WebhookRow, body: Body): void {
  if (typeof body.url !== 'string') return;
  if (!needsHeadersAgain({ url, headerNames }, { url: body.url, headers: body.headers ?? null })) return;
  const message = 'must be given again with their values, because the address is at another host';
  throw createWebhookFailure([{ path: 'headers', message }]);
}

function buildChange({ webhooks }: OutwardContext, present: WebhookRow, body: Body): WebhookChange {
  const { url, headers, enabled, secret, event_types: eventTypes, format } = body;
  const { sealer } = webhooks;
  return {
    ...(typeof url === 'string' ? { url } : {}),
    ...(headers === undefined || headers === null ? {} : sealNewHeaders(webhooks, headers, present)),
    ...(enabled === undefined || enabled === null ? {} : { is_enabled: enabled }),
    ...(enabled === true ? { disabled_reason: null, disabled_at: null, failing_since: null } : {}),
    ...(secret === undefined ? {} : replaceSecret(secret === null ? null : sealer.seal(secret))),
    ...(eventTypes === undefined || eventTypes === null ? {} : { event_types: chooseEventTypes(eventTypes) }),
    ...(format === undefined || format === null ? {} : { format }),
  };
}

function sealNewHeaders(
  { sealer, headerPrefix }: OutwardContext['webhooks'],
  sent: Readonly<Record<string, string>>,
  { sealed_headers: sealed }: WebhookRow,
): WebhookChange {
  // What is kept is opened only where it is asked for, so that new headers can replace what no key opens.
  const isKeeping = Object.values(sent).includes(HIDDEN_VALUE);
  const headers = keepHiddenHeaders(sent, isKeeping ? readHeaders(sealer, sealed) : {});
  const problems = findHeaderProblems(headers, headerPrefix);
  if (problems.length > 0) throw createWebhookFailure(problems);
  return { header_names: Object.keys(headers), sealed_headers: sealHeaders(sealer, headers) };
}

/** A secret that somebody sets replaces the one before at once; only a roll keeps it for a while. */
function replaceSecret(sealed: string | null): WebhookChange {
  return { sealed_secret: sealed, sealed_previous_secret: null, previous_secret_until: null };
}

import { fail, type Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { createWebhook as operation } from './contract.ts';
import { ENDPOINTS_MAX, findHeaderProblems } from './rules.ts';
import { sealHeaders } from './sealed.ts';
import { countWebhooks, insertWebhook } from './store.ts';
import { buildWebhook } from './wire.ts';
import type { OutwardContext } from '../installation/outward-context.ts';

/** `POST /webhooks`. */
export async function createWebhook(input: Input<typeof operation>, context: OutwardContext) {
  const { body } = input;
  const { database, principal, ids, clock, webhooks } = context;
  const headers = body.headers ?? {};
  const problems = findHeaderProblems(headers, webhooks.headerPrefix);
  if (problems.length > 0) throw createWebhookFailure(problems);
  const warning = await checkReceiver(context, body.url);
  const scope = getScope(principal);
  return database.runTransaction(async (tx) => {
    if ((await countWebhooks(scope, tx)) >= ENDPOINTS_MAX)
      throw fail('too_many_webhooks', { limit: ENDPOINTS_MAX });
    const row = await insertWebhook(scope, tx, {
      id: ids.createUuid(),
      url: body.url,
      sealed_secret: typeof body.secret === 'string' ? webhooks.sealer.seal(body.secret) : null,
      header_names: Object.keys(headers),
      sealed_headers: sealHeaders(webhooks.sealer, headers),
      event_types: chooseEventTypes(body.event_types ?? []),
      format: body.format ?? 'events',
      created_by: principal.userId,
      at: clock.now(),
    });
    const created = buildWebhook(row, clock.now(), warning);
    await context.audit(tx, created);
    return created;
  });
}

/** An endpoint that names no event types has none. */
export function chooseEventTypes(named: readonly string[]): readonly string[] | null {
  return named.length === 0 ? null : [...new Set(named)];
}

/** Asks what a connection would ask; throws `invalid_webhook`, and returns what keeps the address from working now. */
export async function checkReceiver({ webhooks }: OutwardContext, url: string): Promise<string | null> {
  const { problem, warning } = await webhooks.outgoing.inspect(url);
  if (problem !== null) throw createWebhookFailure([{ path: 'url', message: problem }]);
  return warning;
}

export function createWebhookFailure(problems: readonly Problem[]) {
  const [head] = problems;
  const reason = head === undefined ? 'unknown' : `${head.path} ${head.message}`;
  return fail('invalid_webhook', { reason }, { problems: [...problems] });
}

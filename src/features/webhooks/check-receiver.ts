import { fail, type Problem } from '#core/failures.ts';
import type { OutwardContext } from '../installation/outward-context.ts';

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

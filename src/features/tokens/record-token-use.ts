import { addMs, MINUTE_MS } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { touchToken } from './store.ts';

interface UsedToken {
  readonly id: string;
  /** UTC; null before the first use. */
  readonly lastUsedAt: string | null;
}

/** Notes the use of a token, exact to the minute. A failure is ignored: no request fails for this note. */
export async function recordTokenUse(sql: Sql, { id, lastUsedAt }: UsedToken, at: Date): Promise<void> {
  if (lastUsedAt !== null && addMs(new Date(lastUsedAt), MINUTE_MS) > at) return;
  await touchToken(labScope, sql, id, at).catch(() => undefined);
}

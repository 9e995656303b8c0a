import { addMs } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { deleteOldNotices } from './notice-store.ts';
import { FACT_KEPT_MS, NOTICE_KEPT_MS } from './rules.ts';

/** Deletes old facts and the notices of them. */
export async function deleteOldFacts({ clock }: Work, database: Database): Promise<void> {
  const now = clock.now();
  const before = { notices: addMs(now, -NOTICE_KEPT_MS), facts: addMs(now, -FACT_KEPT_MS) };
  await deleteOldNotices(labScope, database.read, before);
}

import type { Site } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { findLastJudgment, type ReviewEvent } from './rules.ts';

/**
 * Throws `second_person_needed` where the lab demands two people (`RELEASE_NEEDS_SECOND_PERSON`) and the caller is the
 * person who decided or analyzed last.
 */
export function requireSecondPerson(
  site: Pick<Site, 'needsSecondPerson'>,
  principal: Pick<Principal, 'userId'>,
  events: readonly ReviewEvent[],
): void {
  if (!site.needsSecondPerson) return;
  const last = findLastJudgment(events);
  if (last?.user_id === principal.userId) throw fail('second_person_needed', { person: last.actor });
}

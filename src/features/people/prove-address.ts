/** Records that a person holds an address, because they opened a link that was mailed there. */
import type { Work } from '#core/context.ts';
import type { Transaction } from '#core/sql.ts';
import type { Origin } from './port.ts';
import { markVerified } from './store.ts';
import { dropUnprovenAccess } from './effects.ts';

/** Does nothing more once the address is proved. Comes before whatever the person sets up in the same request. */
export async function proveAddress(
  work: Work,
  tx: Transaction,
  origin: Origin,
  userId: string,
): Promise<void> {
  if (await markVerified(tx, userId, work.clock.now())) await dropUnprovenAccess(work, tx, origin, userId);
}

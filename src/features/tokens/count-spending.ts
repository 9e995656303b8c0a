/** Counts what an access token commits its holder to, against the limits of the token and of those above it. */
import type { Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { formatUsd } from '#core/money.ts';
import { getScope, type Principal } from '#core/principal.ts';
import type { Transaction } from '#core/sql.ts';
import {
  addSpending,
  insertSpending,
  lockSpendLimits,
  selectCounted,
  updateSpending,
  type Commitment,
} from './spending-store.ts';

/**
 * Counts a commitment for the token of a request and all its ancestors, once for each quote: what was accepted with a
 * token is not counted again when it is paid with it. An invoice that was issued again may cost more, because its
 * buyer is taxed differently; then the difference is counted as well. The rows with a limit are locked until the
 * transaction ends, so concurrent requests cannot exceed a limit together.
 */
export async function countSpending(
  { clock }: Pick<Work, 'clock'>,
  tx: Transaction,
  principal: Principal,
  commitment: Commitment,
): Promise<void> {
  const scope = getScope(principal);
  const { tokenPath, restrictions } = principal;
  const limits = restrictions.hasSpendLimit ? await lockSpendLimits(scope, tx, tokenPath) : [];
  const counted = await selectCounted(scope, tx, tokenPath, commitment.quote_id);
  const computeDue = (id: string): number => commitment.amount_cents - (counted.get(id) ?? 0);
  for (const { id, max_spend_cents: limit, spent_cents: spent } of limits) {
    const due = computeDue(id);
    // A program that may only prepare has a limit of zero: a free quote is an agreement too.
    if (limit === 0 && due === 0 && !counted.has(id))
      throw fail('token_restricted', { reason: 'it may accept no quote, not even a free one' });
    if (due > 0 && due > limit - spent)
      throw fail('spend_limit_exceeded', {
        amount: formatUsd(due),
        limit: formatUsd(limit),
        spent: formatUsd(spent),
        left: formatUsd(limit - spent),
      });
  }
  for (const { id } of limits) if (computeDue(id) > 0) await addSpending(scope, tx, id, computeDue(id));
  const added = tokenPath.filter((id) => !counted.has(id));
  if (added.length > 0) await insertSpending(scope, tx, added, { ...commitment, at: clock.now() });
  const raised = tokenPath.filter((id) => counted.has(id) && computeDue(id) > 0);
  if (raised.length > 0) await updateSpending(scope, tx, raised, commitment);
}

import { fail } from '#core/failures.ts';
import { formatUsd } from '#core/money.ts';
import { getScope, type Principal } from '#core/principal.ts';
import type { Transaction } from '#core/sql.ts';
import { addSpending, lockSpendLimits } from '#domain/tokens/store.ts';

/**
 * Counts the amount of a request against the limits of its token and of all its ancestors. The rows are locked until
 * the transaction ends, so concurrent requests cannot exceed a limit together.
 */
export async function chargeToken(tx: Transaction, principal: Principal, amountCents: number): Promise<void> {
  if (!principal.restrictions.hasSpendLimit) return;
  const scope = getScope(principal);
  const limits = await lockSpendLimits(scope, tx, principal.tokenPath);
  for (const limit of limits) {
    const left = limit.max_spend_cents - limit.spent_cents;
    if (amountCents > left)
      throw fail('spend_limit_exceeded', {
        amount: formatUsd(amountCents),
        limit: formatUsd(limit.max_spend_cents),
        left: formatUsd(left),
      });
  }
  const ids = limits.map(({ id }) => id);
  await addSpending(scope, tx, ids, amountCents);
}

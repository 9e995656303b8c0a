import { fail } from '#core/failures.ts';
import { formatUsd } from '#core/money.ts';
import { scopeOf, type Principal } from '#core/principal.ts';
import type { Transaction } from '#core/sql.ts';
import { addSpending, lockSpendLimits } from '#domain/tokens/store.ts';

/**
 * Counts what a request commits against the limit of its token and of every token that it was derived from. The rows
 * are held until the transaction ends, so requests at once cannot pass a limit together.
 */
export async function chargeToken(tx: Transaction, principal: Principal, amountCents: number): Promise<void> {
  if (!principal.restrictions.hasSpendLimit) return;
  const scope = scopeOf(principal);
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

/** Whether a client can pay an invoice that no program pays. */
import type { Site } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { BUILTIN } from '../payments/rules.ts';

/** A sandbox takes test payments; a live environment needs a processor, or an account for transfers. */
function canCollect({
  environment,
  processor,
  letterhead,
}: Pick<Site, 'environment' | 'processor' | 'letterhead'>): boolean {
  return environment === 'sandbox' || processor !== BUILTIN || letterhead.seller.bank_lines.length > 0;
}

/** Staff read what to set; clients, whom to ask. Throws `payment_not_set_up`. */
export function requireCollection(site: Site, principal: Principal | undefined): void {
  if (canCollect(site)) return;
  const isStaff = principal?.permissions.has('lab:read') ?? false;
  throw fail('payment_not_set_up', {
    reason: isStaff
      ? 'neither BANK_DETAILS nor STRIPE_SECRET_KEY is set. Set one of them and start the service again'
      : 'the lab has not said yet where to send the money. Nothing was accepted; ask the lab, and accept the quote then',
  });
}

import { addMs } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { mintPaymentToken as operation } from './contract.ts';
import { insertTestToken } from './test-token-store.ts';
import { TEST_NETWORK } from './test-tokens.ts';

const TOKEN_LIFE_S = 3_600;

/** `POST /sandbox/payment-tokens`. */
export async function mintPaymentToken(input: Input<typeof operation>, context: WriteContext) {
  if (context.site.environment !== 'sandbox') throw fail('test_payment_unavailable');
  const {
    max_amount_cents: maxAmountCents,
    expires_in_s: lifeS = TOKEN_LIFE_S,
    behavior = 'pays',
  } = input.body;
  const at = context.clock.now();
  const token = `spt_test_${context.ids.createSecret().replaceAll(/[^A-Za-z0-9]/g, '')}${context.ids.createUuid().slice(-12)}`;
  const expiresAt = addMs(at, lifeS * 1000);
  const currency = 'usd';
  await insertTestToken(getScope(context.principal), context.tx, {
    token,
    maxAmountCents,
    currency,
    behavior,
    expiresAt,
    at,
  });
  return {
    spt: token,
    max_amount_cents: maxAmountCents,
    currency,
    behavior,
    network_id: TEST_NETWORK,
    expires_at: expiresAt.toISOString(),
  };
}

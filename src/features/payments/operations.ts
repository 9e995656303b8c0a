/** The operations of payments, each with what carries it out. */
import { bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import { recordBankTransfer } from './record-bank-transfer.ts';
import { addMs } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { insertTestToken } from './test-token-store.ts';
import { TEST_NETWORK } from './test-tokens.ts';

export const paymentsOperations: readonly Binding[] = [
  bindWrite(contract.mintPaymentToken, mintPaymentToken),
  bindWrite(contract.recordBankTransfer, recordBankTransfer),
];

const TOKEN_LIFE_S = 3_600;

/** `POST /sandbox/payment-tokens`. */
async function mintPaymentToken(input: Input<typeof contract.mintPaymentToken>, context: WriteContext) {
  if (context.site.environment !== 'sandbox') throw fail('test_payment_unavailable');
  const { max_amount_cents, expires_in_s: lifeS = TOKEN_LIFE_S, behavior = 'pays' } = input.body;
  const at = context.clock.now();
  const token = `spt_test_${context.ids.createSecret().replaceAll(/[^A-Za-z0-9]/g, '')}${context.ids.createUuid().slice(-12)}`;
  const end = addMs(at, lifeS * 1000);
  const currency = 'usd';
  await insertTestToken(getScope(context.principal), context.tx, {
    token,
    max_amount_cents,
    currency,
    behavior,
    expires_at: end,
    at,
  });
  return {
    spt: token,
    max_amount_cents,
    currency,
    behavior,
    network_id: TEST_NETWORK,
    expires_at: end.toISOString(),
  };
}

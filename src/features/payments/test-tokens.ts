/**
 * The sandbox's processor for shared payment tokens: it mints tokens, charges each once and refunds, in its own
 * tables. It acts like an outside processor, so each call is a transaction of its own.
 */
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import {
  type RefundPort,
  type RefundRequest,
  formatChargeKey,
  type ChargeOrder,
  type ChargeVerdict,
  type TokenProcessor,
} from './processor.ts';
import {
  deactivateTestToken,
  findTestCharge,
  findTestRefund,
  findTestToken,
  insertTestCharge,
  insertTestRefund,
  lockRefundable,
  lockTestToken,
  type TestChargeRow,
  type TestTokenRow,
} from './test-token-store.ts';

export const TEST_NETWORK = 'profile_test_assayer';

export function createTestTokenProcessor(work: Work, database: Database): TokenProcessor {
  return {
    networkId: TEST_NETWORK,
    paymentMethodTypes: ['card'],
    async readToken(token) {
      const row = await findTestToken(labScope, database.read, token);
      if (row === undefined) return undefined;
      return {
        maxAmountCents: row.max_amount_cents,
        currency: row.currency,
        expiresAt: new Date(row.expires_at),
        isDeactivated: row.deactivated_at !== null,
      };
    },
    charge: (order) => database.runTransaction((tx) => charge(work, tx, order)),
    async find(order) {
      const earlierCharge = await findTestCharge(labScope, database.read, formatChargeKey(order));
      return earlierCharge === undefined ? undefined : toVerdict(earlierCharge);
    },
  };
}

async function charge(work: Work, tx: Transaction, order: ChargeOrder): Promise<ChargeVerdict> {
  const token = await lockTestToken(labScope, tx, order.token);
  const key = formatChargeKey(order);
  const earlierCharge = await findTestCharge(labScope, tx, key);
  if (earlierCharge !== undefined) return toVerdict(earlierCharge);
  if (token === undefined) return { kind: 'declined', reason: 'resource_missing' };
  const at = work.clock.now();
  const reason = findDecline(token, order, at);
  const row: TestChargeRow = {
    id: `pi_test_${work.ids.createUuid().replaceAll('-', '')}`,
    token: order.token,
    amount_cents: order.amount_cents,
    currency: order.currency,
    status: reason === null ? 'charged' : 'declined',
    reason,
  };
  const scope = createOrganizationScope(order.organization_id);
  await insertTestCharge(scope, tx, {
    ...row,
    idempotency_key: key,
    invoice_id: order.invoice_id,
    at,
  });
  if (reason === null) await deactivateTestToken(labScope, tx, order.token, at);
  return toVerdict(row);
}

function findDecline(token: TestTokenRow, order: ChargeOrder, at: Date): string | null {
  if (token.behavior === 'declines') return 'card_declined';
  if (token.deactivated_at !== null) return 'token_deactivated';
  if (Date.parse(token.expires_at) <= at.getTime()) return 'token_expired';
  if (token.currency !== order.currency) return 'currency_mismatch';
  return token.max_amount_cents < order.amount_cents ? 'amount_over_limit' : null;
}

function toVerdict({ id, reason }: TestChargeRow): ChargeVerdict {
  return reason === null ? { kind: 'charged', paymentIntentId: id } : { kind: 'declined', reason };
}

export function createTestTokenRefunds(work: Work, database: Database): RefundPort {
  return {
    async send(request) {
      return database.runTransaction(async (tx) => {
        const refundable = await lockRefundable(labScope, tx, getIntent(request));
        const earlierRefund = await findTestRefund(labScope, tx, request.idempotency_key);
        if (earlierRefund !== undefined) return { kind: 'refunded', reference: earlierRefund };
        if (refundable === undefined || refundable < request.amount_cents)
          return { kind: 'refused', reason: 'more than the part of the charge that has not been sent back' };
        const id = `re_test_${work.ids.createUuid().replaceAll('-', '')}`;
        await insertTestRefund(createOrganizationScope(request.organization_id), tx, {
          id,
          charge_id: getIntent(request),
          idempotency_key: request.idempotency_key,
          amount_cents: request.amount_cents,
          at: work.clock.now(),
        });
        return { kind: 'refunded', reference: id };
      });
    },
    async find(request) {
      const earlierRefund = await findTestRefund(labScope, database.read, request.idempotency_key);
      return earlierRefund === undefined ? { kind: 'none' } : { kind: 'refunded', reference: earlierRefund };
    },
  };
}

function getIntent({ payment }: RefundRequest): string {
  return typeof payment.payment_intent_id === 'string' ? payment.payment_intent_id : '';
}

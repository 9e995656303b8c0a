/** The state of a refund in words, and the way by which its money goes back. */
import { BANK_RAIL, BUILTIN_RAIL, STRIPE } from '../../payments/rails.ts';

type RefundStatus = 'pending' | 'refunded' | 'action_required';
type StateWords = readonly [tone: string, words: string];

export const REFUND_STATES: Readonly<Record<RefundStatus, StateWords>> = {
  pending: ['moving', 'On its way'],
  refunded: ['good', 'Sent back'],
  action_required: ['attention', 'Send by hand'],
};

/** Nothing sends a bank transfer back but people. */
export function findRefundState(status: RefundStatus, isTransfer: boolean): StateWords {
  return REFUND_STATES[isTransfer && status === 'pending' ? 'action_required' : status];
}

const RAIL_WORDS: Readonly<Record<string, string>> = {
  [BANK_RAIL]: 'bank transfer',
  [BUILTIN_RAIL]: 'payment page',
  [STRIPE]: 'Stripe',
};

export function formatRail(rail: string): string {
  return RAIL_WORDS[rail] ?? rail;
}

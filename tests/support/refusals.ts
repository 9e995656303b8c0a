/** What those are told who lose a race. */
import assert from 'node:assert/strict';
import { getText, type TestAnswer } from './service.ts';

/** Every refusal is one of those expected, as `status code`, and says so in a sentence. */
export function assertRefusals(
  answers: readonly TestAnswer[],
  expected: readonly string[],
  story = '',
): void {
  for (const { status, body, text } of answers.filter((answer) => answer.status >= 400)) {
    assert.ok(expected.includes(`${status} ${getText(body.code)}`), `${text} (${status}) ${story}`);
    assert.ok(getText(body.error).length > 20, `${text} ${story}`);
  }
}

/** Of payments, refunds, a void and a cancellation at once. */
export const PAID_OR_ENDED: readonly string[] = [
  '402 payment_not_settled',
  '409 invoice_not_refundable',
  '409 invoice_not_closable',
  '409 move_not_allowed',
  '422 invoice_not_payable',
  '422 payment_owed_back',
  '422 refund_exceeds_payment',
  '503 payment_outcome_unknown',
];

/**
 * This folder: transactions about feedback. Not here: its rules (`domain/feedback`).
 */
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { submitFeedback as operation } from '#domain/feedback/contract.ts';
import { feedbackProblems, referenceOf } from '#domain/feedback/rules.ts';
import { keepFeedback } from '#domain/feedback/store.ts';

export async function submitFeedback(input: Input<typeof operation>, context: WriteContext) {
  const problems = feedbackProblems(input.body);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
  const id = context.ids.uuid();
  const reference = await keepFeedback(scopeOf(context.principal), context.tx, {
    id,
    userId: context.principal.userId,
    reference: referenceOf(id),
    request: input.body,
    createdAt: context.clock.now(),
  });
  return { message: 'Thank you. The lab reads every feedback.', reference };
}

import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { submitFeedback as operation } from './contract.ts';
import { findFeedbackProblems, formatReference } from './rules.ts';
import { keepFeedback } from './store.ts';

/** `POST /feedback/submit`: stores feedback for the lab. */
export async function submitFeedback(input: Input<typeof operation>, context: WriteContext) {
  const problems = findFeedbackProblems(input.body);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
  const id = context.ids.createUuid();
  const reference = await keepFeedback(getScope(context.principal), context.tx, {
    id,
    userId: context.principal.userId,
    reference: formatReference(id),
    request: input.body,
    createdAt: context.clock.now(),
  });
  return { message: 'Thank you. The lab reads every feedback.', reference };
}

/** What clients tell the lab, and the lab's reading of it. */
import type { ReadContext, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listFeedback, submitFeedback } from '#domain/feedback/contract.ts';
import { feedbackProblems, referenceOf } from '#domain/feedback/rules.ts';
import { feedbackFields } from '#domain/feedback/list-fields.ts';
import { keepFeedback, listFeedbackPage } from '#domain/feedback/store.ts';

export async function takeFeedback(input: Input<typeof submitFeedback>, context: WriteContext) {
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

export function feedbackOfClients(input: Input<typeof listFeedback>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(feedbackFields, input.query, {
    cursors: context.cursors,
    cursorBinding: 'lab',
  });
  return listFeedbackPage(labScope, context.sql, query);
}

/** The operations of feedback, each with what carries it out. */
import { isBlank } from '#core/texts.ts';
import { bindLabList, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { WriteContext } from '#core/context.ts';
import { fail, type Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { keepFeedback, listFeedbackPage } from './store.ts';

export const feedbackOperations: readonly Binding[] = [
  bindWrite(contract.submitFeedback, submitFeedback),
  bindLabList(contract.listFeedback, ({ scope, sql }, query) => listFeedbackPage(scope, sql, query)),
];

/** `POST /feedback/submit`: stores feedback for the lab. */
async function submitFeedback(input: Input<typeof contract.submitFeedback>, context: WriteContext) {
  const problems = findFeedbackProblems(input.body);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
  const id = context.ids.createUuid();
  const reference = await keepFeedback(getScope(context.principal), context.tx, {
    id,
    user_id: context.principal.userId,
    reference: formatReference(id),
    request: input.body,
    created_at: context.clock.now(),
  });
  return { message: 'Thank you. The lab reads every feedback.', reference };
}

const JSON_BYTES_MAX = 64 * 1024;

function findFeedbackProblems(request: contract.SubmitFeedbackRequest): Problem[] {
  const { title, human_note: note, json_body: json } = request;
  if (isBlank(title) && isBlank(note) && Object.keys(json ?? {}).length === 0) {
    const message = 'must have content, unless title or json_body has some';
    return [{ path: 'human_note', message }];
  }
  const isLarge = Buffer.byteLength(JSON.stringify(json ?? null)) > JSON_BYTES_MAX;
  return isLarge ? [{ path: 'json_body', message: 'is larger than 64 KiB' }] : [];
}

/** The random end of the id; short enough to be read out. */
function formatReference(id: string): string {
  return `FB-${id.slice(-10).toUpperCase()}`;
}

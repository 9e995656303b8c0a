import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listFeedback as operation } from './contract.ts';
import { feedbackFields } from './list-fields.ts';
import { listFeedbackPage } from './store.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/feedback`: lists the feedback of all clients. */
export function listFeedback(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(feedbackFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listFeedbackPage(labScope, context.sql, query);
}

import type { ReadContext } from '#core/context.ts';
import { LiveStream } from '#core/live-stream.ts';
import { Answer, type Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { streamAllUpdates as operation } from './shared-contract.ts';
import { sharedUpdateFields } from './list-fields.ts';
import { getLastUpdateId } from './store.ts';
import { selectAllStreamedUpdates } from './stream-store.ts';
import { LAB_LIST } from '#core/parse-list.ts';
import { openStream } from './open-stream.ts';

/** `GET /lab/updates/stream`: streams the updates of every organization as server-sent events. */
export async function streamAllUpdates(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<Answer> {
  const { follow, ...listed } = input.query;
  const { headers } = input;
  const findLastId = () => getLastUpdateId(labScope, context.sql);
  const request = { headers, query: listed };
  const { query, after } = await openStream(context, sharedUpdateFields, request, {
    findLastId,
    listName: LAB_LIST,
  });
  const stream = new LiveStream({
    key: JSON.stringify([LAB_LIST, query.context.filter]),
    organizationId: context.principal.organizationId,
    readsAll: true,
    after,
    isFollowing: follow !== false,
    read: (range) => selectAllStreamedUpdates(labScope, context.sql, query, range),
  });
  return new Answer(200, stream);
}

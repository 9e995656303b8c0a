import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { FilterError, type ListQuery } from '#core/filter/index.ts';
import { isUuid } from '#core/ids.ts';
import { LiveStream } from '#core/live-stream.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { streamUpdates as operation } from '#domain/updates/contract.ts';
import { updateFields } from '#domain/updates/list-fields.ts';
import { RoundCursors } from '#domain/updates/rounds.ts';
import { getLastUpdateId } from '#domain/updates/store.ts';
import { selectStreamedUpdates } from '#domain/updates/stream-store.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { parseList } from '../lists/parse-list.ts';

/** The transport reads the updates, first those after the id where it begins and then each as it comes. */
export async function streamUpdates(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const { experiment_id: named, follow, ...listed } = input.query;
  const scope = getScope(context.principal);
  await context.feed.settle();
  const cursors = new RoundCursors(context.cursors, await getLastUpdateId(scope, context.sql));
  const query = parseList({ ...context, cursors }, updateFields, listed);
  const experimentId = named === undefined ? null : (await requireExperiment(context, named)).id;
  const stream = new LiveStream({
    key: JSON.stringify([scope.organizationId, experimentId, query.context.filter]),
    organizationId: scope.organizationId,
    after: findStart(query, cursors, input),
    isFollowing: follow !== false,
    read: (range) => selectStreamedUpdates(scope, context.sql, query, { ...range, experimentId }),
  });
  return new Answer(200, stream);
}

/** A client that reconnects sends the last id that it got, whatever the address says. */
function findStart(
  query: ListQuery,
  cursors: RoundCursors,
  { headers, query: given }: Input<typeof operation>,
): string | null {
  const last = headers['last-event-id'] ?? '';
  if (last !== '') {
    if (!isUuid(last))
      throw fail('invalid_query', { reason: 'Last-Event-ID is not the id of an update; leave it out.' });
    return last;
  }
  if (given.cursor === undefined) return null;
  if (query.after !== null) {
    const message = 'is in the middle of a list; read that list to its end and begin with its last "next".';
    throw new FilterError({ code: 'cursor_invalid', path: 'cursor', message });
  }
  return cursors.round.after;
}

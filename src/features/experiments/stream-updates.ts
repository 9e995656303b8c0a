import type { ReadContext } from '#core/context.ts';
import { LiveStream } from '#core/live-stream.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { streamUpdates as operation } from '../updates/contract.ts';
import { updateFields } from '../updates/list-fields.ts';
import { getLastUpdateId } from '../updates/store.ts';
import { selectStreamedUpdates } from '../updates/stream-store.ts';
import { requireExperiment } from './require-experiment.ts';
import { openStream } from '../updates/open-stream.ts';

/**
 * `GET /updates/stream`: streams the updates as server-sent events. The transport reads them, first those after the id
 * where it begins and then each as it comes.
 */
export async function streamUpdates(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const { experiment_id: named, follow, ...listed } = input.query;
  const scope = getScope(context.principal);
  const findLastId = () => getLastUpdateId(scope, context.sql);
  const { headers } = input;
  const { query, after } = await openStream(
    context,
    updateFields,
    { headers, query: listed },
    { findLastId },
  );
  const experimentId = named === undefined ? null : (await requireExperiment(context, named)).id;
  const stream = new LiveStream({
    key: JSON.stringify([scope.organizationId, experimentId, query.context.filter]),
    organizationId: scope.organizationId,
    readsAll: false,
    after,
    isFollowing: follow !== false,
    read: (range) => selectStreamedUpdates(scope, context.sql, query, { ...range, experimentId }),
  });
  return new Answer(200, stream);
}

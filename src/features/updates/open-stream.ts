/** What the streams of several readers share: where they begin, and what they filter. */
import type { ReadContext } from '#core/context.ts';
import { FilterError, type ListFields, type ListQuery, type RawQuery } from '#core/filter/index.ts';
import { isUuid } from '#core/ids.ts';
import { RoundCursors, type FeedSource } from './rounds.ts';
import { parseList } from '#core/parse-list.ts';

/** The part of a request that says where a stream begins and what it contains. */
interface Asked {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: RawQuery;
}

interface Opened {
  readonly query: ListQuery;
  /** The stream begins after the update of this id. */
  readonly after: string;
}

/** Parses the query of a stream, and finds where the stream begins. */
export async function openStream(
  context: ReadContext,
  fields: ListFields,
  { headers, query: listed }: Asked,
  { findLastId, listName }: FeedSource,
): Promise<Opened> {
  refusePaging(listed);
  await context.feed.settle();
  const lastId = await findLastId();
  const cursors = new RoundCursors(context.cursors, lastId);
  const query = parseQuery(context, cursors, fields, listed, listName);
  return { query, after: findStart(headers['last-event-id'], cursors, listed, lastId) };
}

/** Parameters of a list that mean nothing to a stream: without a refusal a client would believe that they count. */
const PAGING = ['sort', 'limit', 'offset'];

function refusePaging(listed: RawQuery): void {
  const path = PAGING.find((name) => Object.hasOwn(listed, name));
  if (path === undefined) return;
  const message =
    'is not a parameter of a stream, which sends every update in the order of the feed; leave it out.';
  throw new FilterError({ code: 'unknown_parameter', path, message });
}

/** A stream follows a list that was read to its end, in whichever order. */
function parseQuery(
  context: ReadContext,
  cursors: RoundCursors,
  fields: ListFields,
  listed: RawQuery,
  listName?: string,
): ListQuery {
  try {
    const query = parseList({ ...context, cursors }, fields, listed, [], listName);
    if (query.after === null) return query;
  } catch (error) {
    if (!(error instanceof FilterError) || error.code !== 'cursor_invalid') throw error;
  }
  const message =
    'is not the last "next" of a list of updates with this filter; read such a list to its end and begin with its last "next".';
  throw new FilterError({ code: 'cursor_invalid', path: 'cursor', message });
}

/** A client that reconnects sends the last id that it got, whatever the address says. */
function findStart(
  eventId: string | undefined,
  cursors: RoundCursors,
  { cursor }: RawQuery,
  lastId: string,
): string {
  if (eventId === undefined || eventId === '') return cursor === undefined ? lastId : cursors.round.after;
  if (!isUuid(eventId))
    throw new FilterError({
      code: 'cursor_invalid',
      path: 'Last-Event-ID',
      message: 'is not the id of an update; leave it out.',
    });
  const last = eventId.toLowerCase();
  // After an id of the future the client would get nothing until the feed has reached it.
  return last > lastId ? lastId : last;
}

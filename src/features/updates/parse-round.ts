/** Parses the query of one page of a feed, and says which round of the feed the page belongs to (`features/updates/rounds.ts`). */
import type { ReadContext } from '#core/context.ts';
import type { ListFields, RawQuery } from '#core/filter/index.ts';
import { RoundCursors } from './rounds.ts';
import type { RoundPage } from './store.ts';
import { parseList } from '#core/parse-list.ts';

export interface FeedSource {
  /** Finds the id of the last update of the feed that is visible now. */
  readonly findLastId: () => Promise<string>;
  /** What tells this feed from others of the organization; absent for the feed of the organization itself. */
  readonly listName?: string;
}

/** A round begins at the cursor, or at the start of the feed, and ends at the last update that is visible now. */
export async function parseRound(
  context: ReadContext,
  fields: ListFields,
  query: RawQuery,
  { findLastId, listName }: FeedSource,
): Promise<RoundPage> {
  await context.feed.settle();
  const cursors = new RoundCursors(context.cursors, await findLastId());
  const parsed = parseList({ ...context, cursors }, fields, query, [], listName);
  return { query: parsed, round: cursors.round, end: cursors.signEnd(parsed.context) };
}

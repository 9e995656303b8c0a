/** Parses the query of a feed: its round begins at the cursor and ends at the last update that is visible now. */
import type { ReadContext } from '#core/context.ts';
import type { ListFields, RawQuery } from '#core/filter/index.ts';
import { RoundCursors } from '#domain/updates/rounds.ts';
import type { RoundPage } from '#domain/updates/store.ts';
import { parseList } from '../lists/parse-list.ts';

export async function parseRound(
  context: ReadContext,
  fields: ListFields,
  query: RawQuery,
  { findLastId, binding }: { readonly findLastId: () => Promise<string>; readonly binding?: string },
): Promise<RoundPage> {
  await context.feed.settle();
  const cursors = new RoundCursors(context.cursors, await findLastId());
  const parsed = parseList({ ...context, cursors }, fields, query, [], binding);
  return { query: parsed, round: cursors.round, end: cursors.signEnd(parsed.context) };
}

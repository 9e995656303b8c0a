/**
 * Cursors of a feed. A reader walks in rounds: a round holds the updates after the end of the round before, up to the
 * last update that was visible when the round began. The last page of a round has a cursor too, which begins the next round, so
 * that a reader in any order meets each update once.
 */
import { FilterError, type CursorSigner, type ListFields, type RawQuery } from '#core/filter/index.ts';
import { isUuid } from '#core/ids.ts';
import { FIRST_ID } from './places.ts';
import type { ReadContext } from '#core/context.ts';
import type { RoundPage } from './store.ts';
import { parseList } from '#core/parse-list.ts';

/** Greater than the id of every update. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The cursor that begins a round belongs to no order: the reader may go on in another one, or by the stream. */
const ANY_ORDER = 'any order';

/** Updates after `after`, up to and including `upTo`. */
export interface Round {
  readonly after: string;
  readonly upTo: string;
}

/** The round of everything that is visible. */
export const wholeFeed: Round = { after: FIRST_ID, upTo: LAST_ID };

type Keys = ReturnType<CursorSigner['open']>;

/** The cursors of one request, which knows its round once the query is parsed. */
export class RoundCursors implements CursorSigner {
  readonly #signer: CursorSigner;
  readonly #lastId: string;
  #round: Round;

  constructor(signer: CursorSigner, lastId: string) {
    this.#signer = signer;
    this.#lastId = lastId;
    this.#round = { after: FIRST_ID, upTo: lastId };
  }

  get round(): Round {
    return this.#round;
  }

  /** Signs the cursor of the next page of the round. */
  sign(context: Parameters<CursorSigner['sign']>[0], keys: Keys): string {
    return this.#signer.sign(context, [...keys, this.#round.after, this.#round.upTo]);
  }

  /** Signs the cursor that begins the next round. */
  signEnd(context: Parameters<CursorSigner['sign']>[0]): string {
    return this.#signer.sign({ ...context, sort: ANY_ORDER }, [this.#round.upTo]);
  }

  open(context: Parameters<CursorSigner['open']>[0], cursor: string): Keys {
    const keys = this.#findEnd(context, cursor) ?? this.#signer.open(context, cursor);
    const last = keys.at(-1);
    const before = keys.length === 1 ? last : keys.at(-2);
    if (!isPlace(last) || !isPlace(before) || keys.length === 2) {
      const message = 'is from an earlier version of this list; start again without a cursor.';
      throw new FilterError({ code: 'cursor_invalid', path: 'cursor', message });
    }
    this.#round = keys.length === 1 ? { after: last, upTo: this.#lastId } : { after: before, upTo: last };
    return keys.slice(0, -2);
  }

  #findEnd(context: Parameters<CursorSigner['open']>[0], cursor: string): Keys | undefined {
    try {
      return this.#signer.open({ ...context, sort: ANY_ORDER }, cursor);
    } catch (error) {
      if (error instanceof FilterError) return undefined;
      throw error;
    }
  }
}

function isPlace(key: string | null | undefined): key is string {
  return typeof key === 'string' && isUuid(key);
}

/** Parses the query of one page of a feed, and says which round of the feed the page belongs to (`features/updates/rounds.ts`). */

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

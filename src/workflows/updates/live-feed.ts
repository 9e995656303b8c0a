/**
 * Tells the open streams of a process what is new. One loop looks at the feed, whoever wrote to it, and only while
 * somebody listens: it works with any number of processes on one database, and needs no messages between them.
 */
import type { Feed } from '#core/context.ts';
import type { LiveEvent, LiveStream } from '#core/live-stream.ts';
import type { Principal } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { DatabaseUnavailableError, type Database } from '#core/sql.ts';
import { selectStandingTokens } from '#domain/tokens/standing-store.ts';
import { getLastUpdateId } from '#domain/updates/store.ts';
import { selectChangedOrganizations } from '#domain/updates/stream-store.ts';
import { createTurns } from './turns.ts';

/** How long an update may wait until the loop sees it. */
const LOOK_EVERY_MS = 200;
const RECHECK_EVERY_MS = 2_000;
const BEAT_EVERY_MS = 15_000;
/** Pages that streams read at once; the others wait, so that requests find a connection. */
const READS_MAX = 3;
const PAGE_EVENTS = 100;

export interface Listener {
  readonly stream: LiveStream;
  readonly principal: Pick<Principal, 'tokenId' | 'organizationId' | 'userId' | 'tokenExpiresAt'>;
  /** Updates up to this id are visible. */
  wake(head: string): void;
  beat(): void;
  /** The credential is no longer valid. */
  end(): void;
}

export interface LiveFeedParts {
  readonly feed: Feed;
  readonly database: Database;
  readonly now: () => Date;
  readonly logError: (error: unknown) => void;
}

export interface LiveFeed {
  readonly size: number;
  /** Counts the open streams of an organization. */
  countOf(organizationId: string): number;
  /** Returns the id of the last visible update, of whichever organization. */
  getHead(): Promise<string>;
  add(listener: Listener): void;
  remove(listener: Listener): void;
  /** Wakes the listener again at the next look, after a failed read. */
  postpone(listener: Listener): void;
  /** Streams that are at the same place share a read. */
  readPage(stream: LiveStream, after: string, upTo: string): Promise<readonly LiveEvent[]>;
  /** Ends every stream. */
  close(): void;
}

export function createLiveFeed(parts: LiveFeedParts): LiveFeed {
  const listeners = new Set<Listener>();
  const counts = new Map<string, number>();
  const pages = new Map<string, Promise<readonly LiveEvent[]>>();
  const behind = new Set<Listener>();
  const takeTurn = createTurns(READS_MAX);
  let head: string | undefined;
  let timers: readonly NodeJS.Timeout[] = [];
  let isLooking = false;

  async function getHead(): Promise<string> {
    await parts.feed.settle();
    return getLastUpdateId(labScope, parts.database.read);
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const found = await getHead();
      await tell(head, found);
      head = found;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) parts.logError(error);
    } finally {
      isLooking = false;
    }
  }

  async function tell(before: string | undefined, found: string): Promise<void> {
    const late = [...behind];
    behind.clear();
    if (found !== before) {
      pages.clear();
      const changed =
        before === undefined
          ? undefined
          : new Set(
              await selectChangedOrganizations(labScope, parts.database.read, { after: before, upTo: found }),
            );
      for (const listener of listeners)
        if (changed === undefined || changed.has(listener.stream.organizationId)) listener.wake(found);
    }
    for (const listener of late) if (listeners.has(listener)) listener.wake(found);
  }

  /** One statement asks for all credentials. */
  async function recheck(): Promise<void> {
    const principals = [
      ...new Map([...listeners].map(({ principal }) => [principal.tokenId, principal])).values(),
    ];
    try {
      const standing = await selectStandingTokens(labScope, parts.database.read, principals);
      const now = parts.now().getTime();
      for (const listener of listeners) {
        const { tokenId, tokenExpiresAt } = listener.principal;
        const isExpired = tokenExpiresAt !== null && Date.parse(tokenExpiresAt) <= now;
        if (isExpired || !standing.has(tokenId)) listener.end();
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) parts.logError(error);
    }
  }

  function start(): void {
    timers = [
      setInterval(() => void look(), LOOK_EVERY_MS),
      setInterval(() => void recheck(), RECHECK_EVERY_MS),
      setInterval(() => listeners.forEach((listener) => listener.beat()), BEAT_EVERY_MS),
    ];
  }

  function stop(): void {
    for (const timer of timers) clearInterval(timer);
    timers = [];
    head = undefined;
    pages.clear();
  }

  function count(organizationId: string, by: number): void {
    const left = (counts.get(organizationId) ?? 0) + by;
    if (left === 0) counts.delete(organizationId);
    else counts.set(organizationId, left);
  }

  return {
    get size() {
      return listeners.size;
    },
    countOf: (organizationId) => counts.get(organizationId) ?? 0,
    getHead,
    add(listener) {
      listeners.add(listener);
      count(listener.stream.organizationId, 1);
      if (listeners.size === 1) start();
      // What the loop saw while the stream was opened.
      if (head !== undefined) listener.wake(head);
    },
    remove(listener) {
      behind.delete(listener);
      if (!listeners.delete(listener)) return;
      count(listener.stream.organizationId, -1);
      if (listeners.size === 0) stop();
    },
    postpone: (listener) => void behind.add(listener),
    readPage(stream, after, upTo) {
      const key = `${stream.key} ${after} ${upTo}`;
      const known = pages.get(key);
      if (known !== undefined) return known;
      const page = takeTurn(() => stream.read({ after, upTo, limit: PAGE_EVENTS }));
      pages.set(key, page);
      page.catch(() => pages.delete(key));
      return page;
    },
    close() {
      for (const listener of [...listeners]) listener.end();
      stop();
    },
  };
}

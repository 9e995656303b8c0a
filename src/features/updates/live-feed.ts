/**
 * Tells the open streams of a process what is new. One loop looks at the feed, whoever wrote to it, and only while
 * somebody listens: it works with any number of processes on one database, and needs no messages between them.
 */
import type { Feed } from '#core/context.ts';
import type { LiveEvent, LiveStream } from '#core/live-stream.ts';
import { computePermissions, STAFF_PERMISSION } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { DatabaseUnavailableError, type Database } from '#core/sql.ts';
import { selectStandingTokens, type Standing } from '../tokens/store.ts';
import { getLastUpdateId, selectChangedOrganizations } from './store.ts';
import { LabChanges, type LabChange } from './lab-changes.ts';

/** How often the loop looks for updates. */
const LOOK_EVERY_MS = 200;
/** How often the loop looks for changes of the lab about which there is no update. */
const LOOK_AT_LAB_EVERY_MS = 500;
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
  /** Staff changed something. */
  tellChange(change: LabChange): void;
  /** Shows the client that the stream still goes. */
  sendBeat(): void;
  /** The credential is no longer valid, or the service stops. */
  close(): void;
}

export interface LiveFeedParts {
  readonly feed: Feed;
  readonly database: Pick<Database, 'read'>;
  readonly now: () => Date;
  readonly logError: (error: unknown) => void;
  /** The operations that change what the lab shows, each with the word for what it changes. */
  readonly labOperations: ReadonlyMap<string, string>;
}

export class LiveFeed {
  readonly #parts: LiveFeedParts;
  readonly #listeners = new Set<Listener>();
  /** Open streams by organization. */
  readonly #counts = new Map<string, number>();
  readonly #pages = new Map<string, Promise<readonly LiveEvent[]>>();
  readonly #behind = new Set<Listener>();
  readonly #takeTurn = createTurns(READS_MAX);
  #head: string | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #isLooking = false;
  readonly #changes: LabChanges;
  /** Readers of every organization that were not told yet what happened while they came. */
  readonly #newcomers = new Set<Listener>();
  #isLookingAtLab = false;

  constructor(parts: LiveFeedParts) {
    this.#parts = parts;
    const { database, now, labOperations } = parts;
    this.#changes = new LabChanges({ sql: database.read, now, operations: labOperations });
  }

  /** The number of open streams. */
  get size(): number {
    return this.#listeners.size;
  }

  countStreams(organizationId: string): number {
    return this.#counts.get(organizationId) ?? 0;
  }

  /** Returns the id of the last visible update, of whichever organization. */
  async getHead(): Promise<string> {
    await this.#parts.feed.settle();
    return getLastUpdateId(labScope, this.#parts.database.read);
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (listener.stream.readsAll) this.#newcomers.add(listener);
    this.#count(listener, 1);
    if (this.size === 1) this.#start();
    // What the loop saw while the stream was opened.
    if (this.#head !== undefined) listener.wake(this.#head);
  }

  remove(listener: Listener): void {
    this.#behind.delete(listener);
    this.#newcomers.delete(listener);
    if (!this.#listeners.delete(listener)) return;
    this.#count(listener, -1);
    if (this.size === 0) this.#stop();
  }

  /** Wakes the listener again at the next look, after a failed read. */
  postpone(listener: Listener): void {
    this.#behind.add(listener);
  }

  /** Streams that are at the same place share a read. */
  readPage(stream: LiveStream, after: string, upTo: string): Promise<readonly LiveEvent[]> {
    const key = `${stream.key} ${after} ${upTo}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const page = this.#takeTurn(() => stream.read({ after, upTo, limit: PAGE_EVENTS }));
    if (stream.isFollowing) this.#pages.set(key, page);
    page.catch(() => this.#pages.delete(key));
    return page;
  }

  /** Ends every stream. */
  close(): void {
    // A listener that closes leaves the set.
    const open = Array.from(this.#listeners);
    for (const listener of open) listener.close();
    this.#stop();
  }

  #count({ stream: { organizationId } }: Listener, by: number): void {
    const left = this.countStreams(organizationId) + by;
    if (left === 0) this.#counts.delete(organizationId);
    else this.#counts.set(organizationId, left);
  }

  #start(): void {
    const sendBeats = (): void => this.#listeners.forEach((listener) => listener.sendBeat());
    this.#timers = [
      setInterval(() => void this.#attempt(() => this.#look()), LOOK_EVERY_MS),
      setInterval(() => void this.#attempt(() => this.#lookAtLab()), LOOK_AT_LAB_EVERY_MS),
      setInterval(() => void this.#attempt(() => this.#checkCredentials()), RECHECK_EVERY_MS),
      setInterval(sendBeats, BEAT_EVERY_MS),
    ];
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#head = undefined;
    this.#pages.clear();
  }

  /** While the database is away the streams stay open. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) this.#parts.logError(error);
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const head = await this.getHead();
      const changed = await this.#findChanged(head);
      const late = [...this.#behind];
      this.#behind.clear();
      // All have left meanwhile.
      if (this.size === 0) return;
      if (head !== this.#head) this.#pages.clear();
      this.#head = head;
      for (const listener of this.#listeners) if (hasChangedFor(listener, changed)) listener.wake(head);
      for (const listener of late) if (this.#listeners.has(listener)) listener.wake(head);
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAtLab(): Promise<void> {
    const staff = [...this.#listeners].filter(({ stream }) => stream.readsAll);
    if (staff.length === 0 || this.#isLookingAtLab) return;
    this.#isLookingAtLab = true;
    try {
      const { fresh, recent } = await this.#changes.look();
      for (const listener of staff)
        for (const change of this.#newcomers.delete(listener) ? recent : fresh) listener.tellChange(change);
    } finally {
      this.#isLookingAtLab = false;
    }
  }

  /** Finds the organizations with updates since the last look; the first look does not know. */
  async #findChanged(head: string): Promise<Changed> {
    const after = this.#head;
    if (after === undefined) return 'all';
    if (after === head) return new Set();
    const range = { after, upTo: head };
    return new Set(await selectChangedOrganizations(labScope, this.#parts.database.read, range));
  }

  /** One statement asks for all credentials. */
  async #checkCredentials(): Promise<void> {
    const principals = new Map([...this.#listeners].map(({ principal }) => [principal.tokenId, principal]));
    const standing = await selectStandingTokens(labScope, this.#parts.database.read, [
      ...principals.values(),
    ]);
    const now = this.#parts.now().getTime();
    for (const listener of this.#listeners) {
      const { tokenId, tokenExpiresAt } = listener.principal;
      // A stream that was opened meanwhile was not asked for.
      if (!principals.has(tokenId)) continue;
      const isExpired = tokenExpiresAt !== null && Date.parse(tokenExpiresAt) <= now;
      const stands = standing.get(tokenId);
      if (isExpired || stands === undefined || !mayRead(listener.stream, stands)) listener.close();
    }
  }
}

/** The token had the permission when the stream was opened; what its holder is may have changed since. */
function mayRead({ readsAll }: LiveStream, { role, staffRoles }: Standing): boolean {
  return computePermissions(role, role, staffRoles, false).has(readsAll ? STAFF_PERMISSION : 'update:list');
}

type Changed = ReadonlySet<string> | 'all';

function hasChangedFor({ stream }: Listener, changed: Changed): boolean {
  if (changed === 'all') return true;
  return stream.readsAll ? changed.size > 0 : changed.has(stream.organizationId);
}

/** Lets so many pieces of work run at once; the others wait for their turn. */
function createTurns(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The turn goes to the next in the queue without being given back.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

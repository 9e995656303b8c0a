/** Server-sent events: one open answer per stream, in the form of the HTML standard (§9.2). */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import type { LiveEvent, LiveStream } from '#core/live-stream.ts';
import type { Principal } from '#core/principal.ts';
import type { LabChange } from './lab-changes.ts';
import type { LiveFeed, Listener } from './live-feed.ts';

const STREAMS_MAX = 4_000;
/** So that one organization cannot have all of them. */
const ORGANIZATION_STREAMS_MAX = 2_000;
/** A client that reads nothing for so long is cut; it resumes where it was. */
const BLOCKED_MS_MAX = 30_000;
const END_MS_MAX = 2_000;
const RECONNECT_MS = 2_000;
const RETRY_AFTER_S = 30;

const EVENT_STREAM_MEDIA = 'text/event-stream';

interface Asked {
  readonly stream: LiveStream;
  readonly principal: Principal;
  /** Only changes of the lab about one of these are told; every one unless given. */
  readonly about?: ReadonlySet<string> | undefined;
}

/** Answers with the events of the stream, until the client leaves or may no longer listen. */
export async function sendStream(
  feed: LiveFeed,
  request: FastifyRequest,
  reply: FastifyReply,
  subscription: Asked,
): Promise<FastifyReply> {
  const { stream } = subscription;
  refuseTooMany(feed, stream);
  const head = await feed.getHead();
  reply
    .header('content-type', `${EVENT_STREAM_MEDIA}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    // No other request follows on this connection, so that the end of the stream is its end.
    .header('connection', 'close');
  reply.hijack();
  const { raw } = reply;
  if (request.method === 'HEAD') {
    // Node says this by itself only where a body follows.
    raw.writeHead(200, { ...toPlainHeaders(reply), 'transfer-encoding': 'chunked' }).end();
    return reply;
  }
  raw.writeHead(200, toPlainHeaders(reply));
  // The client holds a place from the beginning, so that a broken connection loses nothing.
  raw.write(`retry: ${RECONNECT_MS}\nid: ${stream.after}\n\n`);
  const open = new OpenStream(feed, raw, subscription);
  if (stream.isFollowing) feed.add(open);
  open.wake(head);
  return reply;
}

function refuseTooMany(feed: LiveFeed, { organizationId }: LiveStream): void {
  if (feed.countStreams(organizationId) >= ORGANIZATION_STREAMS_MAX)
    throw fail('rate_limited', { retry_after: RETRY_AFTER_S });
  if (feed.size >= STREAMS_MAX)
    throw fail('overloaded', {}, { headers: { 'retry-after': String(RETRY_AFTER_S) } });
}

function toPlainHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}

class OpenStream implements Listener {
  readonly stream: LiveStream;
  readonly principal: Listener['principal'];
  readonly #feed: LiveFeed;
  readonly #raw: ServerResponse;
  readonly #about: ReadonlySet<string> | undefined;
  /** The client has everything up to this id, which may be that of an update of another organization. */
  #after: string;
  /** The last id that the client knows: where it began, or that of the last update it got. */
  #lastSentId: string;
  #head: string;
  #isSending = false;
  #isOpen = true;

  constructor(feed: LiveFeed, raw: ServerResponse, { stream, principal, about }: Asked) {
    const { tokenId, organizationId, userId, tokenExpiresAt } = principal;
    this.stream = stream;
    this.#about = about;
    this.principal = { tokenId, organizationId, userId, tokenExpiresAt };
    this.#feed = feed;
    this.#raw = raw;
    this.#after = stream.after;
    this.#lastSentId = stream.after;
    this.#head = stream.after;
    raw.on('error', () => undefined);
    raw.once('close', () => this.#leave());
  }

  wake(head: string): void {
    if (head > this.#head) this.#head = head;
    if (this.#isSending || !this.#isOpen) return;
    if (this.#head <= this.#after) {
      this.#closeIfDone();
      return;
    }
    this.#isSending = true;
    void this.#sendAll();
  }

  /** Without an id, so that a client that comes back goes on after the last update. */
  tellChange({ text, about }: LabChange): void {
    const subjects = this.#about;
    if (subjects !== undefined && !about.some((word) => subjects.has(word))) return;
    if (this.#isOpen && !this.#raw.writableNeedDrain)
      this.#raw.write(`event: lab_changed\ndata: ${text}\n\n`);
  }

  sendBeat(): void {
    if (this.#isOpen && !this.#raw.writableNeedDrain) this.#raw.write(`id: ${this.#lastSentId}\n\n`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#leave();
    this.#raw.end();
    // A client that does not read would keep the connection.
    setTimeout(() => this.#raw.destroy(), END_MS_MAX).unref();
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#isOpen && this.#after < this.#head) await this.#sendPage(this.#head);
    } catch {
      this.#feed.postpone(this);
      if (!this.stream.isFollowing) this.close();
    } finally {
      this.#isSending = false;
    }
    this.#closeIfDone();
  }

  async #sendPage(upTo: string): Promise<void> {
    const events = await this.#feed.readPage(this.stream, this.#after, upTo);
    const last = events.at(-1);
    this.#after = last?.id ?? upTo;
    if (!this.#isOpen || last === undefined) return;
    this.#lastSentId = last.id;
    if (!this.#raw.write(events.map((event) => writeEvent(event)).join(''))) await this.#waitForDrain();
  }

  #waitForDrain(): Promise<void> {
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.#raw.destroy(), BLOCKED_MS_MAX);
      const stopWaiting = (): void => {
        clearTimeout(limit);
        this.#raw.off('drain', stopWaiting).off('close', stopWaiting);
        resolve();
      };
      this.#raw.once('drain', stopWaiting).once('close', stopWaiting);
    });
  }

  #closeIfDone(): void {
    if (!this.stream.isFollowing && this.#isOpen && this.#after >= this.#head) this.close();
  }

  #leave(): void {
    this.#isOpen = false;
    this.#feed.remove(this);
  }
}

/** JSON has no line break, so that an event is one line of data. */
function writeEvent({ id, text }: LiveEvent): string {
  return `id: ${id}\ndata: ${text}\n\n`;
}

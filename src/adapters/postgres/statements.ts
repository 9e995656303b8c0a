/** Names for prepared statements: few enough, however many different texts clients make the service send. */
import { createHash } from 'node:crypto';

/** Texts that are remembered; the one that was used longest ago is forgotten first. */
const REMEMBERED_TEXTS = 1_000;
/** A text this long is cheap to parse beside what it asks, and dear to keep in every connection. */
const LONGEST_NAMED = 8_192;
/** Names prepared in one connection, after which it is to be replaced by a new one: the server never forgets them. */
const NAMES_PER_CONNECTION = 500;

/** Gives a text its name from its second use on, so that what is asked once is never kept. */
export class StatementNames {
  readonly #uses = new Map<string, string | undefined>();

  /** The name, always the same for a text and never that of another; undefined where it should run unprepared. */
  nameOf(text: string): string | undefined {
    if (text.length > LONGEST_NAMED) return undefined;
    const isKnown = this.#uses.has(text);
    const name = isKnown ? (this.#uses.get(text) ?? nameFor(text)) : undefined;
    this.#uses.delete(text);
    this.#uses.set(text, name);
    if (this.#uses.size > REMEMBERED_TEXTS) {
      const oldest = this.#uses.keys().next();
      if (oldest.done !== true) this.#uses.delete(oldest.value);
    }
    return name;
  }
}

function nameFor(text: string): string {
  return `s_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** Which names each connection has prepared. */
export class PreparedNames<Connection extends object> {
  readonly #names = new WeakMap<Connection, Set<string>>();

  add(connection: Connection, name: string): void {
    const names = this.#names.get(connection);
    if (names === undefined) this.#names.set(connection, new Set([name]));
    else names.add(name);
  }

  /** Whether the connection holds so many that it should be closed at its next return to the pool. */
  isFull(connection: Connection): boolean {
    return (this.#names.get(connection)?.size ?? 0) >= NAMES_PER_CONNECTION;
  }
}

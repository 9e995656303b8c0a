/** Names for prepared statements. Their number is limited, however many different texts clients cause. */
import { createHash } from 'node:crypto';

/** Number of remembered texts; the one used least recently is dropped first. */
const REMEMBERED_TEXTS = 1_000;
/**
 * For a longer text, parsing is cheap compared with its execution, and keeping it in every connection is expensive.
 */
const LONGEST_NAMED = 8_192;
/** Names prepared in one connection, after which the connection is replaced, because the server never drops them. */
const NAMES_PER_CONNECTION = 500;

/** Names a text from its second use on, so that a text used once is never kept. */
export class StatementNames {
  readonly #uses = new Map<string, string | undefined>();

  /** The name, unique for a text and always the same; undefined where the text should run unprepared. */
  getName(text: string): string | undefined {
    if (text.length > LONGEST_NAMED) return undefined;
    const isKnown = this.#uses.has(text);
    const name = isKnown ? (this.#uses.get(text) ?? createStatementName(text)) : undefined;
    this.#uses.delete(text);
    this.#uses.set(text, name);
    if (this.#uses.size > REMEMBERED_TEXTS) {
      const oldest = this.#uses.keys().next();
      if (oldest.done !== true) this.#uses.delete(oldest.value);
    }
    return name;
  }
}

function createStatementName(text: string): string {
  return `s_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** Records the names that each connection has prepared. */
export class PreparedNames<Connection extends object> {
  readonly #names = new WeakMap<Connection, Set<string>>();

  add(connection: Connection, name: string): void {
    const names = this.#names.get(connection);
    if (names === undefined) this.#names.set(connection, new Set([name]));
    else names.add(name);
  }

  /** Whether the connection has so many names that it should be closed at its next return to the pool. */
  isFull(connection: Connection): boolean {
    return (this.#names.get(connection)?.size ?? 0) >= NAMES_PER_CONNECTION;
  }
}

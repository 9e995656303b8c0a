/** Names for prepared statements. */
import { createHash } from 'node:crypto';

/** Every prepared statement costs memory in every connection: texts beyond this many run unprepared. */
const MAX_PREPARED_TEXTS = 1_000;

/** Gives each statement text the name under which it is prepared once per connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** The name, always the same for a text; undefined when too many different texts have been seen. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_PREPARED_TEXTS) return undefined;
    const name = `s_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return name;
  }
}

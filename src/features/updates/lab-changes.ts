/**
 * Finds what staff changed, also where no update tells it: materials of which some arrived, a note, a plan. The audit
 * trail has it all, whichever process wrote it.
 */
import { addMs } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectRecentChanges, type RecentChange } from '../audit/store.ts';

/** Longer than a change needs from its entry in the trail to its commit. */
const WINDOW_MS = 60_000;
/** A page was read before its stream began, perhaps by a process with another clock. */
const OPENED_WITHIN_MS = 5_000;
const CHANGES_MAX = 100;

export interface LabChangesParts {
  readonly sql: Sql;
  readonly now: () => Date;
  /** The operations that change what the lab shows, each with the word for what it changes: `runs`. */
  readonly operations: ReadonlyMap<string, string>;
}

export interface LabChange {
  /** As JSON. */
  readonly text: string;
  /** What it is about: the word for what it changes, ids and codes. */
  readonly about: readonly string[];
}

export class LabChanges {
  readonly #parts: LabChangesParts;
  #known: ReadonlySet<string> = new Set();

  constructor(parts: LabChangesParts) {
    this.#parts = parts;
  }

  /** Returns what is new since the last look, and for who has just come what happened in the last seconds. */
  async look(): Promise<{ readonly fresh: readonly LabChange[]; readonly recent: readonly LabChange[] }> {
    const { sql, now, operations } = this.#parts;
    const at = now();
    const since = addMs(at, -WINDOW_MS);
    const changes = await selectRecentChanges(labScope, sql, {
      operations: [...operations.keys()],
      since,
      limit: CHANGES_MAX,
    });
    const write = (change: RecentChange): LabChange => writeChange(change, operations);
    const known = this.#known;
    this.#known = new Set(changes.map(({ id }) => id));
    const openedMs = at.getTime() - OPENED_WITHIN_MS;
    return {
      fresh: changes.filter(({ id }) => !known.has(id)).map((change) => write(change)),
      recent: changes
        .filter(({ created_at: created }) => Date.parse(created) >= openedMs)
        .map((change) => write(change)),
    };
  }
}

function writeChange(change: RecentChange, operations: ReadonlyMap<string, string>): LabChange {
  const { operation_id: operation, created_at: timestamp, subject, experiments } = change;
  const words = [operations.get(operation), subject].filter((word) => typeof word === 'string');
  return { text: JSON.stringify({ operation, timestamp }), about: [...words, ...experiments] };
}

/**
 * Finds what staff changed, also where no update tells it: materials of which some arrived, a note, a plan. The audit
 * trail has it all, whichever process wrote it.
 */
import { addMs } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectRecentChanges, type RecentChange } from '#domain/audit/recent-store.ts';

/** Longer than a change needs from its entry in the trail to its commit. */
const WINDOW_MS = 60_000;
/** A page was read before its stream began, perhaps by a process with another clock. */
const OPENED_WITHIN_MS = 5_000;
const CHANGES_MAX = 100;

export interface LabChangesParts {
  readonly sql: Sql;
  readonly now: () => Date;
  /** Ids of the operations with which staff change something. */
  readonly operations: readonly string[];
}

export class LabChanges {
  readonly #parts: LabChangesParts;
  #known: ReadonlySet<string> = new Set();

  constructor(parts: LabChangesParts) {
    this.#parts = parts;
  }

  /** Returns what is new since the last look, and for who has just come what happened in the last seconds. */
  async look(): Promise<{ readonly fresh: readonly string[]; readonly recent: readonly string[] }> {
    const { sql, now, operations } = this.#parts;
    const at = now();
    const since = addMs(at, -WINDOW_MS);
    const changes = await selectRecentChanges(labScope, sql, { operations, since, limit: CHANGES_MAX });
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

function write({ operation_id: operation, created_at: timestamp }: RecentChange): string {
  return JSON.stringify({ operation, timestamp });
}

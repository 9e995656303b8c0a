/**
 * The queue of objects at outside processors. Quotes and invoices each have a table with one row per quote or invoice
 * of ours; `next_at` says when it is next due. A worker records its attempt there before it asks the processor.
 */
import { getFirst, type Sql } from '#core/sql.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';

export interface Queue {
  readonly table: 'processor_quotes' | 'processor_invoices';
  /** The column with our id. */
  readonly key: 'quote_id' | 'invoice_id';
  /** Columns that a read returns. */
  readonly columns: readonly string[];
  /** Condition that is true while work on a row is still possible. */
  readonly isOpen: string;
}

export interface Due {
  readonly now: Date;
  readonly limit: number;
  /** Only these processors can be asked now; rows of others wait. */
  readonly processors: readonly string[];
}

export interface Claim {
  readonly now: Date;
  /** The claim ends at this time; until then no other process can claim the row. */
  readonly until: Date;
  readonly processors: readonly string[];
}

export interface Retry {
  readonly nextAt: Date;
  readonly error: string;
  readonly at: Date;
}

export function createProcessorQueue<Row>({ table, key, columns, isOpen }: Queue) {
  const OWN = `($1::uuid is null or organization_id = $1) and ${key} = $2`;
  const claimed = columns.map((name) => (name === 'attempted_at' ? `old.before as ${name}` : `p.${name}`));

  return {
    find: async (scope: Scope, sql: Sql, id: string): Promise<Row | undefined> => {
      const text = `select ${columns.join(', ')} from ${table} where ${OWN}`;
      return getFirst(await sql.query<Row>(text, [getOrganizationId(scope), id]));
    },

    /** Ids of rows that are due, the longest due first. */
    due: async (scope: Scope, sql: Sql, { now, limit, processors }: Due): Promise<string[]> => {
      const rows = await sql.query<{ id: string }>(
        `select ${key} as id from ${table}
         where ($1::uuid is null or organization_id = $1) and next_at <= $2 and processor = any($4)
         order by next_at limit $3`,
        [getOrganizationId(scope), now, limit, processors],
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Claims a due row and records the attempt before the processor is asked. Returns undefined when another process
     * has it. The returned row is the one before the claim: `attempted_at` is null at the first attempt.
     */
    claim: async (scope: Scope, sql: Sql, id: string, claim: Claim): Promise<Row | undefined> => {
      return getFirst(
        await sql.query<Row>(
          `update ${table} p set attempts = p.attempts + 1, attempted_at = coalesce(p.attempted_at, $3),
             next_at = $4, updated_at = $3
           from (select ${key}, attempted_at as before from ${table} where ${key} = $2 for update) old
           where ($1::uuid is null or p.organization_id = $1) and p.${key} = old.${key} and p.next_at <= $3
             and p.processor = any($5)
           returning ${claimed.join(', ')}`,
          [getOrganizationId(scope), id, claim.now, claim.until, claim.processors],
        ),
      );
    },

    /**
     * Makes the row due now, because its quote or invoice has changed. Returns false when no processor has it or its
     * outcome is final.
     */
    makeDue: async (scope: Scope, sql: Sql, id: string, at: Date): Promise<boolean> => {
      const rows = await sql.query<{ id: string }>(
        `update ${table} set next_at = least(coalesce(next_at, $3), $3) where ${OWN} and ${isOpen}
         returning ${key} as id`,
        [getOrganizationId(scope), id, at],
      );
      return rows.length > 0;
    },

    /** Schedules another attempt after one that brought no result. */
    postpone: async (scope: Scope, sql: Sql, id: string, retry: Retry): Promise<void> => {
      await sql.query(`update ${table} set next_at = $3, last_error = $4, updated_at = $5 where ${OWN}`, [
        getOrganizationId(scope),
        id,
        retry.nextAt,
        retry.error,
        retry.at,
      ]);
    },
  };
}

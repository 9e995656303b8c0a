/**
 * What a processor holds beside us waits in a table of its own for the next time that something is to be done about it.
 * Quotes and invoices wait in the same way: one row for each of ours, `next_at` says when, and whoever attends to one
 * has written the attempt down before the processor is asked.
 */
import { first, type Sql } from '#core/sql.ts';
import { organizationOf, type Scope } from '#core/scope.ts';

export interface Queue {
  readonly table: 'processor_quotes' | 'processor_invoices';
  /** The column of our id. */
  readonly key: 'quote_id' | 'invoice_id';
  /** Of a row as it is read. */
  readonly columns: readonly string[];
  /** While this holds, something may still be done about a row. */
  readonly isOpen: string;
}

export interface Due {
  readonly now: Date;
  readonly limit: number;
  /** Those of other processors wait until their processor can be asked again. */
  readonly processors: readonly string[];
}

export interface Claim {
  readonly now: Date;
  /** Until then nobody else takes it. */
  readonly until: Date;
  readonly processors: readonly string[];
}

export interface Retry {
  readonly nextAt: Date;
  readonly error: string;
  readonly at: Date;
}

export function processorQueue<Row>({ table, key, columns, isOpen }: Queue) {
  const OWN = `($1::uuid is null or organization_id = $1) and ${key} = $2`;
  const claimed = columns.map((name) => (name === 'attempted_at' ? `old.before as ${name}` : `p.${name}`));

  return {
    find: async (scope: Scope, sql: Sql, id: string): Promise<Row | undefined> => {
      const text = `select ${columns.join(', ')} from ${table} where ${OWN}`;
      return first(await sql.query<Row>(text, [organizationOf(scope), id]));
    },

    /** Ids of those whose time has come, the longest due first. */
    due: async (scope: Scope, sql: Sql, { now, limit, processors }: Due): Promise<string[]> => {
      const rows = await sql.query<{ id: string }>(
        `select ${key} as id from ${table}
         where ($1::uuid is null or organization_id = $1) and next_at <= $2 and processor = any($4)
         order by next_at limit $3`,
        [organizationOf(scope), now, limit, processors],
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Takes one that is due, and writes the attempt down before anything is asked of the processor. Undefined when
     * another has it. The row tells of the time before: `attempted_at` is null at the first attempt.
     */
    claim: async (scope: Scope, sql: Sql, id: string, claim: Claim): Promise<Row | undefined> => {
      return first(
        await sql.query<Row>(
          `update ${table} p set attempts = p.attempts + 1, attempted_at = coalesce(p.attempted_at, $3),
             next_at = $4, updated_at = $3
           from (select ${key}, attempted_at as before from ${table} where ${key} = $2 for update) old
           where ($1::uuid is null or p.organization_id = $1) and p.${key} = old.${key} and p.next_at <= $3
             and p.processor = any($5)
           returning ${claimed.join(', ')}`,
          [organizationOf(scope), id, claim.now, claim.until, claim.processors],
        ),
      );
    },

    /** Something about it has changed: it is next. False when no processor has it, or what became of it is final. */
    hasten: async (scope: Scope, sql: Sql, id: string, at: Date): Promise<boolean> => {
      const rows = await sql.query<{ id: string }>(
        `update ${table} set next_at = least(coalesce(next_at, $3), $3) where ${OWN} and ${isOpen}
         returning ${key} as id`,
        [organizationOf(scope), id, at],
      );
      return rows.length > 0;
    },

    /** Nothing was learned: it is tried again later. */
    postpone: async (scope: Scope, sql: Sql, id: string, retry: Retry): Promise<void> => {
      await sql.query(`update ${table} set next_at = $3, last_error = $4, updated_at = $5 where ${OWN}`, [
        organizationOf(scope),
        id,
        retry.nextAt,
        retry.error,
        retry.at,
      ]);
    },
  };
}

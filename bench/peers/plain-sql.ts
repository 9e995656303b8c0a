/** The database port straight over `pg`: prepared statements by name, and nothing around them. */
import pg from 'pg';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import { createTypeParsers } from '#adapters/postgres/types.ts';
import type { Sql } from '#core/sql.ts';

const names = new Map<string, string>();

function getName(text: string): string {
  const name = names.get(text) ?? `plain_${names.size}`;
  names.set(text, name);
  return name;
}

export function createPlainPool(connection: ServerConnection, max: number): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max,
    options: '-c TimeZone=UTC -c DateStyle=ISO',
    types: createTypeParsers(),
  });
  // A connection that is lost while a statement runs fails that statement; one that is idle is not missed.
  pool.on('error', () => undefined);
  return pool;
}

export function createPlainSql(client: pg.Pool | pg.ClientBase): Sql {
  return {
    async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      const query = { name: getName(text), text, values: [...values] };
      const result: pg.QueryResult = await client.query(query);
      return result.rows;
    },
  };
}

export async function runPlainTransaction<T>(pool: pg.Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(createPlainSql(client));
    await client.query('commit');
    return result;
  } finally {
    client.release();
  }
}

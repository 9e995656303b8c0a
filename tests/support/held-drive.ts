/** Holds a payment attempt at the moment when it is recorded and nobody has worked on it. */
import assert from 'node:assert/strict';
import type { Database } from '#core/sql.ts';

const WAIT_MS_MAX = 60_000;
/** Advisory locks: the first has it, and waits for the second. */
const [FIRST, HELD] = [7, 8];

/**
 * Stops whoever `begin` makes the first to work on an attempt between its record and its lease, while all others pass,
 * until `during` has ended. Answers what `begin` answers.
 */
export async function holdFirstDrive<Answer>(
  database: Database,
  begin: () => Promise<Answer>,
  during: () => Promise<void>,
): Promise<Answer> {
  const { read } = database;
  await read.query(`create function hold_first_drive() returns trigger language plpgsql as $$ begin
    if pg_try_advisory_xact_lock(${FIRST}) then perform pg_advisory_xact_lock(${HELD}); end if;
    return null; end $$`);
  await read.query(`create trigger hold_first_drive before update on payment_attempts
    for each statement execute function hold_first_drive()`);
  const begun = await database.runTransaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(${HELD})`);
    const answer = begin();
    await waitForHeld(database);
    await during();
    return { answer };
  });
  const answer = await begun.answer;
  await read.query('drop function hold_first_drive cascade');
  return answer;
}

async function waitForHeld({ read }: Database): Promise<void> {
  const held = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  const deadline = performance.now() + WAIT_MS_MAX;
  while ((await read.query(held)).length === 0)
    assert.ok(performance.now() < deadline, 'nobody works on an attempt');
}

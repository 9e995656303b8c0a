/** The text and values of the statement that a store function sends. */
import type { Sql } from '#core/sql.ts';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs a store function against a database that answers nothing, and returns the first statement it sent. */
export async function recordStatement(send: (recording: Sql) => Promise<unknown>): Promise<Statement> {
  const statements: Statement[] = [];
  await send({
    query(text, values = []) {
      statements.push({ text, values });
      return Promise.resolve([]);
    },
  });
  const [first] = statements;
  if (first === undefined) throw new Error('the store function sent no statement');
  return first;
}

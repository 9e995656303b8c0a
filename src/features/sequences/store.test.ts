import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { insertSequences } from './store.ts';

/** Values of one statement. */
type Values = readonly unknown[];

/** Columns by their place among the values. */
const ORDINALS = 0;
const IDS = 1;
const RESIDUES = 3;

async function collectStatements(aaStrings: readonly string[]): Promise<Values[]> {
  const statements: Values[] = [];
  const sql: Sql = {
    query: (_text, values = []) => {
      statements.push(values);
      return Promise.resolve([]);
    },
  };
  const sequences = aaStrings.map((aaString, index) => ({
    name: `design-${index + 1}`,
    aaString,
    length: aaString.length,
    isControl: false,
    metadata: null,
  }));
  const place = { experiment_id: 'e', first_ordinal: 3, created_at: new Date(0) };
  const ids = aaStrings.map((_, index) => `id-${index}`);
  await insertSequences(createOrganizationScope('o'), sql, place, sequences, ids);
  return statements;
}

const join = (statements: readonly Values[], column: number): unknown[] =>
  statements.flatMap((values) => values[column]);

test('insert sequences: 2,500 short ones → statements of at most 1,000 rows, with ordinals and ids in order', async () => {
  const statements = await collectStatements(Array.from({ length: 2_500 }, () => 'ACDE'));
  assert.deepEqual(
    statements.map((values) => [values[IDS]].flat().length),
    [1_000, 1_000, 500],
  );
  assert.deepEqual(
    join(statements, ORDINALS),
    Array.from({ length: 2_500 }, (_, index) => index + 3),
  );
  assert.deepEqual(
    join(statements, IDS),
    Array.from({ length: 2_500 }, (_, index) => `id-${index}`),
  );
});

test('insert sequences: long ones → a statement ends with the sequence that fills 250,000 letters', async () => {
  const long = 'A'.repeat(100_000);
  const statements = await collectStatements([long, long, long, long]);
  assert.deepEqual(
    statements.map((values) => [values[RESIDUES]].flat().length),
    [3, 1],
  );
});

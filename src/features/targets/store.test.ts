import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '#core/sql.ts';
import { hasTargets } from './store.ts';

/** A catalog of two entries, which gives a row for each that is asked for. */
const sql: Sql = {
  query: <Row>(_text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    const [asked] = values;
    const rows = ['one', 'two'].filter((id) => Array.isArray(asked) && asked.includes(id));
    return Promise.resolve(rows.map((id) => JSON.parse(JSON.stringify({ id }))));
  },
};

test('catalog: every id is there, one named twice, none is asked for → has them; one is unknown → has not', async () => {
  assert.equal(await hasTargets(sql, ['one', 'two']), true);
  assert.equal(await hasTargets(sql, ['one', 'one']), true);
  assert.equal(await hasTargets(sql, []), true);
  assert.equal(await hasTargets(sql, ['one', 'three']), false);
});

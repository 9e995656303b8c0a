/** The check of the ledger reads the balances of all invoices once, so that it ends in a lab with many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { testDatabase } from '#testing/database.ts';

const { database } = await testDatabase();

test('ledger check: the plan of its statement → no scan of every balance for each invoice', async () => {
  const texts: string[] = [];
  const recorder = {
    query: <Row>(text: string) => {
      texts.push(text);
      return Promise.resolve<Row[]>([]);
    },
  };
  await checkLedger(labScope, recorder);
  const [text = ''] = texts;
  const lines = await database.runTransaction((tx) => tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`));
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  assert.match(plan, /CTE Scan on books/);
  // One scan for each invoice is a scan of a part that the statement keeps.
  assert.doesNotMatch(plan, /CTE Scan on balances/);
});

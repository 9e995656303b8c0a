/** What every request asks about its token costs the same, however many tokens there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectTokenStanding } from '#features/tokens/store.ts';
import { testService } from '#testing/service.ts';

const { service } = await testService();
const { read } = service.database;

/** How PostgreSQL would run the statement of a question, without statistics of the tables. */
async function explainStatement(question: (sql: Sql) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  await question({
    query: async (text, values) => {
      const lines = await read.query<Readonly<Record<string, string>>>(`explain ${text}`, values);
      plans.push(lines.flatMap((line) => Object.values(line)).join('\n'));
      return [];
    },
  });
  return plans.join('\n');
}

test('authentication: the tables have no statistics → the token and its ancestors are found by the primary key', async () => {
  const { organizationId, userId } = service.founder;
  const scope = createOrganizationScope(organizationId);
  const plan = await explainStatement((sql) =>
    selectTokenStanding(scope, sql, { tid: '01980000-0000-7000-8000-000000000001', sub: userId }),
  );
  assert.match(plan, /Index Scan using tokens_pkey on tokens /);
  assert.doesNotMatch(plan, /Seq Scan on tokens/);
});

/** No list reads the rows of other organizations: every default order and every sortable field, asked of the planner. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { parseListQuery, type ListFields, type ListQuery } from '#core/filter/index.ts';
import type { RawJson } from '#core/reply.ts';
import { createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { experimentFields } from '#features/experiments/list-fields.ts';
import { listExperimentPage } from '#features/experiments/shown-store.ts';
import { invoicesList } from '#features/invoices/lists.ts';
import { listInvoicePage } from '#features/invoices/store.ts';
import { quotesList } from '#features/quotes/lists.ts';
import { listQuotePage } from '#features/quotes/store.ts';
import { resultFields } from '#features/results/list-fields.ts';
import { listResultPage } from '#features/results/store.ts';
import { sequenceFields } from '#features/sequences/list-fields.ts';
import { listSequencePage } from '#features/sequences/store.ts';
import { tokenFields } from '#features/tokens/list-fields.ts';
import { listTokenPage } from '#features/tokens/store.ts';
import { updateFields } from '#features/updates/list-fields.ts';
import { wholeFeed } from '#features/updates/rounds.ts';
import { listUpdatePage } from '#features/updates/store.ts';
import { testDatabase } from '#testing/database.ts';
import { recordStatement } from '../../bench/peers/recorded.ts';
import { seedLists } from '../../bench/seed-lists.ts';

const SCALE = 0.02;
const BASE_URL = 'http://127.0.0.1:8080';

interface List {
  readonly table: string;
  readonly fields: ListFields;
  readonly selectPage: (scope: OrganizationScope, sql: Sql, query: ListQuery) => Promise<RawJson>;
  /** Orders that an index must give, without sorting the organization's rows. */
  readonly indexed: readonly string[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const { database, connection } = await testDatabase();
let organizationId = '';
let userId = '';

const lists: readonly List[] = [
  {
    table: 'experiments',
    fields: experimentFields,
    selectPage: (scope, sql, query) => listExperimentPage(scope, sql, query, BASE_URL),
    indexed: ['-created_at', 'name', '-name', 'code', '-updated_at', 'updated_at'],
  },
  {
    table: 'sequences',
    fields: sequenceFields,
    selectPage: (scope, sql, query) => listSequencePage(scope, sql, query, null),
    indexed: ['-created_at', 'name', '-name', 'length', '-length'],
  },
  {
    table: 'updates',
    fields: updateFields,
    selectPage: (scope, sql, query) => listUpdatePage(scope, sql, { query, round: wholeFeed, end: '' }, null),
    indexed: ['-id', 'id', '-timestamp', 'timestamp'],
  },
  {
    table: 'quotes',
    fields: quotesList.fields,
    selectPage: (scope, sql, query) => listQuotePage(scope, sql, query, BASE_URL),
    indexed: ['-created_at', 'amount_cents', '-amount_cents', 'valid_until'],
  },
  {
    table: 'invoices',
    fields: invoicesList.fields,
    selectPage: (scope, sql, query) => listInvoicePage(scope, sql, query, BASE_URL),
    indexed: ['-created_at', 'amount_cents', '-amount_cents', 'due_date'],
  },
  {
    table: 'results',
    fields: resultFields,
    selectPage: (scope, sql, query) =>
      listResultPage(scope, sql, query, { apiUrl: `${BASE_URL}/api/v1`, summary: 'all', experimentId: null }),
    indexed: ['-created_at', '-binding_score'],
  },
  {
    table: 'tokens',
    fields: tokenFields,
    selectPage: (scope, sql, query) => listTokenPage(scope, sql, query, userId),
    indexed: ['-created_at'],
  },
];

/** Tokens of five hundred people, ten each. */
const TOKENS = `with people as (
    insert into users (id, email, created_at, updated_at)
    select uuidv7(), 'person-' || n || '@example.org', now(), now()
    from generate_series(1, 500) n returning id
  )
  insert into tokens (id, organization_id, user_id, name, kind, role, root_token_id, path, created_at)
  select new.id, $1, people.id, 'token', 'root', 'viewer', new.id, array[new.id], now()
  from people cross join lateral (select uuidv7() as id from generate_series(1, 10) where people.id is not null) new`;

before(async () => {
  await seedLists(connection, SCALE);
  const [small] = await database.read.query<{ id: string }>(`select id from organizations where slug = 'B3'`);
  organizationId = small?.id ?? '';
  await database.read.query(TOKENS, [organizationId]);
  await database.read.query('analyze tokens');
  const [person] = await database.read.query<{ id: string }>(
    `select id from users where email = 'person-7@example.org'`,
  );
  userId = person?.id ?? '';
});

async function plan(list: List, sort: string, inOrder: boolean): Promise<PlanNode[]> {
  const query = parseListQuery(list.fields, { sort, limit: '10' });
  const scope = createOrganizationScope(organizationId);
  const statement = await recordStatement((sql) => list.selectPage(scope, sql, query));
  const nodes: PlanNode[] = [];
  await database.runTransaction(async (tx) => {
    // With sorting priced out of reach, what still sorts has no index to read in order.
    if (inOrder) await tx.query(`select set_config('enable_sort', 'off', true)`);
    const [row] = await tx.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (format json) ${statement.text}`,
      statement.values,
    );
    const walk = (node: PlanNode): void => {
      nodes.push(node);
      for (const child of node.Plans ?? []) walk(child);
    };
    for (const { Plan } of row?.['QUERY PLAN'] ?? []) walk(Plan);
  });
  assert.ok(nodes.length > 0);
  return nodes;
}

describe('plans of lists', () => {
  for (const list of lists) {
    test(`query plan: any sort of ${list.table} → no scan of the whole table`, async () => {
      for (const field of list.fields.sortable.filter(
        (name) => list.fields.fields.get(name)?.kind !== 'json',
      )) {
        for (const sort of [field, `-${field}`]) {
          const nodes = await plan(list, sort, false);
          const scan = nodes.find(
            (node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === list.table,
          );
          assert.equal(scan, undefined, `${list.table} sorted by ${sort}: ${JSON.stringify(scan)}`);
        }
      }
    });

    test(`query plan: the usual sorts of ${list.table} → come from an index`, async () => {
      for (const sort of list.indexed) {
        const nodes = await plan(list, sort, true);
        // Sorts within an item (its newest invoice, its quote) read another table.
        const sorted = nodes.find((node) => isSortOf(node, list.table));
        assert.equal(sorted, undefined, `${list.table} sorted by ${sort}: ${JSON.stringify(sorted)}`);
      }
    });
  }
});

function isSortOf(node: PlanNode, table: string): boolean {
  if (!node['Node Type'].endsWith('Sort')) return false;
  const reads = (inner: PlanNode): boolean =>
    inner['Relation Name'] === table || (inner.Plans ?? []).some(reads);
  return reads(node);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { testDatabase } from '#testing/database.ts';
import { claimDeliveries } from './claim-store.ts';
import { recordAttemptEnd } from './delivery-store.ts';
import { InHand } from './in-hand.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const { database } = await testDatabase();
const NOW = new Date('2026-03-02T09:00:00.000Z');
const ID = '01980000-0000-7000-8000-0000000000d1';
/** Holds what is due alone, in the order of the walk. */
const WALKED = 'webhook_deliveries_turn';

/** Shows the plans of the statements that `work` runs, for any values, as the server keeps them. */
async function planStatements(work: (tx: Transaction) => Promise<unknown>): Promise<readonly PlanNode[]> {
  const plans: PlanNode[] = [];
  await database.runTransaction(async (tx) => {
    await tx.query(`set local plan_cache_mode = 'force_generic_plan'`);
    const query = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
      await tx.query(`prepare planned as ${text}`);
      const nulls = values.map(() => 'null').join(', ');
      const [row] = await tx.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        `explain (format json) execute planned(${nulls})`,
      );
      await tx.query('deallocate planned');
      const plan = row?.['QUERY PLAN'][0]?.Plan;
      if (plan !== undefined) plans.push(plan);
      return [];
    };
    await work({ ...tx, query });
  });
  return plans;
}

function listNodes(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}

/** Readings of a table whose number of rows grows with the table. */
function findWholeReadings(plans: readonly PlanNode[]): string[] {
  return plans
    .flatMap(listNodes)
    .filter(
      (node) =>
        node['Node Type'].endsWith(' Scan') && (node['Relation Name'] ?? node['Index Name']) !== undefined,
    )
    .filter((node) => node['Node Type'] !== 'Bitmap Heap Scan')
    .filter((node) => node['Index Cond'] === undefined && node['Index Name'] !== WALKED)
    .map((node) => `${node['Node Type']} of ${node['Relation Name']} by ${node['Index Name'] ?? 'no index'}`);
}

test('delivery: claimed and recorded by plans that were made while none waited → each reads what an index finds', async () => {
  const claim = { now: NOW, leaseUntil: NOW, batch: 4, inHand: new InHand() };
  const end = {
    delivery_id: ID,
    number: 1,
    duration_ms: 1,
    status_code: 204,
    outcome: 'answered',
    answer: null,
    signed_with: [],
  };
  const plans = await planStatements(async (tx) => {
    await claimDeliveries(labScope, tx, claim);
    await recordAttemptEnd(labScope, tx, end, { status: 'delivered', at: NOW });
  });
  assert.equal(plans.length, 3);
  assert.deepEqual(findWholeReadings(plans), []);
});

test('delivery: a statement without an index → its reading is found', async () => {
  const plans = await planStatements((tx) =>
    tx.query('select id from webhook_deliveries where body = $1', ['x']),
  );
  assert.deepEqual(findWholeReadings(plans), ['Seq Scan of webhook_deliveries by no index']);
});

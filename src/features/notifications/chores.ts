/** What the worker does for notices from time to time: it writes down late orders, and deletes what is old. */
import type { Work } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { selectWaitingOrders, insertFact, deleteOldNotices } from './notice-store.ts';
import { createLateId, FACT_KEPT_MS, NOTICE_KEPT_MS } from './rules.ts';
import { computeLateLimit, computeWait } from '#core/lateness.ts';
import { addMs } from '#core/clock.ts';

const BATCH = 200;

/** Turns between the arrival of the materials and the release. */
const RUN_STATUSES: readonly ExperimentStatus[] = ['in_queue', 'in_production', 'data_analysis', 'in_review'];

export async function findLateOrders({ clock }: Work, database: Database): Promise<void> {
  const at = clock.now();
  const orders = await selectWaitingOrders(labScope, database.read, {
    limits: RUN_STATUSES.flatMap((status) => {
      const before = computeLateLimit(status, at);
      return before === null ? [] : [{ status, before }];
    }),
    count: BATCH,
  });
  for (const order of orders) {
    const { lateWorkdays } = computeWait(order, at);
    if (lateWorkdays === 0) continue;
    await insertFact(createOrganizationScope(order.organization_id), database.read, {
      id: createLateId(order.id, order.status, order.status_since),
      kind: 'run.late',
      experiment_code: order.code,
      details: {
        sentence: `It has been ${order.status.replaceAll('_', ' ')} for longer than the lab usually needs.`,
      },
      at,
    });
  }
}

/** Deletes old facts and the notices of them. */
export async function deleteOldFacts({ clock }: Work, database: Database): Promise<void> {
  const now = clock.now();
  const before = { notices: addMs(now, -NOTICE_KEPT_MS), facts: addMs(now, -FACT_KEPT_MS) };
  await deleteOldNotices(labScope, database.read, before);
}

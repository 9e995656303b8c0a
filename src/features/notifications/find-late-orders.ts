/** Writes down which orders are late, once in each turn of the lab. */
import type { Work } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { selectWaitingOrders } from './late-store.ts';
import { insertFact } from './notice-store.ts';
import { createLateId } from './rules.ts';
import { computeLateLimit, computeWait } from '#core/lateness.ts';

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
      experimentCode: order.code,
      details: {
        sentence: `It has been ${order.status.replaceAll('_', ' ')} for longer than the lab usually needs.`,
      },
      at,
    });
  }
}

/** Writes down which orders are late, once in each turn of the lab. */
import { addMs, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { selectWaitingOrders } from '#domain/notifications/late-store.ts';
import { insertFact } from '#domain/notifications/notice-store.ts';
import { createLateId } from '#domain/notifications/rules.ts';
import { computeWait } from '#domain/queue/lateness.ts';

const BATCH = 200;

export async function findLateOrders({ clock }: Work, database: Database): Promise<void> {
  const at = clock.now();
  const orders = await selectWaitingOrders(labScope, database.read, {
    before: addMs(at, -DAY_MS),
    limit: BATCH,
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

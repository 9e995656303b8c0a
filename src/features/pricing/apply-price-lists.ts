/** Targets take the prices of a list when it takes effect. Until then an estimate finds them in the list itself. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { lockDueList, markApplied, selectDueLists } from './store.ts';
import { setTargetPrices } from '../targets/store.ts';
import { recordChange } from '../audit/record-change.ts';

/** Applies lists in the order in which they took effect, so that the newest price of a target stays. */
export async function applyDueLists(work: Pick<Work, 'clock' | 'ids'>, tx: Transaction): Promise<void> {
  const at = work.clock.now();
  for (const { id } of await selectDueLists(tx, at)) {
    const list = await lockDueList(tx, id);
    if (list === undefined) continue;
    if (list.materials.length > 0) {
      const count = await setTargetPrices(tx, list.materials, at);
      await recordChange(work, tx, createOrganizationScope(INSTALLATION_ID), {
        actorKind: 'worker',
        actor: 'worker',
        operation: 'apply_price_list',
        subject: id,
        details: { version: list.version, targets: count },
      });
    }
    await markApplied(tx, id, at);
  }
}

/** Opens a transaction only when a list has taken effect. */
export async function applyPriceLists(work: Work, database: Database): Promise<void> {
  const due = await selectDueLists(database.read, work.clock.now());
  if (due.length > 0) await database.runTransaction((tx) => applyDueLists(work, tx));
}

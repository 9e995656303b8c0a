import type { WriteContext, Work } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { Transaction, Database } from '#core/sql.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { publishPriceList as operation } from './list-contract.ts';
import { computeEffect, formatVersion } from './price-list.ts';
import {
  findOvertakingVersion,
  lockPublications,
  markPublished,
  takeListNumber,
  type PriceListRow,
  lockDueList,
  markApplied,
  selectDueLists,
} from './store.ts';
import { lockDraft, refuseContentProblems, requirePriceListJson } from './price-list-content.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { setTargetPrices } from '../targets/store.ts';
import { recordChange } from '../audit/record-change.ts';

/** `POST /lab/price-lists/{price_list_id}/publish`. */
export async function publishPriceList(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock } = context;
  await lockPublications(tx);
  const draft = await lockDraft(tx, input.params.price_list_id);
  if (draft.prices.length === 0)
    throw createInvalidFieldsFailure([{ path: 'prices', message: 'must have at least one price' }]);
  await refuseContentProblems(tx, draft);
  await refuseOvertaken(tx, draft, clock.now());
  const version = await publishDraft(tx, draft, clock.now());
  await applyDueLists(context, tx);
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ version, effective_from: draft.effective_from });
  return requirePriceListJson(tx, draft.id, clock.now());
}

/** Of two people who publish at the same time, the second has compared with prices that are no longer the current ones. */
async function refuseOvertaken(
  tx: Transaction,
  { id, effective_from: wanted }: Pick<PriceListRow, 'id' | 'effective_from'>,
  at: Date,
): Promise<void> {
  const version = await findOvertakingVersion(tx, id, { effectiveFrom: new Date(wanted), at });
  if (version !== undefined) throw fail('price_list_overtaken', { version });
}

/** Returns the version. The caller has locked the publications. */
export async function publishDraft(
  tx: Transaction,
  { id, effective_from: wanted }: Pick<PriceListRow, 'id' | 'effective_from'>,
  at: Date,
): Promise<string> {
  const effectiveFrom = computeEffect(new Date(wanted), at);
  const version = formatVersion(await takeListNumber(tx), effectiveFrom);
  await markPublished(tx, id, { version, effectiveFrom, at });
  return version;
}

/**
 * Gives targets the prices of lists that took effect, in this order, so that the newest price of a target stays. Before
 * that an estimate finds them in the list itself.
 */
async function applyDueLists(work: Pick<Work, 'clock' | 'ids'>, tx: Transaction): Promise<void> {
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

import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { publishPriceList as operation } from './list-contract.ts';
import { computeEffect, formatVersion } from './price-list.ts';
import {
  findOvertakingVersion,
  lockPublications,
  markPublished,
  takeListNumber,
  type PriceListRow,
} from './store.ts';
import { applyDueLists } from './apply-price-lists.ts';
import { lockDraft, refuseContentProblems, requirePriceListJson } from './price-list-content.ts';

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

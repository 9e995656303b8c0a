import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { createPriceList as operation } from './list-contract.ts';
import { insertDraftList } from './store.ts';
import { mergeContent, refuseContentProblems, requirePriceListJson } from './price-list-content.ts';

/** `POST /lab/price-lists`. */
export async function createPriceList(input: Input<typeof operation>, context: WriteContext) {
  const { tx, ids, clock } = context;
  const content = mergeContent(input.body);
  await refuseContentProblems(tx, content);
  const id = ids.createUuid();
  await insertDraftList(tx, id, content, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ price_list_id: id, ...content });
  return requirePriceListJson(tx, id, clock.now());
}

import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { deletePriceList as operation } from './list-contract.ts';
import { deleteDraftList } from './store.ts';
import { lockDraft } from './price-list-content.ts';

/** `DELETE /lab/price-lists/{price_list_id}`. */
export async function deletePriceList(input: Input<typeof operation>, context: WriteContext) {
  const {
    id,
    version: _version,
    status: _status,
    ...content
  } = await lockDraft(context.tx, input.params.price_list_id);
  await deleteDraftList(context.tx, id);
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails(content);
  return { id };
}

import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { sharedUpdateFields } from './list-fields.ts';
import type { listPartnerUpdates as operation } from './shared-contract.ts';
import { getLastPartnerUpdateId, listPartnerUpdatePage } from './store.ts';
import { parseRound } from './parse-round.ts';

/** The name of the feed over a partner's clients: its cursors are not valid for the partner's own feed. */
const CLIENTS_LIST = 'clients';

/** `GET /partners/updates`: lists the updates of the organizations for which the partner minted a token. */
export async function listPartnerUpdates(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const partner = getScope(context.principal);
  const findLastId = () => getLastPartnerUpdateId(partner, context.sql);
  const source = { findLastId, listName: CLIENTS_LIST };
  const page = await parseRound(context, sharedUpdateFields, input.query, source);
  return listPartnerUpdatePage(partner, context.sql, page);
}

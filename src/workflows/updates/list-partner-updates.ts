import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { sharedUpdateFields } from '#domain/updates/list-fields.ts';
import type { listPartnerUpdates as operation } from '#domain/updates/shared-contract.ts';
import { getLastPartnerUpdateId, listPartnerUpdatePage } from '#domain/updates/store.ts';
import { parseRound } from './parse-round.ts';

/** A cursor over the clients of a partner is not valid for the partner's own feed. */
const PARTNER_CURSORS = 'clients';

/** `GET /partners/updates`: lists the updates of the organizations for which the partner minted a token. */
export async function listPartnerUpdates(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const partner = getScope(context.principal);
  const findLastId = () => getLastPartnerUpdateId(partner, context.sql);
  const round = { findLastId, binding: PARTNER_CURSORS };
  const page = await parseRound(context, sharedUpdateFields, input.query, round);
  return listPartnerUpdatePage(partner, context.sql, page);
}

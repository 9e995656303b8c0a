import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { partnerTokenFields } from './list-fields.ts';
import type { listPartnerTokens as operation } from './token-contract.ts';
import { listPartnerTokenPage } from './token-store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /partners/tokens`: lists the tokens that the partner minted. */
export function listPartnerTokens(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, partnerTokenFields, input.query);
  return listPartnerTokenPage(getScope(context.principal), context.sql, query);
}

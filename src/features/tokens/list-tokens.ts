import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listTokens as operation } from './contract.ts';
import { tokenFields } from './list-fields.ts';
import { listTokenPage } from './list-store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /tokens`: lists the caller's own tokens; those of everybody for staff who appoint others. */
export function listTokens(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, tokenFields, input.query);
  const { principal, sql } = context;
  return principal.permissions.has('lab:appoint')
    ? listTokenPage(labScope, sql, query, null)
    : listTokenPage(getScope(principal), sql, query, principal.userId);
}

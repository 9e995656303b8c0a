import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listMembers as operation } from './contract.ts';
import { memberFields } from './list-fields.ts';
import { listMemberPage } from './member-store.ts';
import { parseMemberList } from './parse-member-list.ts';

/** `GET /organization/members`: lists the members of the caller's organization. */
export function listMembers(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseMemberList(context, memberFields, input.query);
  return listMemberPage(getScope(context.principal), context.sql, query);
}

import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listInvitations as operation } from './contract.ts';
import { listInvitationPage } from './invitation-store.ts';
import { invitationFields } from './list-fields.ts';
import { parseMemberList } from './parse-member-list.ts';

/** `GET /organization/invitations`: lists the invitations of the caller's organization. */
export function listInvitations(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseMemberList(context, invitationFields, input.query);
  return listInvitationPage(getScope(context.principal), context.sql, query, context.clock.now());
}

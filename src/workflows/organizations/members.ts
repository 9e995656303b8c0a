/** Who belongs to an organization, and with which role. */
import type { ReadContext, Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import { parseListQuery, type ListFields } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { organizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type {
  changeMemberRole,
  listInvitations,
  listMembers,
  removeMember,
} from '#domain/organizations/contract.ts';
import { invitationFields } from '#domain/organizations/list-fields.ts';
import { listInvitationPage } from '#domain/organizations/invitation-store.ts';
import { memberFields } from '#domain/organizations/list-fields.ts';
import {
  endMembership,
  findMember,
  listMemberPage,
  lockAdministration,
  otherAdministrators,
  type MemberRow,
} from '#domain/organizations/member-store.ts';
import { setMembership } from '#domain/organizations/store.ts';
import type { Origin } from '#domain/people/port.ts';
import { recordIn } from '../people/trail.ts';

function parse(context: ReadContext, fields: ListFields, query: Input<typeof listMembers>['query']) {
  const cursorBinding = context.principal.organizationId;
  return parseListQuery(fields, query, { reserved: [], cursors: context.cursors, cursorBinding });
}

export function members(input: Input<typeof listMembers>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, memberFields, input.query);
  return listMemberPage(scopeOf(context.principal), context.sql, query);
}

export function invitations(input: Input<typeof listInvitations>, context: ReadContext): Promise<RawJson> {
  const query = parse(context, invitationFields, input.query);
  return listInvitationPage(scopeOf(context.principal), context.sql, query, context.clock.now());
}

/** `PATCH /organization/members/{user_id}`. */
export async function changeRole(input: Input<typeof changeMemberRole>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const scope = scopeOf(principal);
  const { role } = input.body;
  const grant = authorizeGrant(principal, 'membership', { role });
  const member = await heldMember(tx, scope, input.params.user_id);
  if (role !== 'admin') await refuseLastAdministrator(tx, scope, member);
  await setMembership(scope, tx, grant, { userId: member.user_id, at: clock.now() });
  return { ...member, role };
}

/** `DELETE /organization/members/{user_id}`. */
export async function removeOne(input: Input<typeof removeMember>, context: WriteContext) {
  const { tx, principal, clock } = context;
  const scope = scopeOf(principal);
  const member = await heldMember(tx, scope, input.params.user_id);
  await refuseLastAdministrator(tx, scope, member);
  const revoked = await endMembership(scope, tx, member.user_id, clock.now());
  return { user_id: member.user_id, tokens_revoked: revoked };
}

/** A person leaves by their own will. */
export async function leave(
  work: Work,
  tx: Transaction,
  origin: Origin,
  leaving: { readonly organizationId: string; readonly userId: string },
): Promise<void> {
  const scope = organizationScope(leaving.organizationId);
  const member = await heldMember(tx, scope, leaving.userId);
  await refuseLastAdministrator(tx, scope, member);
  await endMembership(scope, tx, member.user_id, work.clock.now());
  const person = { id: member.user_id, email: member.email };
  await recordIn(work, tx, leaving.organizationId, {
    event: 'leave_organization',
    person,
    origin,
    subject: member.user_id,
  });
}

async function heldMember(tx: Transaction, scope: OrganizationScope, userId: string): Promise<MemberRow> {
  await lockAdministration(scope, tx);
  const member = await findMember(scope, tx, userId);
  if (member === undefined) throw fail('member_not_found');
  return member;
}

async function refuseLastAdministrator(
  tx: Transaction,
  scope: OrganizationScope,
  member: MemberRow,
): Promise<void> {
  if (member.role === 'admin' && (await otherAdministrators(scope, tx, member.user_id)) === 0)
    throw fail('last_administrator');
}

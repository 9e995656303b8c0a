/**
 * Who may give rights to whom: the single rule, and the value that proves that it was applied. Every store function
 * that writes a right (an invitation, a membership, a token, a decision on a device, an appointment) requires a
 * `Grant` and takes the role from it. Only this file makes grants.
 */
import { fail } from './failures.ts';
import {
  rolePermissions,
  roles,
  staffRolePermissions,
  type Permission,
  type Role,
  type StaffRole,
} from './permissions.ts';
import type { Principal } from './principal.ts';
import { getOrganizationId, type Scope } from './scope.ts';

/** The rights that a caller may give, with the words that a refusal uses for them. */
const GRANT_ACTIONS = {
  membership: 'invite anybody or give a role',
  removal: 'remove a member',
  token: 'create a new one',
  share: 'share results',
  attenuation: 'derive another',
  client: 'make users and their tokens',
  consent: 'let a program in',
  device_login: 'let a program in',
  staff: 'appoint staff of the lab',
  dismissal: 'dismiss staff of the lab',
} as const;

export type GrantKind = keyof typeof GRANT_ACTIONS;
/** Sources of rights that need no caller: the operator, and what was granted before. */
type StandingKind = 'operator' | 'accepted' | 'founding' | 'sign_in';

/** The permission that sending an invitation needs. */
export const INVITING = 'user:create' satisfies Permission;

/** No other file can name this symbol, so no other file can make a grant. */
const proof: unique symbol = Symbol('granted');

interface Place {
  readonly organizationId: string;
  readonly role: Role;
}

/** One right in one organization that the rule allowed. */
export interface Grant extends Place {
  readonly [proof]: true;
  readonly kind: GrantKind | StandingKind;
  /** The right must end by this time; null where the grant sets no end. */
  readonly latestEnd: Date | null;
}

function makeGrant(
  kind: Grant['kind'],
  { organizationId, role }: Place,
  latestEnd: Date | null = null,
): Grant {
  return { [proof]: true, kind, organizationId, role, latestEnd };
}

/**
 * A restricted credential gives no rights, because they would carry none of its limits. Deriving a token is not
 * giving: a derived token has the limits of its parent. Only a caller admitted over OAuth may not derive one either.
 * Removing a member counts as giving, because it ends all tokens of the member, among them perhaps the root of the
 * restricted caller. Throws `token_restricted`.
 */
export function requireMayGrant(kind: GrantKind, principal: Principal): void {
  const restriction = describeRestriction(principal);
  if (restriction === undefined || canGrant(kind, principal)) return;
  throw fail('token_restricted', { reason: `${restriction}, and cannot ${GRANT_ACTIONS[kind]}` });
}

/** Refuses a restricted credential for what only its person may do; `action` follows "and cannot" in the failure. */
export function requireUnrestricted(principal: Principal, action: string): void {
  const restriction = describeRestriction(principal);
  if (restriction !== undefined)
    throw fail('token_restricted', { reason: `${restriction}, and cannot ${action}` });
}

/** Whether `requireMayGrant` would let the caller give this right. */
export function canGrant(kind: GrantKind, principal: Principal): boolean {
  if (kind === 'attenuation') return principal.credential !== 'oauth';
  return describeRestriction(principal) === undefined;
}

/** Returns why the credential counts as restricted. An ordinary expiry is no restriction. */
function describeRestriction({ credential, restrictions }: Principal): string | undefined {
  if (credential === 'oauth') return 'it was admitted over OAuth';
  if (restrictions.isAttenuated) return 'it was derived from another';
  return restrictions.paymentMethods === null ? undefined : 'it has a payment policy';
}

export interface Asked {
  readonly role: Role;
  /** The caller's organization unless stated. */
  readonly organizationId?: string;
  /** The caller's permissions in the organization of the new right, when it is not the caller's own. */
  readonly held?: ReadonlySet<Permission>;
}

/**
 * Grants a role, a new token or a link. It never exceeds the permissions of the caller, and a new token or link never
 * outlives the token that asks. Throws `token_restricted` or `token_role_exceeded`.
 */
export function authorizeGrant(
  principal: Principal,
  kind: Exclude<GrantKind, 'attenuation' | 'staff' | 'dismissal'>,
  { role, organizationId = principal.organizationId, held = principal.permissions }: Asked,
): Grant {
  requireMayGrant(kind, principal);
  const excessPermission = findExcessPermission(role, held);
  if (excessPermission !== undefined)
    throw fail('token_role_exceeded', { role, permission: excessPermission });
  const { credential, tokenExpiresAt } = principal;
  const isBounded =
    (kind === 'token' || kind === 'share') && credential !== 'session' && tokenExpiresAt !== null;
  return makeGrant(kind, { organizationId, role }, isBounded ? new Date(tokenExpiresAt) : null);
}

function findExcessPermission(role: Role, held: ReadonlySet<Permission>): Permission | undefined {
  return [...rolePermissions[role]].find((permission) => !held.has(permission));
}

/** The roles in the lab that the rule allowed a person to have from now on; none: the person is dismissed. */
export interface StaffGrant {
  readonly [proof]: true;
  readonly roles: readonly StaffRole[];
}

export interface AskedOfStaff {
  readonly roles: readonly StaffRole[];
  /** The roles that the person has already. */
  readonly present: readonly StaffRole[];
}

/**
 * Grants roles in the lab. A role that the person does not have yet never exceeds the permissions of the caller.
 * Throws `token_restricted` or `staff_role_exceeded`.
 */
export function authorizeStaffGrant(
  principal: Principal,
  kind: 'staff' | 'dismissal',
  { roles, present }: AskedOfStaff,
): StaffGrant {
  requireMayGrant(kind, principal);
  for (const role of roles.filter((each) => !present.includes(each))) {
    const excessPermission = [...staffRolePermissions[role]].find(
      (permission) => !principal.permissions.has(permission),
    );
    if (excessPermission !== undefined)
      throw fail('staff_role_exceeded', { role, permission: excessPermission });
  }
  return { [proof]: true, roles };
}

/** Grants roles in the lab in the name of the operator. */
export function grantStaffByOperator(roles: readonly StaffRole[]): StaffGrant {
  return { [proof]: true, roles };
}

export interface DerivedFrom extends Place {
  readonly path: readonly string[];
  readonly expiresAt: Date | null;
}

/**
 * Grants a token derived from `parent`. A restricted caller may derive only from itself and its descendants. Throws
 * `token_restricted`.
 */
export function authorizeAttenuation(principal: Principal, parent: DerivedFrom): Grant {
  requireMayGrant('attenuation', principal);
  if (describeRestriction(principal) !== undefined && !parent.path.includes(principal.tokenId))
    throw fail('token_restricted', {
      reason:
        'it may derive tokens only from itself and its descendants, and the token in the body is neither',
    });
  return makeGrant('attenuation', parent, parent.expiresAt);
}

/** Grants a right in the name of the operator: the first start, the command line, an appointment. */
export function grantByOperator(place: Place): Grant {
  return makeGrant('operator', place);
}

/** Grants what a person approved for a device; the row holds the right. */
export function grantAsAccepted(place: Place): Grant {
  return makeGrant('accepted', place);
}

/**
 * Grants what an invitation offers, if its sender, who has the role `senderRole` in the organization today, could still
 * send it. Undefined where the sender could not, or is no member any more.
 */
export function grantAsInvited(place: Place, senderRole: Role | undefined): Grant | undefined {
  if (senderRole === undefined) return undefined;
  const held = rolePermissions[senderRole];
  const maySend = held.has(INVITING) && findExcessPermission(place.role, held) === undefined;
  return maySend ? makeGrant('accepted', place) : undefined;
}

/** The roles that a member of each role may invite to. */
export function listInvitable(): { readonly sender: Role; readonly role: Role }[] {
  const pairs = roles.flatMap((sender) => roles.map((role) => ({ sender, role })));
  return pairs.filter(
    ({ sender, role }) => grantAsInvited({ organizationId: '', role }, sender) !== undefined,
  );
}

/** Makes the founder of an organization its administrator. */
export function grantByFounding(organizationId: string): Grant {
  return makeGrant('founding', { organizationId, role: 'admin' });
}

/** Grants a browser session the role of its person. */
export function grantBySignIn(place: Place): Grant {
  return makeGrant('sign_in', place);
}

/** Returns the role that a store function writes. A grant for another organization is a fault of ours. */
export function getGrantedRole(scope: Scope, grant: Grant): Role {
  if (grant.organizationId !== getOrganizationId(scope))
    throw new Error('a right was granted in another organization');
  return grant.role;
}

/** Returns the role of a token, which must expire in time. */
export function getGrantedTokenRole(scope: Scope, grant: Grant, expiresAt: Date | null): Role {
  const { latestEnd } = grant;
  if (latestEnd !== null && (expiresAt === null || expiresAt > latestEnd))
    throw new Error('a token would outlive what grants it');
  return getGrantedRole(scope, grant);
}

/** Guards rights that only the operator may give. */
export function requireOperator(grant: Grant): void {
  if (grant.kind !== 'operator') throw new Error('only the operator appoints');
}

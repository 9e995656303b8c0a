/**
 * Who may give rights to whom: the one rule, and the value that proves it was asked. Every store function that writes a
 * right (an invitation, a membership, a token, a decision on a device, an appointment) demands a `Grant` and takes the
 * role from it, and only this file makes one.
 */
import { fail } from './failures.ts';
import { rolePermissions, type Permission, type Role } from './permissions.ts';
import type { Principal } from './principal.ts';
import { organizationOf, type Scope } from './scope.ts';

/** What a caller may give, and how a refusal names it. */
const deeds = {
  membership: 'invite anybody or give a role',
  removal: 'remove a member',
  token: 'create a new one',
  attenuation: 'derive another',
  client: 'make users and their tokens',
  consent: 'let a program in',
  device_login: 'let a program in',
} as const;

export type GrantKind = keyof typeof deeds;
/** What gives rights without a caller: whoever runs the service, and what was granted before. */
type StandingKind = 'operator' | 'accepted' | 'founding' | 'sign_in';

/** Nobody else can name it, so nobody else can make a grant. */
const proof: unique symbol = Symbol('granted');

interface Place {
  readonly organizationId: string;
  readonly role: Role;
}

/** One right, in one organization, as the rule let it pass. */
export interface Grant extends Place {
  readonly [proof]: true;
  readonly kind: GrantKind | StandingKind;
  /** What is granted ends no later; null where the grant sets no end. */
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
 * A restricted credential gives no rights: they would carry none of its limits. To derive is no giving, since a derived
 * token has the limits of its parent; only what was admitted over OAuth makes no token at all. To remove a member counts
 * as giving: it ends all tokens of the member, the root of a restricted caller among them.
 */
export function requireMayGrant(kind: GrantKind, principal: Principal): void {
  const restriction = nameRestriction(principal);
  if (restriction === undefined || mayGrant(kind, principal)) return;
  throw fail('token_restricted', { reason: `${restriction}, and cannot ${deeds[kind]}` });
}

/** The same, asked before a call instead of during it. */
export function mayGrant(kind: GrantKind, principal: Principal): boolean {
  if (kind === 'attenuation') return principal.credential !== 'oauth';
  return nameRestriction(principal) === undefined;
}

/** Why the credential counts as restricted; its ordinary end is no restriction. */
function nameRestriction({ credential, restrictions }: Principal): string | undefined {
  if (credential === 'oauth') return 'it was admitted over OAuth';
  if (restrictions.isAttenuated) return 'it was derived from another';
  return restrictions.paymentMethods === null ? undefined : 'it has a payment policy';
}

export interface Asked {
  readonly role: Role;
  /** The caller's own unless said otherwise. */
  readonly organizationId?: string;
  /** What the caller may do where the right is to hold, when that is not the caller's own organization. */
  readonly held?: ReadonlySet<Permission>;
}

/** A role for somebody, or a new token: never more than the caller may do, and no token that outlives the one that asks. */
export function authorizeGrant(
  principal: Principal,
  kind: Exclude<GrantKind, 'attenuation'>,
  { role, organizationId = principal.organizationId, held = principal.permissions }: Asked,
): Grant {
  requireMayGrant(kind, principal);
  const beyond = [...rolePermissions[role]].find((permission) => !held.has(permission));
  if (beyond !== undefined) throw fail('token_role_exceeded', { role, permission: beyond });
  const { credential, tokenExpiresAt } = principal;
  const isBounded = kind === 'token' && credential !== 'session' && tokenExpiresAt !== null;
  return makeGrant(kind, { organizationId, role }, isBounded ? new Date(tokenExpiresAt) : null);
}

export interface DerivedFrom extends Place {
  readonly path: readonly string[];
  readonly expiresAt: Date | null;
}

/** A token derived from `parent`. A restricted caller derives from itself and from what was derived from it alone. */
export function authorizeAttenuation(principal: Principal, parent: DerivedFrom): Grant {
  requireMayGrant('attenuation', principal);
  if (nameRestriction(principal) !== undefined && !parent.path.includes(principal.tokenId))
    throw fail('token_restricted', {
      reason: 'it derives tokens from itself and its descendants alone, and the token in the body is another',
    });
  return makeGrant('attenuation', parent, parent.expiresAt);
}

/** Whoever runs the service: the first start, the command line, an appointment. */
export function grantByOperator(place: Place): Grant {
  return makeGrant('operator', place);
}

/** What an administrator offered in an invitation, or a person approved for a device: the right stands in the row. */
export function grantAsAccepted(place: Place): Grant {
  return makeGrant('accepted', place);
}

/** Whoever makes a new organization administers it. */
export function grantByFounding(organizationId: string): Grant {
  return makeGrant('founding', { organizationId, role: 'admin' });
}

/** A browser session acts with the role that its person has. */
export function grantBySignIn(place: Place): Grant {
  return makeGrant('sign_in', place);
}

/** The role to write, for the store function that writes it: a grant for another organization is a fault of ours. */
export function grantedRole(scope: Scope, grant: Grant): Role {
  if (grant.organizationId !== organizationOf(scope))
    throw new Error('a right was granted in another organization');
  return grant.role;
}

/** The same of a token, which must end in time. */
export function grantedTokenRole(scope: Scope, grant: Grant, expiresAt: Date | null): Role {
  const { latestEnd } = grant;
  if (latestEnd !== null && (expiresAt === null || expiresAt > latestEnd))
    throw new Error('a token would outlive what grants it');
  return grantedRole(scope, grant);
}

/** For what only whoever runs the service may give. */
export function requireOperator(grant: Grant): void {
  if (grant.kind !== 'operator') throw new Error('only the operator appoints');
}

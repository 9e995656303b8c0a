import type { AttenuationSpec, PaymentPolicy, TokenClaims } from '#core/capability.ts';
import type { Environment } from '#core/context.ts';
import { fail, type Failure } from '#core/failures.ts';
import { computePermissions, type Role, type StaffRole } from '#core/permissions.ts';
import type { Credential, Principal } from '#core/principal.ts';
import {
  buildRestrictions,
  DEPTH_MAX,
  findPolicyProblem,
  joinPolicies,
  restrictPermissions,
} from './attenuation.ts';
import type { TokenTerms } from './spending-store.ts';

/**
 * Largest number of tokens in a line, made by derivation or by `POST /tokens`. Every request reads the whole line.
 */
export const LINEAGE_MAX = 64;

/** The current state of a token's holder in the database. */
export interface TokenStanding {
  readonly revoked: boolean;
  /** The top of the token's lineage; absent where a session or a program acts for its person. */
  readonly family_id?: string;
  readonly member_role: Role | null;
  readonly user_email: string;
  readonly staff_roles: readonly StaffRole[];
  readonly is_partner: boolean;
  /** Whether a partner minted the token or one that it comes from; absent for sessions and programs. */
  readonly is_minted?: boolean;
  readonly organization_slug: string;
}

export interface Admission {
  readonly credential?: Credential;
  /** True for operations that also answer a revoked token. */
  readonly acceptsRevoked?: boolean;
}

/**
 * Combines the signed claims with the current state; the stricter of both decides. Throws `token_revoked` or
 * `token_invalid`.
 */
export function buildPrincipal(
  claims: TokenClaims,
  standing: TokenStanding | undefined,
  { credential = 'token', acceptsRevoked = false }: Admission = {},
): Principal {
  if (standing === undefined) throw fail('token_invalid');
  if (standing.revoked && !acceptsRevoked) throw fail('token_revoked');
  if (standing.member_role === null)
    throw fail('token_revoked', {}, { detail: 'holder left the organization' });
  const chain = claims.cav ?? [];
  // A partner knows the token, so it never has what its holder may do in the lab.
  const staffRoles = standing.is_minted === true ? [] : standing.staff_roles;
  const granted = computePermissions(claims.role, standing.member_role, staffRoles, standing.is_partner);
  return {
    userId: claims.sub,
    userEmail: standing.user_email,
    organizationId: claims.org,
    organizationSlug: standing.organization_slug,
    role: standing.member_role,
    staffRoles,
    tokenId: claims.tid,
    tokenPath: claims.path,
    familyId: standing.family_id ?? claims.sub,
    isRevoked: standing.revoked,
    tokenExpiresAt: claims.exp === null ? null : formatInstant(claims.exp),
    credential,
    permissions: restrictPermissions(granted, chain, claims.org),
    restrictions: buildRestrictions(chain, claims.pay),
  };
}

export interface NewRootToken {
  readonly id: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly expiresAt: Date | null;
  readonly paymentPolicy?: PaymentPolicy | null;
}

export function createRootClaims(environment: Environment, token: NewRootToken, now: Date): TokenClaims {
  return {
    v: 1,
    env: environment,
    tid: token.id,
    path: [token.id],
    sub: token.userId,
    org: token.organizationId,
    role: token.role,
    iat: toSeconds(now),
    exp: token.expiresAt === null ? null : toSeconds(token.expiresAt),
    ...(token.paymentPolicy === null || token.paymentPolicy === undefined
      ? {}
      : { pay: token.paymentPolicy }),
  };
}

/**
 * Creates the claims of a derived token: the same holder and role, one more step in the chain, and an end no later
 * than its parent's.
 */
export function createAttenuatedClaims(
  parent: TokenClaims,
  child: { readonly id: string; readonly spec: AttenuationSpec },
  now: Date,
): TokenClaims {
  const { spec } = child;
  refuseLongChain(parent);
  refuseWiderPolicy(parent, spec);
  const expiresAt =
    spec.expires_at === undefined || spec.expires_at === null ? null : new Date(spec.expires_at);
  return {
    ...parent,
    tid: child.id,
    path: [...parent.path, child.id],
    iat: toSeconds(now),
    exp: expiresAt === null ? parent.exp : checkEnd(parent, expiresAt, now),
    cav: [...(parent.cav ?? []), spec],
  };
}

/** What the last token of a path may still do, by its own terms and those of its ancestors. */
export function describeToken(path: readonly TokenTerms[]) {
  const own = path.at(-1);
  if (own === undefined) throw new Error('a token without a row was accepted');
  const limits = path.flatMap(({ max_spend_cents: limit, spent_cents: spent }) =>
    limit === null ? [] : [{ limit, left: limit - spent }],
  );
  const restrictions = path.flatMap(({ attenuation_spec: spec }) => (spec === null ? [] : [spec]));
  const policy = joinPolicies(path[0]?.payment_policy, restrictions);
  return {
    id: own.id,
    kind: own.kind,
    role: own.role,
    restrictions,
    max_spend_cents: limits.length === 0 ? null : Math.min(...limits.map(({ limit }) => limit)),
    spent_cents: own.spent_cents,
    remaining_cents: limits.length === 0 ? null : Math.min(...limits.map(({ left }) => left)),
    payment_policy: policy === null ? null : { ...policy, methods: [...policy.methods] },
  };
}

function refuseLongChain(parent: TokenClaims): void {
  if (parent.path.length > DEPTH_MAX)
    throw createAttenuationFailure(
      'token',
      `it has been restricted ${DEPTH_MAX} times, which is the maximum`,
    );
}

function refuseWiderPolicy(parent: TokenClaims, { payment_policy: policy }: AttenuationSpec): void {
  if (policy === undefined || policy === null) return;
  const problem = findPolicyProblem(joinPolicies(parent.pay, parent.cav ?? []), policy);
  if (problem !== undefined) throw createAttenuationFailure(problem.path, problem.message);
}

function checkEnd(parent: TokenClaims, expiresAt: Date, now: Date): number {
  const end = toSeconds(expiresAt);
  const path = 'attenuation.expires_at';
  if (Number.isNaN(end)) throw createAttenuationFailure(path, 'is not a date');
  if (parent.exp !== null && end > parent.exp)
    throw createAttenuationFailure(path, `is later than the end of the token, ${formatInstant(parent.exp)}`);
  if (end <= toSeconds(now)) throw createAttenuationFailure(path, 'lies in the past');
  return end;
}

export function createAttenuationFailure(path: string, message: string): Failure {
  return fail('invalid_attenuation', { reason: `${path}: ${message}` }, { problems: [{ path, message }] });
}

function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

function formatInstant(secondsSinceEpoch: number): string {
  return new Date(secondsSinceEpoch * 1000).toISOString();
}

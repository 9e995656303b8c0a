/** Finds the person whose browser sent a request, and the rights of its session. */
import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { addMs, MINUTE_MS } from '#core/clock.ts';
import { STAFF_PERMISSION } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { selectSessionStanding, touchSession, type SessionStanding } from '#features/people/session-store.ts';
import { recordTokenUse } from '#features/tokens/record-token-use.ts';
import { buildPrincipal, createRootClaims } from '#features/tokens/rules.ts';
import { signFormToken, type SignedIn } from '#ui/session.ts';
import type { DoorParts } from './parts.ts';

/** Returns null when there is no session, or it has ended, expired or been revoked. */
export async function lookUpSession(parts: DoorParts, request: FastifyRequest): Promise<SignedIn | null> {
  const token = parts.people.findSessionToken(request.headers.cookie);
  if (token === undefined) return null;
  const { read } = parts.database;
  const now = parts.work.clock.now();
  const standing = await selectSessionStanding(labScope, read, token, now);
  if (standing === undefined || standing.token_revoked) return null;
  const isSeen = standing.seen_at !== null && addMs(new Date(standing.seen_at), MINUTE_MS) > now;
  if (!isSeen) await touchSession(read, standing.id, now);
  if (!isSeen && standing.token_id !== null)
    await recordTokenUse(read, { id: standing.token_id, lastUsedAt: null }, now);
  const principal = createPrincipal(parts, standing);
  const organizationId = principal?.organizationId ?? null;
  const formKey = createHmac('sha256', token).update('form').digest();
  // Requests of a session without an organization count for its person alone.
  parts.rateLimiter.take(principal ?? { familyId: standing.user_id });
  return {
    sessionId: standing.id,
    endsAt: new Date(standing.expires_at),
    userId: standing.user_id,
    email: standing.email,
    name: standing.name,
    principal,
    formKey,
    visitor: {
      email: standing.email,
      organization: principal === null ? null : standing.organization_name,
      organizationId,
      formToken: signFormToken(formKey, organizationId ?? ''),
      isStaff: principal?.permissions.has(STAFF_PERMISSION) ?? false,
    },
  };
}

function createPrincipal(parts: DoorParts, standing: SessionStanding): Principal | null {
  const { role, organization_id: organizationId, organization_slug: slug, token_id: id } = standing;
  if (role === null || organizationId === null || slug === null || id === null) return null;
  const { site, clock } = parts.work;
  const token = {
    id,
    userId: standing.user_id,
    organizationId,
    role,
    expiresAt: new Date(standing.expires_at),
  };
  const present = {
    revoked: false,
    member_role: role,
    user_email: standing.email,
    staff_roles: standing.staff_roles,
    is_partner: standing.is_partner,
    organization_slug: slug,
  };
  return buildPrincipal(createRootClaims(site.environment, token, clock.now()), present, {
    credential: 'session',
  });
}

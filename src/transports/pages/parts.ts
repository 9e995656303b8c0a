/** Parts of the doors that the server of pages uses. */
import type { Logger } from 'pino';
import type { Blobs } from '#core/blobs.ts';
import type { RedirectPolicy } from '#core/redirect-policy.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Bodies } from '../bodies/bodies.ts';
import type { Branding } from '../branding.ts';
import type { Dispatcher } from '../dispatch.ts';
import { getBinding } from '../operations.ts';
import type { RequestLimiter } from '../rest/rate-limit.ts';
import { receiveFileForm, receiveFilesForm } from './receive-file-form.ts';
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

/** What the kit of pages asks of the server. */
type Served = 'lookUpSession' | 'setBodyOwner' | 'receiveFileForm' | 'receiveFilesForm' | 'callOperation';

export interface DoorParts extends Omit<PagesParts, Served> {
  readonly dispatcher: Dispatcher;
  readonly bodies: Bodies;
  /** Receives files that people upload. */
  readonly blobs: Blobs;
}

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly rateLimiter: RequestLimiter;
    readonly log: Logger;
    readonly branding: Branding;
    /** Where programs may have their codes sent. */
    readonly redirectPolicy: RedirectPolicy;
  }
}

export function createPagesParts(parts: DoorParts): PagesParts {
  return {
    ...parts,
    lookUpSession: (request) => lookUpSession(parts, request),
    setBodyOwner: (request, owner) => parts.bodies.setOwner(request, owner),
    receiveFileForm: (request, options) => receiveFileForm(parts.blobs, request, options),
    receiveFilesForm: (request, bytesMax) => receiveFilesForm(parts.bodies, request, bytesMax),
    callOperation: (operation, input, { request, session }) =>
      parts.dispatcher.call({
        binding: getBinding(operation.id),
        input: {
          params: { ...input.params },
          query: { ...input.query },
          body: input.body,
          upload: input.upload,
          headers: { ...input.headers },
        },
        bodyLength: 0,
        principal: session.principal,
        requestId: request.id,
        address: request.ip,
        idempotencyKey: input.idempotencyKey,
      }),
  };
}

/**
 * Finds the person whose browser sent a request, and the rights of its session. Returns null when there is no session, or
 * it has ended, expired or been revoked.
 */
async function lookUpSession(parts: DoorParts, request: FastifyRequest): Promise<SignedIn | null> {
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

/**
 * Who sits in front of the browser. A browser session is a token without a value: it has a row among the tokens of
 * its holder, is listed and revoked there, and grants what a token of the same role grants.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { after, DAY_MS } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { endSession, findSession, insertSession, redeemSignInLink } from '#domain/organizations/store.ts';
import { principalOf, rootClaims } from '#domain/tokens/rules.ts';
import { insertRootToken, revokeFamily, tokenStanding } from '#domain/tokens/store.ts';
import { refuseForeignForm, readForm, type Form } from './http.ts';
import { FORM_TOKEN_FIELD, type Visitor } from './layout.ts';
import type { PagesParts } from './parts.ts';

const COOKIE = 'assayer_session';
const SESSION_DAYS = 30;
const SESSION_SECONDS = (SESSION_DAYS * DAY_MS) / 1000;

export interface Session {
  readonly principal: Principal;
  readonly visitor: Visitor;
}

/** The session of the request's cookie; null when there is none, or it has ended, expired or been revoked. */
export async function findOpenSession(parts: PagesParts, request: FastifyRequest): Promise<Session | null> {
  const secret = secretOf(request);
  if (secret === undefined) return null;
  const { read } = parts.database;
  const { work } = parts;
  const found = await findSession(labScope, read, secret, work.clock.now());
  if (found === undefined) return null;
  const id = tokenIdOf(secret);
  const scope = organizationScope(found.organization_id);
  const standing = await tokenStanding(scope, read, { tid: id, path: [id], sub: found.user_id });
  if (standing === undefined || standing.revoked || standing.member_role === null) return null;
  const token = {
    id,
    userId: found.user_id,
    organizationId: found.organization_id,
    role: standing.member_role,
    expiresAt: new Date(found.expires_at),
  };
  const claims = rootClaims(work.site.environment, token, work.clock.now());
  const principal = principalOf(claims, standing, { isSession: true });
  parts.rateLimiter.take(principal.tokenId);
  const visitor = {
    email: found.email,
    organization: found.organization_name,
    formToken: formTokenOf(secret),
  };
  return { principal, visitor };
}

export async function requireSession(parts: PagesParts, request: FastifyRequest): Promise<Session> {
  const session = await findOpenSession(parts, request);
  if (session === null) throw fail('unauthenticated');
  return session;
}

/** The session and the form of a state-changing request, after the checks that it was sent by our own page. */
export async function requireOwnForm(
  parts: PagesParts,
  request: FastifyRequest,
): Promise<{ session: Session; form: Form }> {
  refuseForeignForm(request, parts.work.site.baseUrl);
  const session = await requireSession(parts, request);
  const form = readForm(request);
  const given = Buffer.from(form[FORM_TOKEN_FIELD] ?? '');
  const expected = Buffer.from(session.visitor.formToken);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw fail('invalid_request', {
      reason: 'the form belongs to another session. Open the page again and repeat it.',
    });
  }
  return { session, form };
}

/** Uses a sign-in link once and opens a session for its person; undefined when the link is used, expired or unknown. */
export async function openSession(
  parts: PagesParts,
  tx: Transaction,
  link: string,
): Promise<string | undefined> {
  const { clock, ids } = parts.work;
  const createdAt = clock.now();
  const member = await redeemSignInLink(labScope, tx, link, createdAt);
  if (member === undefined) return undefined;
  const scope = organizationScope(member.organization_id);
  const secret = ids.secret() + ids.secret();
  const expiresAt = after(createdAt, SESSION_DAYS * DAY_MS);
  await insertSession(scope, tx, { secret, userId: member.user_id, createdAt, expiresAt });
  const found = await findSession(labScope, tx, secret, createdAt);
  if (found === undefined) return undefined;
  await insertRootToken(scope, tx, {
    id: tokenIdOf(secret),
    userId: member.user_id,
    name: 'Browser session',
    tokenType: 'user',
    role: found.role,
    createdAt,
    expiresAt,
  });
  return secret;
}

export async function closeSession(
  parts: PagesParts,
  request: FastifyRequest,
  session: Session,
): Promise<void> {
  const secret = secretOf(request);
  if (secret === undefined) return;
  const at = parts.work.clock.now();
  const { organizationId, tokenId } = session.principal;
  await parts.database.transaction(async (tx) => {
    await endSession(labScope, tx, secret, at);
    await revokeFamily(organizationScope(organizationId), tx, tokenId, at);
  });
}

export function setSessionCookie(parts: PagesParts, reply: FastifyReply, secret: string | null): void {
  const secure = parts.work.site.baseUrl.startsWith('https:') ? '; Secure' : '';
  const age = secret === null ? 0 : SESSION_SECONDS;
  reply.header(
    'set-cookie',
    `${COOKIE}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`,
  );
}

/** Whether a button for this operation belongs on the page. */
export function mayCall(session: Session, operation: Pick<Operation, 'permission'>): boolean {
  const { permission } = operation;
  return permission === 'public' || permission === 'any' || session.principal.permissions.has(permission);
}

function secretOf(request: FastifyRequest): string | undefined {
  const match = /(?:^|;\s*)assayer_session=([\w-]{20,100})(?:;|$)/.exec(request.headers.cookie ?? '');
  return match?.[1];
}

function formTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url');
}

/** A UUID (version 8) that follows from the secret and does not tell it. */
function tokenIdOf(secret: string): string {
  const hex = createHash('sha256').update(`token of session ${secret}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

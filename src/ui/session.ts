/**
 * The browser session of a person. A session acts in an organization through a token without a value: the token has a
 * row among its holder's tokens, is listed and revoked there, and has the rights of its role.
 */
import type { BrowserOrigin } from '#core/context.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createUnauthenticatedFailure, fail } from '#core/failures.ts';
import { listPermissions, type Operation } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { refuseForeignForm, readForm, type Form } from './http.ts';
import { FORM_TOKEN_FIELD, type Visitor } from './layout.ts';
import type { PagesParts } from './parts.ts';

const USER_AGENT_LENGTH_MAX = 300;

/** A signed-in person, perhaps without a current organization. */
export interface SignedIn {
  readonly sessionId: string;
  /** When the session ends at the latest. */
  readonly endsAt: Date;
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly visitor: Visitor;
  /** Signs the forms of the session. */
  readonly formKey: Buffer;
  /** Null when the person belongs to no organization, or has left the active one. */
  readonly principal: Principal | null;
}

export interface Session extends SignedIn {
  readonly principal: Principal;
}

/** The page needs an organization, and the person has none. */
export class NoOrganizationError extends Error {
  override readonly name = 'NoOrganizationError';
}

/** The page of the form showed another organization than the one in which the session now acts. */
export class OtherOrganizationError extends Error {
  override readonly name = 'OtherOrganizationError';
  /** Empty where the form was shown without an organization. */
  readonly organizationId: string;

  constructor(organizationId: string) {
    super('the form belongs to another organization');
    this.organizationId = organizationId;
  }
}

const signedInByRequest = new WeakMap<FastifyRequest, Promise<SignedIn | null>>();

/** Finds the session of the request's cookie; null when there is none, or it has ended, expired or been revoked. */
export function findSignedIn(parts: PagesParts, request: FastifyRequest): Promise<SignedIn | null> {
  // A form asks twice, before and after its body is read, so the answer is kept per request.
  const signedIn = signedInByRequest.get(request) ?? parts.lookUpSession(request);
  signedInByRequest.set(request, signedIn);
  return signedIn;
}

/** Checks, before a form's body is read, that another site did not send it and that its sender is signed in. */
export async function admitForm(parts: PagesParts, request: FastifyRequest): Promise<void> {
  refuseForeignForm(request, parts.work.site.baseUrl);
  const { principal, sessionId } = await requireSignedIn(parts, request);
  parts.setBodyOwner(request, principal?.familyId ?? sessionId);
}

export async function requireSignedIn(parts: PagesParts, request: FastifyRequest): Promise<SignedIn> {
  const signedIn = await findSignedIn(parts, request);
  if (signedIn === null) throw createUnauthenticatedFailure();
  return signedIn;
}

export async function requireSession(parts: PagesParts, request: FastifyRequest): Promise<Session> {
  return requireOrganization(await requireSignedIn(parts, request));
}

function requireOrganization(found: SignedIn): Session {
  const { principal } = found;
  if (principal === null) throw new NoOrganizationError('no organization is active');
  return { ...found, principal };
}

/**
 * Returns the person, the fields of a state-changing form and the id of the organization it was shown for (or ''), after
 * the checks that our own page sent it.
 */
export async function requirePersonalForm(
  parts: PagesParts,
  request: FastifyRequest,
): Promise<{ signedIn: SignedIn; form: Form; shownFor: string }> {
  refuseForeignForm(request, parts.work.site.baseUrl);
  const signedIn = await requireSignedIn(parts, request);
  const form = readForm(request);
  return { signedIn, form, shownFor: requireFormToken(signedIn, form) };
}

/** Rejects a form that no page of this session showed. Returns the organization for which it was shown, or ''. */
export function requireFormToken({ formKey }: Pick<SignedIn, 'formKey'>, form: Form): string {
  const text = form[FORM_TOKEN_FIELD] ?? '';
  const [organizationId = ''] = text.split('_', 1);
  const received = Buffer.from(text);
  const expected = Buffer.from(signFormToken(formKey, organizationId));
  if (received.length === expected.length && timingSafeEqual(received, expected)) return organizationId;
  throw fail('invalid_request', {
    reason: 'the form belongs to another session. Open the page again and repeat it.',
  });
}

/** Reads a form of a person with an organization; the form may have been shown for another organization of theirs. */
export async function requireOwnForm(
  parts: PagesParts,
  request: FastifyRequest,
): Promise<{ session: Session; form: Form; shownFor: string }> {
  const { signedIn, ...shown } = await requirePersonalForm(parts, request);
  return { session: requireOrganization(signedIn), ...shown };
}

/**
 * Reads a form about the current organization. A tab that was open before the person switched organizations still shows
 * the old one, so its forms are rejected.
 */
export async function requireOrganizationForm(
  parts: PagesParts,
  request: FastifyRequest,
): Promise<{ session: Session; form: Form }> {
  const { session, form, shownFor } = await requireOwnForm(parts, request);
  if (shownFor !== session.principal.organizationId) throw new OtherOrganizationError(shownFor);
  return { session, form };
}

export function getOrigin(request: FastifyRequest): BrowserOrigin {
  return {
    requestId: request.id,
    address: request.ip,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH_MAX),
    cookie: request.headers.cookie ?? '',
  };
}

export function setCookies(reply: FastifyReply, cookies: readonly string[]): void {
  if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
}

/** Whether the page should have a button for this operation. */
export function canCall(session: Session, operation: Pick<Operation, 'permission' | 'alsoNeeds'>): boolean {
  return listPermissions(operation).every((permission) => session.principal.permissions.has(permission));
}

/** The organization is named in the token, so that a form of another one can say whose it is. */
export function signFormToken(formKey: Buffer, organizationId: string): string {
  return `${organizationId}_${createHmac('sha256', formKey).update(organizationId).digest('base64url')}`;
}

/**
 * OAuth routes in front of the library: registration, authorization, consent, discovery.
 * This folder: the page on which a person consents to a program. Not here: the rules of it (`domain/oauth`).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import {
  completeRequest,
  canServeOAuth,
  MCP_PATH,
  READ_SCOPE,
  redirectKind,
  WRITE_SCOPE,
} from '#domain/oauth/rules.ts';
import { findOAuthClient } from '#domain/oauth/store.ts';
import type { SignInAnswer } from '#domain/people/port.ts';
import { parseJson } from '../../bodies/json-reader.ts';
import { requireStorablePairs } from '../../storable-text.ts';
import { getField, redirectAfterForm, sendPage, setPageHeaders, allowFormTarget } from '../http.ts';
import { renderPage } from '../layout.ts';
import type { PagesParts } from '../parts.ts';
import { passOn, toWebRequest } from '../people/auth-routes.ts';
import { admitForm, getOrigin, requireOwnForm, requireSession } from '../session.ts';
import { renderConsentPage } from './consent-view.ts';

const AUTHORIZE = '/auth/oauth2/authorize';
const CONSENT = '/oauth/consent';
const REGISTER = '/auth/oauth2/register';
const DISCOVERY = '/.well-known/oauth-authorization-server';
const QUERY_LENGTH_MAX = 8_192;
const REGISTRATION_BYTES_MAX = 16_384;

export function addOAuth(app: FastifyInstance, parts: PagesParts): void {
  addDiscovery(app, parts);
  addRegistration(app, parts);
  addAuthorization(app, parts);
  addConsent(app, parts);
}

/** RFC 8414. The issuer has a path, so the document is served at every address that clients try. */
function addDiscovery(app: FastifyInstance, parts: PagesParts): void {
  for (const url of [DISCOVERY, `${DISCOVERY}/auth`, `/auth${DISCOVERY}`]) {
    app.get(url, { exposeHeadRoute: false }, async (request, reply) => {
      if (!canServeOAuth(parts.work.site.baseUrl)) return reply.callNotFound();
      const found = await parts.people.ask(getOrigin(request), DISCOVERY);
      return reply
        .code(found.status)
        .header('access-control-allow-origin', '*')
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(found.body));
    });
  }
}

/**
 * RFC 7591. Registration is open to everybody, so it accepts only redirects that cannot send a person's code to a
 * stranger.
 */
function addRegistration(app: FastifyInstance, parts: PagesParts): void {
  app.post(REGISTER, { bodyLimit: REGISTRATION_BYTES_MAX }, async (request, reply) => {
    if (!canServeOAuth(parts.work.site.baseUrl)) return reply.callNotFound();
    const given = parseJson(typeof request.body === 'string' ? request.body : '');
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      return refuse(reply, 'invalid_client_metadata', 'The body must be a JSON object.');
    const uris: unknown = 'redirect_uris' in given ? given.redirect_uris : [];
    const kinds = Array.isArray(uris)
      ? uris.map((uri: unknown) => redirectKind(uri, parts.redirectHosts))
      : [];
    if (kinds.length === 0 || kinds.includes(undefined))
      return refuse(
        reply,
        'invalid_redirect_uri',
        'Redirects must go to this machine by http (127.0.0.1, [::1], localhost), or by https to a host that the operator of this service lists.',
      );
    const metadata = {
      ...given,
      // Some clients omit it, and without it the library rejects redirects to the machine itself.
      application_type: kinds.includes('loopback') ? 'native' : 'web',
      token_endpoint_auth_method: 'none',
    };
    const answer = await parts.people.handle(
      toWebRequest(parts, request, { body: JSON.stringify(metadata) }),
      getOrigin(request),
    );
    if (answer === undefined) return reply.callNotFound();
    return passOn(reply, answer);
  });
}

function refuse(reply: FastifyReply, error: string, description: string): FastifyReply {
  return reply
    .code(400)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ error, error_description: description }));
}

/** A person who is not signed in signs in first and returns here. */
function addAuthorization(app: FastifyInstance, parts: PagesParts): void {
  app.get(AUTHORIZE, { exposeHeadRoute: false }, async (request, reply) => {
    const { baseUrl } = parts.work.site;
    if (!canServeOAuth(baseUrl)) return reply.callNotFound();
    const url = new URL(request.url, baseUrl);
    if (url.search.length > QUERY_LENGTH_MAX)
      throw fail('invalid_request', { reason: 'the address is too long.' });
    await requireSession(parts, request);
    const query = completeRequest(url.searchParams, baseUrl + MCP_PATH);
    const answer = await parts.people.ask(getOrigin(request), `/oauth2/authorize?${query.toString()}`);
    return follow(reply, answer);
  });
}

/** The library gives the next address in a header or in its body. */
function follow(
  reply: FastifyReply,
  { status, location, body, cookies, retryAfterSeconds }: SignInAnswer,
): FastifyReply {
  const next = location ?? (typeof body.url === 'string' ? body.url : undefined);
  if (next !== undefined && status < 400) {
    if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
    return redirectAfterForm(reply, next);
  }
  if (status === 429) throw fail('rate_limited', { retry_after: retryAfterSeconds ?? 60 });
  const { error_description: description, message } = body;
  const reason = [description, message].find((text) => typeof text === 'string') ?? 'it was refused';
  throw fail('invalid_request', { reason: `the request of the program is not valid: ${reason}.` });
}

function addConsent(app: FastifyInstance, parts: PagesParts): void {
  app.get(CONSENT, async (request, reply) => {
    const { principal, visitor } = await requireSession(parts, request);
    const query = new URL(request.url, parts.work.site.baseUrl).searchParams;
    const { client, redirect } = await loadRequest(parts, query);
    setPageHeaders(reply);
    allowFormTarget(reply, redirect.origin);
    const frame = { environment: parts.work.site.environment, visitor };
    const view = { client, redirect, query, visitor, principal };
    return sendPage(reply, renderPage(frame, renderConsentPage(view)));
  });

  const onRequest = (request: FastifyRequest): Promise<void> => admitForm(parts, request);
  app.post(CONSENT, { onRequest }, async (request, reply) => {
    const { form, session } = await requireOwnForm(parts, request);
    const query = getField(form, 'oauth_query');
    requireStorablePairs(query, 'oauth_query');
    const asked = new URLSearchParams(query);
    const { redirect } = await loadRequest(parts, asked);
    allowFormTarget(reply, redirect.origin);
    const intent = getField(form, 'intent');
    if (intent !== 'allow' && intent !== 'deny')
      throw fail('invalid_request', { reason: 'choose to allow or to deny.' });
    const { principal } = session;
    const decision =
      intent === 'allow'
        ? { accept: true, oauth_query: query, scope: chooseScope(asked, getField(form, 'scope')) }
        : { accept: false, oauth_query: query };
    const grant = intent === 'allow' ? authorizeGrant(principal, 'consent', principal) : undefined;
    const answer = await parts.people.ask(getOrigin(request), '/oauth2/consent', decision, grant);
    return follow(reply, answer);
  });
}

async function loadRequest(parts: PagesParts, query: URLSearchParams) {
  const client = await findOAuthClient(parts.database.read, query.get('client_id') ?? '');
  const redirect = query.get('redirect_uri') ?? '';
  if (client === undefined || !URL.canParse(redirect))
    throw fail('invalid_request', {
      reason: 'the request matches no registered program. Start again from the program.',
    });
  return { client, redirect: new URL(redirect) };
}

/** The requested scope, without writing where the person allows only reading. */
function chooseScope(asked: URLSearchParams, chosen: string): string {
  const scopes = (asked.get('scope') ?? '').split(' ');
  if (chosen !== READ_SCOPE) return scopes.join(' ');
  return scopes.filter((scope) => scope !== WRITE_SCOPE).join(' ');
}

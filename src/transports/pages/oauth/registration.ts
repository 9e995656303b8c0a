/** Discovery of the OAuth server, and the registration of programs by themselves. */
import type { FastifyReply } from 'fastify';
import { fail } from '#core/failures.ts';
import { removeControls } from '#core/one-line.ts';
import { classifyRedirect } from '#core/redirect-policy.ts';
import { canServeOAuth } from '#features/people/programs/rules.ts';
import { parseJson } from '../../bodies/json-reader.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';

const REGISTER = '/auth/oauth2/register';
const DISCOVERY = '/.well-known/oauth-authorization-server';
const REGISTRATION_BYTES_MAX = 16_384;
const REDIRECTS_MAX = 20;

/** What the sign-in library says of itself and this service serves. */
const KEPT_METADATA = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'jwks_uri',
  'scopes_supported',
  'response_types_supported',
  'response_modes_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
] as const;
/** Every program registers as a public client, so no endpoint knows another method. */
const CLIENT_METHODS = ['none'];

/** The metadata without what the library could do and this service does not: introspection, secrets, logout, DPoP. */
function selectMetadata(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = KEPT_METADATA.filter((name) => metadata[name] !== undefined).map((name) => [
    name,
    metadata[name],
  ]);
  return {
    ...Object.fromEntries(kept),
    token_endpoint_auth_methods_supported: CLIENT_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_METHODS,
  };
}

/** RFC 8414. The issuer has a path, so the document is served at every address that clients try. */
export function addDiscovery(routes: Routes, parts: PagesParts): void {
  for (const url of [DISCOVERY, `${DISCOVERY}/auth`, `/auth${DISCOVERY}`]) {
    routes.get(url, { exposeHeadRoute: false }, async (request, reply) => {
      if (!canServeOAuth(parts.work.site.baseUrl)) return reply.callNotFound();
      const discovery = await parts.people.ask(getOrigin(request), DISCOVERY);
      return reply
        .code(discovery.status)
        .header('access-control-allow-origin', '*')
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(discovery.status === 200 ? selectMetadata(discovery.body) : discovery.body));
    });
  }
}

/**
 * RFC 7591. What an editor sends is met halfway: addresses that the policy refuses are left out, metadata that we do
 * not use are ignored, and the answer shows what was kept.
 */
export function addRegistration(routes: Routes, parts: PagesParts): void {
  routes.post(REGISTER, { bodyLimit: REGISTRATION_BYTES_MAX }, async (request, reply) => {
    if (!canServeOAuth(parts.work.site.baseUrl)) return reply.callNotFound();
    const parsed = parseJson(typeof request.body === 'string' ? request.body : '');
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      return refuse(reply, 'invalid_client_metadata', 'The body must be a JSON object.');
    const metadata = new Map<string, unknown>(Object.entries(parsed));
    const redirects = selectRedirects(parts, metadata.get('redirect_uris'));
    if (redirects.kept.length === 0)
      return refuse(reply, 'invalid_redirect_uri', describeRefusal(redirects.refused));
    const answer = await parts.people.ask(
      { ...getOrigin(request), cookie: '' },
      '/oauth2/register',
      buildRegistration(metadata, redirects.known),
      undefined,
      { redirectUris: redirects.kept },
    );
    if (answer.status === 429) throw fail('rate_limited', { retry_after: answer.retryAfterSeconds ?? 60 });
    const isMade = answer.status < 300;
    const body = isMade ? { ...answer.body, redirect_uris: redirects.kept } : answer.body;
    return send(reply, answer.status, body);
  });
}

interface Redirects {
  readonly kept: readonly string[];
  /** Those that the sign-in library can check itself; it knows no schemes of apps. */
  readonly known: readonly string[];
  readonly refused: readonly string[];
}

function selectRedirects({ redirectPolicy }: PagesParts, uris: unknown): Redirects {
  const addresses: readonly unknown[] = Array.isArray(uris) ? uris.slice(0, REDIRECTS_MAX) : [];
  const kept = new Set<string>();
  const known = new Set<string>();
  const refused: string[] = [];
  for (const uri of addresses) {
    const verdict = classifyRedirect(uri, redirectPolicy);
    if (verdict.kind === 'refused')
      refused.push(`${typeof uri === 'string' ? uri.slice(0, 200) : 'an entry'}: ${verdict.reason}`);
    else if (typeof uri === 'string') {
      kept.add(uri);
      if (verdict.kind !== 'app') known.add(uri);
    }
  }
  return { kept: [...kept], known: [...known], refused };
}

function describeRefusal(refused: readonly string[]): string {
  const rule =
    'A redirect goes to this machine by http (127.0.0.1, [::1] or localhost), or to a web page or an app that the operator of this service lists (OAUTH_REDIRECT_HOSTS, OAUTH_REDIRECT_SCHEMES).';
  return refused.length === 0
    ? `redirect_uris must list at least one address. ${rule}`
    : `No address can be accepted. ${refused.join('; ')}. ${rule}`;
}

/** Metadata for people, and what every program here is: public, with PKCE. */
function buildRegistration(
  metadata: ReadonlyMap<string, unknown>,
  redirects: readonly string[],
): Readonly<Record<string, unknown>> {
  const copied = ['client_name', 'client_uri', 'software_id', 'software_version'].flatMap((name) => {
    const value = metadata.get(name);
    const line = typeof value === 'string' ? removeControls(value.slice(0, 200)) : '';
    return line === '' ? [] : [[name, line] as const];
  });
  const isNative = redirects.length === 0 || redirects.some((uri) => uri.startsWith('http:'));
  return {
    ...Object.fromEntries(copied),
    // The library wants an address that it knows; the addresses of the row are those that were kept.
    redirect_uris: redirects.length === 0 ? ['http://127.0.0.1/'] : redirects,
    application_type: isNative ? 'native' : 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

function refuse(reply: FastifyReply, error: string, description: string): FastifyReply {
  return send(reply, 400, { error, error_description: description });
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

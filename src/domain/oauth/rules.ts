/**
 * Programs that act for a person at the tool protocol: OAuth 2.1 with PKCE, RFC 9728, RFC 8707, RFC 7591.
 * This folder: programs that act for a person at the tool protocol. Not here: sign-in of people (`domain/people`).
 */
import type { AttenuationSpec } from '#core/capability.ts';
import { actions } from '#core/permissions.ts';

/**
 * Path below the public address, with the slash: the one form of the resource (RFC 8707) that tokens are issued for.
 */
export const MCP_PATH = '/mcp/';
/** The issuer's path. */
export const ISSUER_PATH = '/auth';

export const READ_SCOPE = 'read';
export const WRITE_SCOPE = 'write';
/** Requests with this scope also get a refresh token. */
const OFFLINE_SCOPE = 'offline_access';
export const resourceScopes = [READ_SCOPE, WRITE_SCOPE] as const;
export const oauthScopes = [...resourceScopes, OFFLINE_SCOPE] as const;

/** Seconds. The token cannot be revoked before it expires, so its life is short. */
export const ACCESS_TOKEN_LIFE_S = 300;
export const REFRESH_TOKEN_LIFE_S = 30 * 24 * 3_600;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The library and RFC 8252 require https except on the machine itself; without https there is no OAuth. */
export function canServeOAuth(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || LOOPBACK.has(hostname);
}

/** A program ends its access by ending its sign-in; it may not revoke the tokens of the person. */
const ACTIONS_OF_PROGRAMS = actions.filter((action) => action !== 'revoke');

export type RedirectKind = 'loopback' | 'listed';

/**
 * Addresses that may receive a code: the machine itself (RFC 8252 §7.3), or an https host that the operator lists.
 */
export function redirectKind(uri: unknown, hosts: ReadonlySet<string>): RedirectKind | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '' || uri.includes('#')) return undefined;
  if (url.protocol === 'http:' && LOOPBACK.has(url.hostname)) return 'loopback';
  return url.protocol === 'https:' && hosts.has(url.hostname) ? 'listed' : undefined;
}

/**
 * Completes a token request: adds the resource where the client left it out, and the scope that brings a refresh
 * token.
 */
export function completeRequest(query: URLSearchParams, resource: string): URLSearchParams {
  const completed = new URLSearchParams(query);
  if (!completed.has('resource')) completed.set('resource', resource);
  const scopes = (completed.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const asked = scopes.some((scope) => scope !== OFFLINE_SCOPE) ? scopes : resourceScopes;
  completed.set('scope', [...new Set([...asked, OFFLINE_SCOPE])].join(' '));
  return completed;
}

/**
 * Restricts a program to a part of what the person may do: one organization, so no rights of staff or partners, and
 * read-only unless it asked to write. Its token counts as derived and cannot give rights (`core/grants.ts`).
 */
export function buildRestrictions(scopes: readonly string[], organizationId: string): AttenuationSpec[] {
  const within = { allowed_org_ids: [organizationId] };
  if (scopes.includes(WRITE_SCOPE)) return [{ ...within, allowed_actions: ACTIONS_OF_PROGRAMS }];
  return scopes.includes(READ_SCOPE)
    ? [{ ...within, read_only: true }]
    : [{ ...within, allowed_actions: [] }];
}

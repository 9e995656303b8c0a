/**
 * Programs that act for a person at the tool protocol: OAuth 2.1 with PKCE, RFC 9728, RFC 8707, RFC 7591.
 * This folder: programs that act for a person at the tool protocol. Not here: sign-in of people (`features/people`).
 */
import type { AttenuationSpec } from '#core/capability.ts';
import { actions } from '#core/permissions.ts';

/** Path below the public address, and with it the resource (RFC 8707) of a program that names none. */
export const MCP_PATH = '/mcp/';
/** The same without the slash, as people type it. Clients compare the resource with the address letter by letter. */
export const BARE_MCP_PATH = '/mcp';
/** The addresses of the one resource that tokens are issued for. */
export const MCP_PATHS = [MCP_PATH, BARE_MCP_PATH] as const;
/** The issuer's path. */
export const ISSUER_PATH = '/auth';

const READ_SCOPE = 'read';
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

/**
 * Completes a token request: adds the resource where the client left it out, and the scope that brings a refresh
 * token.
 */
export function completeRequest(query: URLSearchParams, resource: string): URLSearchParams {
  const completed = normalizeResource(query, resource);
  if (!completed.has('resource')) completed.set('resource', resource);
  const scopes = (completed.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const requested = scopes.some((scope) => scope !== OFFLINE_SCOPE) ? scopes : resourceScopes;
  completed.set('scope', [...new Set([...requested, OFFLINE_SCOPE])].join(' '));
  return completed;
}

/**
 * Names the resource with its slash wherever a program names it without. A program may learn one name from the
 * challenge before a person consents, and the other from the discovery afterwards; the code is good for both.
 */
export function normalizeResource(pairs: URLSearchParams, resource: string): URLSearchParams {
  const bare = resource.replace(/\/$/, '');
  const normalized = new URLSearchParams();
  for (const [name, value] of pairs)
    normalized.append(name, name === 'resource' && value === bare ? resource : value);
  return normalized;
}

/** What a person may let a program do. */
export const programRights = ['read', 'prepare', 'order'] as const;
export type ProgramRight = (typeof programRights)[number];

/** A person's decision about a program. */
export interface ProgramChoice {
  readonly right: ProgramRight;
  /** Codes of the only experiments that it may touch; null for every one. */
  readonly experiments: readonly string[] | null;
  /** US cents that it may commit to; null for no limit. */
  readonly maxSpendCents: number | null;
  /** The end that the person chose; null for the end of the session. */
  readonly endsAt: Date | null;
}

/**
 * Restricts a program to a part of what the person may do: one organization, so no rights of staff or partners, and
 * what the person chose. Its token counts as derived and cannot give rights (`core/grants.ts`). A program that only
 * prepares may commit to nothing: its limit of zero accepts no quote, not even a free one.
 */
export function buildProgramLimits(organizationId: string, choice: ProgramChoice) {
  const { right, experiments, maxSpendCents, endsAt } = choice;
  const limit = right === 'prepare' ? 0 : maxSpendCents;
  return {
    allowed_org_ids: [organizationId],
    ...(right === 'read' ? { read_only: true } : { allowed_actions: ACTIONS_OF_PROGRAMS }),
    ...(right === 'read' || limit === null ? {} : { max_spend_cents: limit }),
    ...(experiments === null ? {} : { resource_ids: experiments }),
    ...(endsAt === null ? {} : { expires_at: endsAt.toISOString() }),
  } satisfies AttenuationSpec;
}

/** Reads what the person chose back out of the limits, for pages. */
export function findProgramRight(limits: AttenuationSpec): ProgramRight {
  if (limits.read_only === true) return 'read';
  return limits.max_spend_cents === 0 ? 'prepare' : 'order';
}

/** A program may ask for a token with less than the person allowed. */
export function narrowByScopes(limits: AttenuationSpec, scopes: readonly string[]): AttenuationSpec[] {
  if (scopes.includes(WRITE_SCOPE)) return [limits];
  return scopes.includes(READ_SCOPE) ? [limits, { read_only: true }] : [limits, { allowed_actions: [] }];
}

/** The claims of an access token after its signature, issuer, audience and time have been checked. */
export interface AccessGrant {
  readonly userId: string;
  readonly sessionId: string;
  /** The token that the person's consent made. */
  readonly programTokenId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** The OAuth server of the tool protocol: the library's provider, restricted to public clients with PKCE. */
import { mcp } from '@better-auth/mcp';
import type { BetterAuthPlugin } from 'better-auth';
import { jwt } from 'better-auth/plugins/jwt';
import {
  ACCESS_TOKEN_LIFE_S,
  ISSUER_PATH,
  canServeOAuth,
  MCP_PATH,
  oauthScopes,
  REFRESH_TOKEN_LIFE_S,
} from '#domain/oauth/rules.ts';
import { keyTable, providerTables } from './oauth-tables.ts';

const MINUTE_S = 60;

/** Empty where the address is neither https nor the machine itself: then tokens come from the portal only. */
export function createOAuthPlugins(baseUrl: string): BetterAuthPlugin[] {
  if (!canServeOAuth(baseUrl)) return [];
  return [createSigningPlugin(baseUrl), createMcpPlugin(baseUrl)];
}

function createSigningPlugin(baseUrl: string): BetterAuthPlugin {
  return jwt({
    jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } },
    jwt: { issuer: `${baseUrl}${ISSUER_PATH}` },
    disableSettingJwtHeader: true,
    schema: keyTable,
  });
}

function createMcpPlugin(baseUrl: string): BetterAuthPlugin {
  return mcp({
    resource: `${baseUrl}${MCP_PATH}`,
    loginPage: '/sign-in',
    consentPage: '/oauth/consent',
    scopes: [...oauthScopes],
    grantTypes: ['authorization_code', 'refresh_token'],
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    clientRegistrationDefaultScopes: [...oauthScopes],
    accessTokenExpiresIn: ACCESS_TOKEN_LIFE_S,
    refreshTokenExpiresIn: REFRESH_TOKEN_LIFE_S,
    // A refresh token that is used twice has been copied, so its whole grant ends.
    refreshTokenReuseInterval: 0,
    // Uses the person's organization at the time of the consent; without one no consent is possible.
    postLogin: {
      page: '/oauth/consent',
      shouldRedirect: () => false,
      consentReferenceId: ({ session }) => getOrganizationId(session),
    },
    customAccessTokenClaims: ({ referenceId }) => ({ org: referenceId }),
    rateLimit: {
      register: { window: MINUTE_S, max: 10 },
      token: { window: MINUTE_S, max: 60 },
      authorize: { window: MINUTE_S, max: 60 },
      revoke: { window: MINUTE_S, max: 30 },
    },
    schema: providerTables,
  });
}

function getOrganizationId(session: Readonly<Record<string, unknown>>): string {
  const { activeOrganizationId: id } = session;
  if (typeof id !== 'string') throw new Error('no organization is active in the session');
  return id;
}

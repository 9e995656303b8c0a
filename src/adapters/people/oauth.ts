/** The OAuth server of the tool protocol: the library's provider, restricted to public clients with PKCE. */
import { mcp } from '@better-auth/mcp';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-auth/api';
import { jwt } from 'better-auth/plugins/jwt';
import {
  ACCESS_TOKEN_LIFE_S,
  BARE_MCP_PATH,
  ISSUER_PATH,
  canServeOAuth,
  MCP_PATH,
  oauthScopes,
  REFRESH_TOKEN_LIFE_S,
} from '#features/people/programs/rules.ts';

/** The names of the library's OAuth models in our tables. */

/** Turns `requirePKCE` into `require_pkce`. */
function mapColumns(names: string): Record<string, string> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((field) => [field, field.replaceAll(/(?<=[a-z])[A-Z]+/g, (part) => `_${part.toLowerCase()}`)]),
  );
}

const grant = `clientId sessionId userId referenceId authorizationCodeId resources requestedUserInfoClaims expiresAt
  createdAt revoked confirmation scopes`;

const keyTable = {
  jwks: { modelName: 'oauth_keys', fields: mapColumns('publicKey privateKey createdAt expiresAt alg crv') },
};

const providerTables = {
  oauthClient: {
    modelName: 'oauth_clients',
    fields:
      mapColumns(`clientId clientSecret clientDiscoveryId disabled skipConsent enableEndSession subjectType scopes
      clientCredentialsScopes userId createdAt updatedAt name uri icon contacts tos policy softwareId softwareVersion
      softwareStatement redirectUris postLogoutRedirectUris backchannelLogoutUri backchannelLogoutSessionRequired
      tokenEndpointAuthMethod applicationType jwks jwksUri grantTypes responseTypes requirePKCE dpopBoundAccessTokens
      referenceId metadata`),
  },
  oauthResource: {
    modelName: 'oauth_resources',
    fields:
      mapColumns(`identifier name accessTokenTtl refreshTokenTtl signingAlgorithm signingKeyId allowedScopes
      customClaims dpopBoundAccessTokensRequired disabled createdAt updatedAt policyVersion metadata`),
  },
  oauthClientResource: {
    modelName: 'oauth_client_resources',
    fields: mapColumns('clientId resourceId metadata createdAt'),
  },
  oauthRefreshToken: {
    modelName: 'oauth_refresh_tokens',
    fields: mapColumns(`token ${grant} rotatedAt rotationReplayResponse rotationReplayExpiresAt authTime`),
  },
  oauthAccessToken: {
    modelName: 'oauth_access_tokens',
    fields: mapColumns(`token ${grant} refreshId`),
  },
  oauthConsent: {
    modelName: 'oauth_consents',
    fields: mapColumns(
      'clientId userId referenceId resources requestedUserInfoClaims scopes createdAt updatedAt',
    ),
  },
  oauthClientAssertion: { modelName: 'oauth_client_assertions', fields: mapColumns('expiresAt') },
};

const MINUTE_S = 60;
const NOT_DECIDED = 'not-decided';

interface Programs {
  /** The token that the consent of this request makes. */
  readonly getProgramTokenId: () => string | undefined;
  readonly isProgramAlive: (programTokenId: string) => Promise<boolean>;
}

/** Empty where the address is neither https nor the machine itself: then tokens come from the portal only. */
export function createOAuthPlugins(baseUrl: string, programs: Programs): BetterAuthPlugin[] {
  if (!canServeOAuth(baseUrl)) return [];
  return [createSigningPlugin(baseUrl), createMcpPlugin(baseUrl, programs)];
}

function createSigningPlugin(baseUrl: string): BetterAuthPlugin {
  return jwt({
    jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } },
    jwt: { issuer: `${baseUrl}${ISSUER_PATH}` },
    disableSettingJwtHeader: true,
    schema: keyTable,
  });
}

function createMcpPlugin(baseUrl: string, programs: Programs): BetterAuthPlugin {
  return mcp({
    resource: `${baseUrl}${MCP_PATH}`,
    resources: [`${baseUrl}${BARE_MCP_PATH}`],
    clientRegistrationDefaultResources: [`${baseUrl}${BARE_MCP_PATH}`],
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
    // Names the token that the consent makes. A request for authorization has none yet, so it never finds an earlier
    // consent: a person decides each time.
    postLogin: {
      page: '/oauth/consent',
      shouldRedirect: () => false,
      consentReferenceId: () => programs.getProgramTokenId() ?? NOT_DECIDED,
    },
    customAccessTokenClaims: async ({ referenceId = NOT_DECIDED }) => {
      if (!(await programs.isProgramAlive(referenceId)))
        throw new APIError('BAD_REQUEST', {
          error: 'invalid_grant',
          error_description: 'the access of this program has ended; the person must let it in again',
        });
      return { program: referenceId };
    },
    rateLimit: {
      register: { window: MINUTE_S, max: 10 },
      token: { window: MINUTE_S, max: 60 },
      authorize: { window: MINUTE_S, max: 60 },
      revoke: { window: MINUTE_S, max: 30 },
    },
    schema: providerTables,
  });
}

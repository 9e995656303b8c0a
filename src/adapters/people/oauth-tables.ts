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

export const keyTable = {
  jwks: { modelName: 'oauth_keys', fields: mapColumns('publicKey privateKey createdAt expiresAt alg crv') },
};

export const providerTables = {
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

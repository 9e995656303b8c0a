/** Signing in at an identity provider of the operator's choice (OpenID Connect Core 1.0, with PKCE and a nonce). */
import type { BetterAuthPlugin } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { PROVIDER_ID, type ProviderSettings } from './library-routes.ts';

/** It signs in whom we know; somebody new comes by an invitation or a sign-up. */
export function providerPlugin({ issuer, clientId, clientSecret, name }: ProviderSettings): BetterAuthPlugin {
  return genericOAuth({
    config: [
      {
        providerId: PROVIDER_ID,
        name,
        discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        requireIdTokenVerification: true,
        disableSignUp: true,
      },
    ],
  });
}

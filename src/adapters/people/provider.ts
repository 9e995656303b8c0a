/** Sign-in at an identity provider that the operator chose (OpenID Connect Core 1.0, with PKCE and a nonce). */
import type { BetterAuthPlugin } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { PROVIDER_ID, type ProviderSettings } from './library-routes.ts';

/** Signs in existing people only; new people need an invitation or a sign-up. */
export function createProviderPlugin({
  issuer,
  clientId,
  clientSecret,
  name,
}: ProviderSettings): BetterAuthPlugin {
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

/** The sign-in of an agent by OAuth, as both packages of the tool protocol ask for it. */
import { REDIRECT } from './oauth.ts';

/** What an agent remembers; both packages ask for it by the same names. */
export class Agent {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'A test agent', redirect_uris: [REDIRECT] };
  sentTo: URL | undefined;
  #client: { client_id: string } | undefined;
  #tokens: { access_token: string; token_type: string; refresh_token?: string | undefined } | undefined;
  #verifier = '';

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: { client_id: string }): void {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: { access_token: string; token_type: string; refresh_token?: string | undefined }): void {
    this.#tokens = tokens;
  }
  invalidateCredentials(which: string): void {
    if (which === 'all' || which === 'tokens') this.#tokens = undefined;
  }
  redirectToAuthorization(to: URL): void {
    this.sentTo = to;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

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

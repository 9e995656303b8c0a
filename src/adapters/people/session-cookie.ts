/** The cookie of a session, as the sign-in library writes and reads it: the token and its HMAC-SHA-256. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookies, serializeCookie, serializeSignedCookie } from 'better-call';
import { SESSION_MS } from '#domain/people/rules.ts';
import { SESSION_COOKIE } from './library-routes.ts';

export class SessionCookie {
  readonly #secret: string;
  readonly #isSecure: () => boolean;

  constructor(secret: string, isSecure: () => boolean) {
    this.#secret = secret;
    this.#isSecure = isSecure;
  }

  get #name(): string {
    return this.#isSecure() ? `__Secure-${SESSION_COOKIE}` : SESSION_COOKIE;
  }

  #getOptions(maxAge: number) {
    return { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: this.#isSecure(), maxAge };
  }

  write(token: string): Promise<string> {
    return serializeSignedCookie(this.#name, token, this.#secret, this.#getOptions(SESSION_MS / 1000));
  }

  writeRemoval(): string {
    return serializeCookie(this.#name, '', this.#getOptions(0));
  }

  /** Returns the token of a `Cookie` header with our signature; undefined otherwise. */
  read(header: string | undefined): string | undefined {
    const value = header === undefined ? undefined : parseCookies(header).get(this.#name);
    const at = value?.lastIndexOf('.') ?? -1;
    if (value === undefined || at < 1) return undefined;
    const token = value.slice(0, at);
    const given = Buffer.from(value.slice(at + 1), 'base64');
    const expected = createHmac('sha256', this.#secret).update(token).digest();
    return given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined;
  }
}

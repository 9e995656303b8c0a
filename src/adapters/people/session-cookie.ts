/** The cookie of a session, as the sign-in library writes and reads it: the token and its HMAC-SHA-256. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SESSION_MS } from '#features/people/rules.ts';
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

  async write(token: string): Promise<string> {
    // A hundred modules: a service loads them with its first session.
    const { serializeSignedCookie } = await import('better-call');
    const maxAge = SESSION_MS / 1000;
    const options = { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: this.#isSecure(), maxAge };
    return serializeSignedCookie(this.#name, token, this.#secret, options);
  }

  writeRemoval(): string {
    return `${this.#name}=; Max-Age=0; Path=/; HttpOnly${this.#isSecure() ? '; Secure' : ''}; SameSite=Lax`;
  }

  /** Returns the token of a `Cookie` header with our signature; undefined otherwise. */
  read(header: string | undefined): string | undefined {
    const value = header === undefined ? undefined : findCookie(header, this.#name);
    const at = value?.lastIndexOf('.') ?? -1;
    if (value === undefined || at < 1) return undefined;
    const token = value.slice(0, at);
    const signature = Buffer.from(value.slice(at + 1), 'base64');
    const expected = createHmac('sha256', this.#secret).update(token).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected) ? token : undefined;
  }
}

/** The decoded value of the first cookie of a name. */
function findCookie(header: string, name: string): string | undefined {
  const pair = header.split(';').find((part) => part.split('=', 1)[0]?.trim() === name && part.includes('='));
  const value = pair?.slice(pair.indexOf('=') + 1).trim();
  if (value === undefined) return undefined;
  const bare = value.startsWith('"') ? value.slice(1, -1) : value;
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

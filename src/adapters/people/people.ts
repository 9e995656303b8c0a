/**
 * Implements the port of `features/people` with the sign-in library: one instance per public address, one path prefix.
 * This folder: the sign-in library behind the port of `features/people`. Not here: who may do what
 * (`features/organizations`, `core/permissions.ts`).
 */
import type { BrowserOrigin } from '#core/context.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Grant } from '#core/grants.ts';
import { loadInTurns } from '#core/load-in-turns.ts';
import type { Transaction } from '#core/sql.ts';
import type { People, PeopleRequest, ProviderStart, SignInAnswer } from '#features/people/port.ts';
import { runWithTransaction } from '../postgres/auth-transaction.ts';
import { signInModules } from './late-modules.ts';
import type { Circumstances, createLibrary, Library, LibraryParts } from './library.ts';
import {
  ADDRESS_HEADER,
  AUTH_PATH,
  oauthRoutes,
  passkeyRoutes,
  PROVIDER_ID,
  providerRoutes,
  SESSION_COOKIE,
} from './library-routes.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SESSION_MS } from '#features/people/rules.ts';

/** The cookie of a session, as the sign-in library writes and reads it: the token and its HMAC-SHA-256. */
class SessionCookie {
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

export function createPeople(parts: LibraryParts, load: LoadLibrary = loadLibrary): LibraryPeople {
  return new LibraryPeople(parts, load);
}

type LoadLibrary = (...args: Parameters<typeof createLibrary>) => Promise<Library>;

class LibraryPeople implements People {
  readonly provider: { readonly name: string } | null;
  readonly #parts: LibraryParts;
  readonly #load: LoadLibrary;
  readonly #openRoutes: readonly RegExp[];
  readonly #cookie: SessionCookie;
  readonly #circumstances = new AsyncLocalStorage<Circumstances>();
  #made: { readonly baseUrl: string; readonly loading: Promise<Library> } | undefined;

  constructor(parts: LibraryParts, load: LoadLibrary) {
    this.#parts = parts;
    this.#load = load;
    this.provider = parts.provider;
    this.#openRoutes = [...passkeyRoutes, ...(parts.provider === null ? [] : providerRoutes), ...oauthRoutes];
    this.#cookie = new SessionCookie(parts.secret, () => parts.work.site.baseUrl.startsWith('https:'));
  }

  /**
   * Loads the library when it is first needed, and again after a load that failed. A service on a free port knows its address
   * only after it listens.
   */
  async loadLibrary(): Promise<Library> {
    const { baseUrl } = this.#parts.work.site;
    if (this.#made?.baseUrl !== baseUrl)
      this.#made = { baseUrl, loading: this.#load(this.#parts, baseUrl, this.#circumstances) };
    const made = this.#made;
    try {
      return await made.loading;
    } catch (error) {
      if (this.#made === made) this.#made = undefined;
      throw error;
    }
  }

  async ask(
    origin: BrowserOrigin,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    grant?: Grant,
    more: PeopleRequest = {},
  ): Promise<SignInAnswer> {
    // In turns of the event loop, the client of HTTP of Node among them, which the request below needs.
    await this.loadLibrary();
    const { baseUrl } = this.#parts.work.site;
    const own = { ...buildHeaders(origin), origin: new URL(baseUrl).origin };
    const request = new Request(`${baseUrl}${AUTH_PATH}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? own : { ...own, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return parseAnswer(await this.#run(origin, path, request, { grant, more }));
  }

  async openSession(
    origin: BrowserOrigin,
    userId: string,
    by: string,
    organizationId?: string,
  ): Promise<readonly string[]> {
    const { internalAdapter } = await (await this.loadLibrary()).$context;
    const device = {
      ipAddress: origin.address,
      userAgent: origin.userAgent,
      ...(organizationId === undefined ? {} : { activeOrganizationId: organizationId }),
    };
    const session = await this.#circumstances.run({ origin, by }, () =>
      internalAdapter.createSession(userId, false, device),
    );
    return [await this.#cookie.write(session.token)];
  }

  async checkPassword(userId: string, password: string): Promise<boolean> {
    const { internalAdapter, password: hasher } = await (await this.loadLibrary()).$context;
    const hash = (await internalAdapter.findCredentialAccount(userId))?.password;
    return hash === undefined || hash === null ? false : hasher.verify({ hash, password });
  }

  async hashPassword(password: string): Promise<string> {
    const { password: hasher } = await (await this.loadLibrary()).$context;
    return hasher.hash(password);
  }

  async storePassword(origin: BrowserOrigin, userId: string, hash: string): Promise<void> {
    const { internalAdapter } = await (await this.loadLibrary()).$context;
    await this.#circumstances.run({ origin, by: undefined }, async () => {
      const credentialAccount = await internalAdapter.findCredentialAccount(userId);
      const account = { userId, providerId: 'credential', accountId: userId, password: hash };
      await (credentialAccount === null
        ? internalAdapter.linkAccount(account)
        : internalAdapter.updateAccount(credentialAccount.id, { password: hash }));
    });
  }

  async startAtProvider(
    origin: BrowserOrigin,
    { signedIn, refused }: { readonly signedIn: string; readonly refused: string },
  ): Promise<ProviderStart | undefined> {
    const body = { provider: PROVIDER_ID, callbackURL: signedIn, errorCallbackURL: refused };
    const answer = await this.ask(origin, '/sign-in/social', body);
    // The discovery document could not be read when the instance was made; the next attempt makes a new one.
    if (answer.status === 404) this.#made = undefined;
    const { url } = answer.body;
    return answer.status === 200 && typeof url === 'string' ? { url, cookies: answer.cookies } : undefined;
  }

  findSessionToken(cookie: string | undefined): string | undefined {
    return this.#cookie.read(cookie);
  }

  writeSessionEnd(): readonly string[] {
    return [this.#cookie.writeRemoval()];
  }

  runWithin<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
    return runWithTransaction(tx, work);
  }

  async handle(request: Request, origin: BrowserOrigin): Promise<Response | undefined> {
    const path = new URL(request.url).pathname.slice(AUTH_PATH.length);
    const route = `${request.method} ${path}`;
    if (!this.#openRoutes.some((open) => open.test(route))) return undefined;
    request.headers.set(ADDRESS_HEADER, origin.address);
    return this.#run(origin, path, request);
  }

  #run(
    origin: BrowserOrigin,
    path: string,
    request: Request,
    { grant, more = {} }: Pick<Circumstances, 'grant' | 'more'> = {},
  ): Promise<Response> {
    return this.#circumstances.run({ origin, by: findProof(path), grant, more }, async () => {
      const { handler } = await this.loadLibrary();
      return handler(request);
    });
  }
}

/** Loading takes a tenth of the start-up time, and callers with a token do not need it. */
async function loadLibrary(...args: Parameters<typeof createLibrary>): Promise<Library> {
  await loadInTurns(signInModules);
  const { createLibrary: create } = await import('./library.ts');
  return create(...args);
}

function findProof(path: string): string | undefined {
  if (path === '/sign-in/email') return 'password';
  if (path.startsWith('/passkey/')) return 'passkey';
  return path.startsWith('/callback/') ? 'provider' : undefined;
}

/** Builds the headers that the library may see; the address is the one that our own server saw. */
function buildHeaders(origin: BrowserOrigin): Record<string, string> {
  return { cookie: origin.cookie, 'user-agent': origin.userAgent, [ADDRESS_HEADER]: origin.address };
}

async function parseAnswer(response: Response): Promise<SignInAnswer> {
  const body = parseJson(await response.text());
  const wait = Number(response.headers.get('x-retry-after') ?? Number.NaN);
  return {
    status: response.status,
    code: typeof body.code === 'string' ? body.code : null,
    body,
    location: response.headers.get('location') ?? undefined,
    cookies: response.headers.getSetCookie(),
    retryAfterSeconds: Number.isFinite(wait) ? wait : null,
  };
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The sign-in library behind the port of `domain/people`: one instance per public address, one closed prefix. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { BetterAuthPlugin } from 'better-auth';
import { betterAuth } from 'better-auth/minimal';
import type { Logger } from 'pino';
import type { Work } from '#core/context.ts';
import type { Grant } from '#core/grants.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { Origin, People, ProviderStart, SignInAnswer } from '#domain/people/port.ts';
import { authTables, withinTransaction, type Change, type Row } from '../postgres/auth-tables.ts';
import { ADDRESS_HEADER, AUTH_PATH, authOptions } from './options.ts';
import { PROVIDER_ID } from './provider.ts';
import { SessionCookie } from './session-cookie.ts';

/** What a change of one of the library's rows brings about, in the same transaction. */
export type PeopleEffect = (
  tx: Transaction,
  origin: Origin | undefined,
  /** How the person proved to be the one, where a route tells. */
  by: string | undefined,
  changed: {
    readonly kind: Change;
    readonly row: Row;
    readonly columns: readonly string[];
    /** What the person who asks may give, where something is given. */
    readonly grant: Grant | undefined;
  },
) => Promise<void>;

export interface PeopleParts {
  readonly work: Work;
  readonly database: Database;
  readonly log: Logger;
  readonly secret: string;
  readonly attemptsPerMinute: number;
  readonly provider: { readonly name: string } | null;
  /** By table. */
  readonly effects: Readonly<Record<string, PeopleEffect>>;
  readonly plugins: (baseUrl: string) => readonly BetterAuthPlugin[];
  /** Further routes that may be asked from outside, such as `POST /oauth2/token`. */
  readonly routes: readonly RegExp[];
}

interface Circumstances {
  readonly origin: Origin;
  readonly by: string | undefined;
  readonly grant?: Grant | undefined;
}

const PASSKEY_ROUTES = [
  /^GET \/passkey\/generate-(?:authenticate|register)-options$/,
  /^POST \/passkey\/verify-(?:authentication|registration)$/,
];

export function createPeople(parts: PeopleParts): LibraryPeople {
  return new LibraryPeople(parts);
}

class LibraryPeople implements People {
  readonly provider: { readonly name: string } | null;
  readonly #parts: PeopleParts;
  readonly #openRoutes: readonly RegExp[];
  readonly #cookie: SessionCookie;
  readonly #circumstances = new AsyncLocalStorage<Circumstances>();
  #made: { readonly baseUrl: string; readonly auth: Auth } | undefined;

  constructor(parts: PeopleParts) {
    this.#parts = parts;
    this.provider = parts.provider;
    this.#openRoutes = [...PASSKEY_ROUTES, ...parts.routes];
    this.#cookie = new SessionCookie(parts.secret, () => parts.work.site.baseUrl.startsWith('https:'));
  }

  /** The instance itself. The address of a service on a free port is known only once it listens. */
  auth(): Auth {
    const { baseUrl } = this.#parts.work.site;
    if (this.#made?.baseUrl !== baseUrl) {
      this.#made = { baseUrl, auth: instanceFor(this.#parts, baseUrl, this.#circumstances) };
    }
    return this.#made.auth;
  }

  async ask(
    origin: Origin,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    grant?: Grant,
  ): Promise<SignInAnswer> {
    const { baseUrl } = this.#parts.work.site;
    const own = { ...headersOf(origin), origin: new URL(baseUrl).origin };
    const request = new Request(`${baseUrl}${AUTH_PATH}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? own : { ...own, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answerOf(await this.#run(origin, path, request, grant));
  }

  async openSession(
    origin: Origin,
    userId: string,
    by: string,
    organizationId?: string,
  ): Promise<readonly string[]> {
    const { internalAdapter } = await this.auth().$context;
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
    const { internalAdapter, password: hasher } = await this.auth().$context;
    const hash = (await internalAdapter.findCredentialAccount(userId))?.password;
    return hash === undefined || hash === null ? false : hasher.verify({ hash, password });
  }

  async hashPassword(password: string): Promise<string> {
    const { password: hasher } = await this.auth().$context;
    return hasher.hash(password);
  }

  async storePassword(origin: Origin, userId: string, hash: string): Promise<void> {
    const { internalAdapter } = await this.auth().$context;
    await this.#circumstances.run({ origin, by: undefined }, async () => {
      const known = await internalAdapter.findCredentialAccount(userId);
      const account = { userId, providerId: 'credential', accountId: userId, password: hash };
      await (known === null
        ? internalAdapter.linkAccount(account)
        : internalAdapter.updateAccount(known.id, { password: hash }));
    });
  }

  async startAtProvider(origin: Origin): Promise<ProviderStart | undefined> {
    const body = { provider: PROVIDER_ID, callbackURL: '/', errorCallbackURL: '/sign-in' };
    const answer = await this.ask(origin, '/sign-in/social', body);
    // Its discovery document could not be read when the instance was made; the next attempt makes another.
    if (answer.status === 404) this.#made = undefined;
    const { url } = answer.body;
    return answer.status === 200 && typeof url === 'string' ? { url, cookies: answer.cookies } : undefined;
  }

  sessionTokenOf(cookie: string | undefined): string | undefined {
    return this.#cookie.read(cookie);
  }

  forgetSession(): readonly string[] {
    return [this.#cookie.forget()];
  }

  within<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
    return withinTransaction(tx, work);
  }

  async handle(request: Request, origin: Origin): Promise<Response | undefined> {
    const path = new URL(request.url).pathname.slice(AUTH_PATH.length);
    const route = `${request.method} ${path}`;
    if (!this.#openRoutes.some((open) => open.test(route))) return undefined;
    request.headers.set(ADDRESS_HEADER, origin.address);
    return this.#run(origin, path, request);
  }

  #run(origin: Origin, path: string, request: Request, grant?: Grant): Promise<Response> {
    return this.#circumstances.run({ origin, by: proofOf(path), grant }, () => this.auth().handler(request));
  }
}

type Auth = ReturnType<typeof instanceFor>;

function proofOf(path: string): string | undefined {
  if (path === '/sign-in/email') return 'password';
  if (path.startsWith('/passkey/')) return 'passkey';
  return path.startsWith('/callback/') ? 'provider' : undefined;
}

function instanceFor(parts: PeopleParts, baseUrl: string, circumstances: AsyncLocalStorage<Circumstances>) {
  const effects = Object.entries(parts.effects).map(([table, effect]) => [
    table,
    (tx: Transaction, kind: Change, row: Row, columns: readonly string[]) => {
      const { origin, by, grant } = circumstances.getStore() ?? {};
      return effect(tx, origin, by, { kind, row, columns, grant });
    },
  ]);
  return betterAuth(
    authOptions({
      baseUrl,
      secret: parts.secret,
      ids: parts.work.ids,
      log: parts.log,
      attemptsPerMinute: parts.attemptsPerMinute,
      database: authTables({
        database: parts.database,
        clock: parts.work.clock,
        effects: Object.fromEntries(effects),
      }),
      plugins: parts.plugins(baseUrl),
    }),
  );
}

/** What the library may know of a request; the address is what our own server saw. */
function headersOf(origin: Origin): Record<string, string> {
  return { cookie: origin.cookie, 'user-agent': origin.userAgent, [ADDRESS_HEADER]: origin.address };
}

async function answerOf(response: Response): Promise<SignInAnswer> {
  const body = parsed(await response.text());
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

function parsed(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

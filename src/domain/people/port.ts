/** What the rest of the service knows about signing in; the implementation is `src/adapters/people`. */
import type { Grant } from '#core/grants.ts';
import type { Transaction } from '#core/sql.ts';

/** Where a request came from, for the session, the limits and the audit trail. */
export interface Origin {
  readonly requestId: string;
  readonly address: string;
  readonly userAgent: string;
  /** The `Cookie` header as it came. */
  readonly cookie: string;
}

/** What a route of the sign-in library answered. */
export interface SignInAnswer {
  readonly status: number;
  /** A code such as `INVALID_EMAIL_OR_PASSWORD`, when it refused. */
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  /** Where it sends the browser on to, when it does. */
  readonly location?: string | undefined;
  /** `Set-Cookie` headers to pass on. */
  readonly cookies: readonly string[];
  /** Seconds to wait, when there were too many requests. */
  readonly retryAfterSeconds: number | null;
}

/** Where a sign-in at the provider goes on. */
export interface ProviderStart {
  readonly url: string;
  readonly cookies: readonly string[];
}

export interface People {
  /** Asks a route of the library as our own pages do, under its limits. A consent is stored with a grant alone. */
  ask(
    origin: Origin,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    grant?: Grant,
  ): Promise<SignInAnswer>;
  /** Opens a session for someone who has proved to be the one; `Set-Cookie` headers come back. Without an organization it starts where the person was last. */
  openSession(
    origin: Origin,
    userId: string,
    by: string,
    organizationId?: string,
  ): Promise<readonly string[]>;
  /** Whether it is the person's password; false for one who has none. */
  checkPassword(userId: string, password: string): Promise<boolean>;
  /** Slow on purpose (scrypt): never inside a transaction. */
  hashPassword(password: string): Promise<string>;
  /** Sets the first or another password of a person. */
  storePassword(origin: Origin, userId: string, hash: string): Promise<void>;
  /** The address at the provider, with cookies to set; undefined when the provider cannot be reached. */
  startAtProvider(origin: Origin): Promise<ProviderStart | undefined>;
  /** The session token of a cookie header that carries our signature; undefined otherwise. */
  sessionTokenOf(cookie: string | undefined): string | undefined;
  /** `Set-Cookie` headers that end the session in the browser. */
  forgetSession(): readonly string[];
  /** Everything the library stores inside `work` commits with `tx`. */
  within<T>(tx: Transaction, work: () => Promise<T>): Promise<T>;
  /** The public routes, for the door; undefined when the path is not one of them. */
  handle(request: Request, origin: Origin): Promise<Response | undefined>;
  /** Which ways of signing in this environment offers beyond passwords and links. */
  readonly provider: { readonly name: string } | null;
}

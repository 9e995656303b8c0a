/** The port of signing in; `src/adapters/people` implements it. */
import type { BrowserOrigin } from '#core/context.ts';
import type { AttenuationSpec } from '#core/capability.ts';
import type { Grant } from '#core/grants.ts';
import type { Transaction } from '#core/sql.ts';

/** The answer of a route of the sign-in library. */
export interface SignInAnswer {
  readonly status: number;
  /** The error code when it refused, such as `INVALID_EMAIL_OR_PASSWORD`. */
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  /** The address of a redirect, if any. */
  readonly location?: string | undefined;
  /** `Set-Cookie` headers to pass on. */
  readonly cookies: readonly string[];
  /** Seconds to wait, when there were too many requests. */
  readonly retryAfterSeconds: number | null;
}

/** The address at the provider where a sign-in continues. */
export interface ProviderStart {
  readonly url: string;
  readonly cookies: readonly string[];
}

/** What a person let a program do. */
export interface ProgramConsent {
  /** Of the token by which the program acts. */
  readonly id: string;
  readonly organizationId: string;
  readonly sessionId: string;
  readonly name: string;
  readonly limits: AttenuationSpec;
  readonly endsAt: Date;
}

/** What is stored with the rows of a request to the library, in the same transaction. */
export interface PeopleRequest {
  readonly program?: ProgramConsent;
  /** The addresses that a program registers; the library knows fewer kinds of them. */
  readonly redirectUris?: readonly string[];
}

export interface People {
  /** Calls a route of the library under its limits, as our own pages do. A consent is stored only with a grant. */
  ask(
    origin: BrowserOrigin,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    grant?: Grant,
    more?: PeopleRequest,
  ): Promise<SignInAnswer>;
  /**
   * Opens a session for a person whose identity is proved; returns `Set-Cookie` headers. Without an organization the
   * session starts in the last one used.
   */
  openSession(
    origin: BrowserOrigin,
    userId: string,
    by: string,
    organizationId?: string,
  ): Promise<readonly string[]>;
  /** Checks a password; false for a person who has none. */
  checkPassword(userId: string, password: string): Promise<boolean>;
  /** Slow on purpose (scrypt): never inside a transaction. */
  hashPassword(password: string): Promise<string>;
  /** Sets or replaces the password of a person. */
  storePassword(origin: BrowserOrigin, userId: string, hash: string): Promise<void>;
  /**
   * Returns the address at the provider and cookies to set; undefined when the provider cannot be reached. The
   * sign-in ends at one of the paths.
   */
  startAtProvider(
    origin: BrowserOrigin,
    paths: { readonly signedIn: string; readonly refused: string },
  ): Promise<ProviderStart | undefined>;
  /** The session token of a cookie header that carries our signature; undefined otherwise. */
  findSessionToken(cookie: string | undefined): string | undefined;
  /** `Set-Cookie` headers that end the session in the browser. */
  writeSessionEnd(): readonly string[];
  /** Everything that the library stores inside `work` commits with `tx`. */
  runWithin<T>(tx: Transaction, work: () => Promise<T>): Promise<T>;
  /** Serves the library's public routes; undefined when the path is not one of them. */
  handle(request: Request, origin: BrowserOrigin): Promise<Response | undefined>;
  /** The sign-in methods that this environment offers besides passwords and links. */
  readonly provider: { readonly name: string } | null;
}

/** The sign-in library over our own tables. No other file imports it, so that it is loaded when first needed. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { betterAuth } from 'better-auth/minimal';
import type { Logger } from 'pino';
import type { BrowserOrigin, Work } from '#core/context.ts';
import type { Grant } from '#core/grants.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { PeopleRequest } from '#features/people/port.ts';
import { createAuthTables } from '../postgres/auth-tables.ts';
import type { Change, Row } from '../postgres/auth-transaction.ts';
import { type ProviderSettings, PROVIDER_ID } from './library-routes.ts';
import { createOAuthPlugins } from './oauth.ts';
import { createAuthOptions } from './options.ts';
import type { BetterAuthPlugin } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';

/** The effect of a change to one of the library's rows, in the same transaction. */
export type PeopleEffect = (
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  /** How the person proved their identity, where a route tells. */
  by: string | undefined,
  changed: {
    readonly kind: Change;
    readonly row: Row;
    readonly columns: readonly string[];
    /** The rights that the caller may grant, where something is granted. */
    readonly grant: Grant | undefined;
    readonly more: PeopleRequest;
  },
) => Promise<void>;

export interface LibraryParts {
  readonly work: Work;
  readonly database: Database;
  readonly log: Logger;
  readonly secret: string;
  readonly attemptsPerMinute: number;
  readonly provider: ProviderSettings | null;
  readonly isProgramAlive: (programTokenId: string) => Promise<boolean>;
  /** Effects by table. */
  readonly effects: Readonly<Record<string, PeopleEffect>>;
}

/** The caller, and how they proved their identity. */
export interface Circumstances {
  readonly origin: BrowserOrigin;
  readonly by: string | undefined;
  readonly grant?: Grant | undefined;
  readonly more?: PeopleRequest;
}

export type Library = ReturnType<typeof createLibrary>;

/** Makes the library for one public address. */
export function createLibrary(
  parts: LibraryParts,
  baseUrl: string,
  circumstances: AsyncLocalStorage<Circumstances>,
) {
  const effects = Object.entries(parts.effects).map(([table, effect]) => [
    table,
    (tx: Transaction, kind: Change, row: Row, columns: readonly string[]) => {
      const { origin, by, grant, more = {} } = circumstances.getStore() ?? {};
      return effect(tx, origin, by, { kind, row, columns, grant, more });
    },
  ]);
  return betterAuth(
    createAuthOptions({
      baseUrl,
      secret: parts.secret,
      ids: parts.work.ids,
      log: parts.log,
      attemptsPerMinute: parts.attemptsPerMinute,
      database: createAuthTables({
        database: parts.database,
        clock: parts.work.clock,
        effects: Object.fromEntries(effects),
      }),
      plugins: [
        ...(parts.provider === null ? [] : [createProviderPlugin(parts.provider)]),
        ...createOAuthPlugins(baseUrl, {
          getProgramTokenId: () => circumstances.getStore()?.more?.program?.id,
          isProgramAlive: parts.isProgramAlive,
        }),
      ],
    }),
  );
}

/** Signs in existing people only; new people need an invitation or a sign-up. */
function createProviderPlugin({ issuer, clientId, clientSecret, name }: ProviderSettings): BetterAuthPlugin {
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

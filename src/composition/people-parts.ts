/** Joins sign-in, mail and the OAuth side of the tool protocol. */
import type { Logger } from 'pino';
import type { SmtpMailer } from '#adapters/mail/smtp.ts';
import { accessTokenReader } from '#adapters/people/access-token.ts';
import { createPeople } from '#adapters/people/people.ts';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import type { Work } from '#core/context.ts';
import { oauthKeys } from '#domain/oauth/store.ts';
import type { SigningKey } from '#domain/tokens/capability.ts';
import type { OAuthParts } from '#transports/mcp/oauth.ts';
import { SEND_MAIL, sendMail } from '#workflows/mail/mail.ts';
import { oauthEffects } from '#workflows/oauth/oauth-effects.ts';
import { peopleEffects } from '#workflows/people/effects.ts';
import { MAIL_LINK, mailLink } from '#workflows/people/mailed-links.ts';
import { NOTE_FAILURE, noteFailure } from '#workflows/people/sign-in.ts';
import { derivedKey } from './derived-key.ts';
import type { Settings } from '#settings/settings.ts';

export function peopleJobs(work: Work, database: PostgresDatabase, mailer: SmtpMailer | null) {
  return {
    [SEND_MAIL]: (payload: JobPayload) => sendMail(work, database, mailer, String(payload.mail_id)),
    [MAIL_LINK]: (payload: JobPayload) => mailLink(work, database, payload),
    [NOTE_FAILURE]: (payload: JobPayload) => noteFailure(work, database, payload),
  };
}

type JobPayload = Readonly<Record<string, unknown>>;

/** The sign-in library, which the pages mount. */
export function signInOf(
  settings: Settings,
  parts: {
    readonly work: Work;
    readonly database: PostgresDatabase;
    readonly log: Logger;
    readonly keys: readonly SigningKey[];
  },
) {
  const { work, database, log, keys } = parts;
  const { provider } = settings;
  return createPeople({
    work,
    database,
    log,
    secret: derivedKey(keys, 'browser sessions').toString('hex'),
    attemptsPerMinute: settings.signInAttemptsPerMinute,
    provider,
    effects: { ...peopleEffects(work), ...oauthEffects(work) },
  });
}

/** Reads the OAuth access tokens of programs at the tool protocol. */
export function oauthOf({ site, clock }: Work, database: PostgresDatabase): OAuthParts {
  const loadKeys = () => oauthKeys(database.read);
  const read = accessTokenReader({ baseUrl: () => site.baseUrl, loadKeys });
  return { environment: site.environment, clock, sql: database.read, read };
}

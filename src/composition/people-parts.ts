/** Joins sign-in, mail and the OAuth side of the tool protocol. */
import type { Logger } from 'pino';
import type { SmtpMailer } from '#adapters/mail/smtp.ts';
import { createAccessTokenReader } from '#adapters/people/access-token.ts';
import { createPeople } from '#adapters/people/people.ts';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import type { Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import { selectOAuthKeys } from '#features/people/programs/store.ts';
import type { SigningKey } from '#features/tokens/capability.ts';
import { isProgramAlive } from '#features/tokens/program-store.ts';
import type { OAuthParts } from '#transports/mcp/oauth.ts';
import { createLinkSigner, type LinkSigner } from '#core/signed-link.ts';
import { MAIL_DELAYS_MS, MAILS_IN_HAND_MAX } from '#features/notifications/rules.ts';
import { SEND_MAIL, sendMail } from '#features/notifications/mail/mail.ts';
import { composeMails, SEND_NOTICE, sendNotice } from '#features/notifications/notice-mails.ts';
import { deleteOldFacts, findLateOrders } from '#features/notifications/chores.ts';
import { choosePeopleToTell } from '#features/updates/tell-people.ts';
import { createOAuthEffects } from '#features/people/programs/oauth-effects.ts';
import { createPeopleEffects } from '#features/people/effects.ts';
import { MAIL_LINK, sendLinkMail } from '#features/people/mailed-links.ts';
import { NOTE_FAILURE, recordFailure } from '#features/people/sign-in.ts';
import type { Parts } from './parts.ts';
import { deriveKey } from '#features/tokens/signing-keys.ts';
import type { Settings } from '#settings/settings.ts';

export function createPeopleJobs(work: Work, database: PostgresDatabase, mailer: SmtpMailer | null) {
  return {
    [SEND_MAIL]: (payload: JobPayload) => sendMail(work, database, mailer, String(payload.mail_id)),
    [MAIL_LINK]: (payload: JobPayload) => sendLinkMail(work, database, payload),
    [NOTE_FAILURE]: (payload: JobPayload) => recordFailure(work, database, payload),
  };
}

/** Mails about what happens: the job that sends one, and the chores that choose whom to tell. */
export function createNoticeParts(
  { work, database, feed, keys }: Pick<Parts, 'work' | 'database' | 'feed' | 'keys'>,
  mailer: SmtpMailer | null,
) {
  const notices = { work, unsubscribeLinks: createUnsubscribeLinks(keys) };
  const policy = { delaysMs: MAIL_DELAYS_MS, inHandMax: MAILS_IN_HAND_MAX };
  return {
    handlers: {
      [SEND_NOTICE]: (payload: JobPayload) => sendNotice(notices, database, mailer, String(payload.mail_id)),
    },
    policies: { [SEND_NOTICE]: policy },
    chores: [
      () => findLateOrders(work, database),
      () => choosePeopleToTell(work, database, feed),
      () => composeMails(notices, database),
      () => deleteOldFacts(work, database),
    ],
  };
}

/** Every process makes and checks the same links. */
export function createUnsubscribeLinks(keys: readonly SigningKey[]): LinkSigner {
  return createLinkSigner(deriveKey(keys, 'unsubscribe links'));
}

type JobPayload = Readonly<Record<string, unknown>>;

/** Creates the sign-in library, which the pages mount. */
export function createSignIn(
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
    secret: deriveKey(keys, 'browser sessions').toString('hex'),
    attemptsPerMinute: settings.signInAttemptsPerMinute,
    provider,
    isProgramAlive: (id) => isProgramAlive(labScope, database.read, id, work.clock.now()),
    effects: { ...createPeopleEffects(work), ...createOAuthEffects(work) },
  });
}

/** Reads the OAuth access tokens of programs at the tool protocol. */
export function createOAuth({ site, clock }: Work, database: PostgresDatabase): OAuthParts {
  const loadKeys = () => selectOAuthKeys(database.read);
  const read = createAccessTokenReader({ getBaseUrl: () => site.baseUrl, loadKeys });
  return { environment: site.environment, clock, sql: database.read, read };
}

/** Signs in with a password. Known and unknown addresses take the same time and get the same answer. */
import { addMs, MINUTE_MS } from '#core/clock.ts';
import type { BrowserOrigin, Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { enqueue } from '../jobs/store.ts';
import type { Mail } from '../notifications/mail/rules.ts';
import type { People } from './port.ts';
import { attemptLimits, isEmail, normalizeEmail } from './rules.ts';
import { clearAttempts, countAttempt, findPersonByEmail } from './store.ts';
import { postMail } from '../notifications/mail/mail.ts';
import { recordEverywhere } from './trail.ts';

/** The job that records a failed sign-in after the answer was sent. */
export const NOTE_FAILURE = 'note_failed_sign_in';

export type PasswordOutcome =
  | { readonly kind: 'signed_in'; readonly cookies: readonly string[] }
  | { readonly kind: 'refused' }
  /** Too many failures for this address. */
  | { readonly kind: 'locked'; readonly until: Date }
  /** Too many attempts from this client. */
  | { readonly kind: 'limited'; readonly seconds: number };

export async function signInByPassword(
  work: Work,
  database: Database,
  people: People,
  origin: BrowserOrigin,
  credentials: { readonly email: string; readonly password: string },
): Promise<PasswordOutcome> {
  const email = normalizeEmail(credentials.email);
  if (!isEmail(email)) return { kind: 'refused' };
  const attempt = { kind: 'password', of: email, at: work.clock.now() } as const;
  const { max, windowMs } = attemptLimits.password;
  // Counts the attempt before it checks the password, so that concurrent requests get no more guesses than
  // consecutive ones.
  const { count, first_at: firstAt } = await countAttempt(database.read, attempt);
  if (count > max) return { kind: 'locked', until: addMs(new Date(firstAt), windowMs) };
  const answer = await people.ask(origin, '/sign-in/email', { email, password: credentials.password });
  if (answer.retryAfterSeconds !== null) return { kind: 'limited', seconds: answer.retryAfterSeconds };
  if (answer.status === 200) {
    await clearAttempts(database.read, attempt);
    return { kind: 'signed_in', cookies: answer.cookies };
  }
  if (answer.status >= 500) throw new Error(`the sign-in answered ${answer.status}`);
  const payload = { email, count, request_id: origin.requestId, address: origin.address };
  await database.runTransaction((tx) =>
    enqueue(labScope, tx, { kind: NOTE_FAILURE, payload, dueAt: attempt.at }, attempt.at),
  );
  return { kind: 'refused' };
}

/** The job: records the failure, and the lock of the address, in the organizations of a known person. */
export async function recordFailure(
  work: Work,
  database: Database,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await database.runTransaction(async (tx) => {
    const person = await findPersonByEmail(tx, String(payload.email));
    if (person === undefined) return;
    const origin: BrowserOrigin = {
      requestId: String(payload.request_id),
      address: String(payload.address),
      userAgent: '',
      cookie: '',
    };
    const isLocking = payload.count === attemptLimits.password.max;
    await recordEverywhere(work, tx, { event: 'sign_in_failed', person, origin, status: 401 });
    if (!isLocking) return;
    await recordEverywhere(work, tx, { event: 'sign_in_locked', person, origin, status: 429 });
    await postMail(work, tx, buildLockedMail(work, person.email, origin.address));
  });
}

function buildLockedMail({ site }: Work, to: string, address: string): Mail {
  const { max, windowMs } = attemptLimits.password;
  return {
    to,
    subject: 'Too many wrong passwords for your account',
    content: {
      paragraphs: [
        `Somebody has tried ${max} wrong passwords for this address, the last time from ${address}. Until ${windowMs / MINUTE_MS} minutes after the first of them no password is accepted; a sign-in link and a passkey still work.`,
        'If it was not you, somebody is guessing your password. A long password or a passkey protects your account.',
      ],
      action: { label: 'Sign in with a link', url: `${site.baseUrl}/sign-in` },
      footer: 'This mail is sent once for each lock.',
    },
  };
}

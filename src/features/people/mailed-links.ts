/**
 * Links that anybody can request for an address. The request only writes a job, whether the address is known or not;
 * the job decides, so that response times reveal nothing.
 */
import type { BrowserOrigin, Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { enqueue } from '../jobs/store.ts';
import { type SignUpDetails, countAttempt, findPersonByEmail, type Person } from './store.ts';
import { attemptLimits, isEmail, LINK_LIFETIMES_MS, normalizeEmail, type LinkPurpose } from './rules.ts';
import { postMail } from '../notifications/mail/mail.ts';
import { issueLink } from './links.ts';

export const MAIL_LINK = 'mail_link';

export type LinkRequestOutcome = 'taken' | 'not_an_address' | 'too_many';

export async function requestLink(
  work: Work,
  database: Database,
  origin: BrowserOrigin,
  request: {
    readonly email: string;
    readonly purpose: LinkPurpose;
    readonly details?: SignUpDetails;
    /** Path of the page to show afterwards; empty for the first page. */
    readonly next: string;
  },
): Promise<LinkRequestOutcome> {
  const email = normalizeEmail(request.email);
  if (!isEmail(email)) return 'not_an_address';
  const at = work.clock.now();
  return database.runTransaction(async (tx) => {
    const from = await countAttempt(tx, { kind: 'mailFrom', of: origin.address, at });
    const to = await countAttempt(tx, { kind: 'mailTo', of: email, at });
    if (from.count > attemptLimits.mailFrom.max || to.count > attemptLimits.mailTo.max) return 'too_many';
    const payload = { email, purpose: request.purpose, details: request.details ?? null, next: request.next };
    await enqueue(labScope, tx, { kind: MAIL_LINK, payload, dueAt: at }, at);
    return 'taken';
  });
}

/** The job. */
export async function sendLinkMail(
  work: Work,
  database: Database,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const email = String(payload.email);
  const details = parseDetails(payload.details);
  const next = typeof payload.next === 'string' && payload.next !== '' ? payload.next : undefined;
  await database.runTransaction(async (tx) => {
    const person = await findPersonByEmail(tx, email);
    if (person === undefined) {
      if (payload.purpose === 'sign_up') await enqueueSignUpMail(work, tx, email, { details, next });
    } else if (payload.purpose === 'set_password') await enqueuePasswordMail(work, tx, person, next);
    else await enqueueSignInMail(work, tx, person, { isSignUp: payload.purpose === 'sign_up', next });
  });
}

function parseDetails(value: unknown): SignUpDetails {
  const fields = typeof value === 'object' && value !== null ? value : {};
  const readText = (name: keyof SignUpDetails): string => {
    const [, found] = Object.entries(fields).find(([key]) => key === name) ?? [];
    return typeof found === 'string' ? found : '';
  };
  return { name: readText('name'), organization: readText('organization') };
}

const NOT_YOU = 'If you did not request this, ignore this mail: nothing happens unless the link is opened.';

async function enqueueSignInMail(
  work: Work,
  tx: Transaction,
  person: Person,
  { isSignUp, next }: { readonly isSignUp: boolean; readonly next: string | undefined },
): Promise<void> {
  const secret = await issueLink(work, tx, { person, purpose: 'sign_in', next });
  const first = isSignUp
    ? 'You, or another person, requested an account for this address. You already have one; this link signs you in.'
    : 'Here is your link to sign in to Assayer.';
  await postMail(work, tx, {
    to: person.email,
    subject: 'Your sign-in link',
    content: {
      paragraphs: [first, `It works once, for ${getLifetimeMinutes('sign_in')} minutes.`],
      action: { label: 'Sign in', url: `${work.site.baseUrl}/sign-in/link/${secret}` },
      footer: NOT_YOU,
    },
  });
}

async function enqueuePasswordMail(
  work: Work,
  tx: Transaction,
  person: Person,
  next: string | undefined,
): Promise<void> {
  const secret = await issueLink(work, tx, { person, purpose: 'set_password', next });
  await postMail(work, tx, {
    to: person.email,
    subject: 'Set a new password',
    content: {
      paragraphs: [
        'Here is your link to set a new password for Assayer.',
        `It works once, for ${getLifetimeMinutes('set_password')} minutes. Setting a password ends every open session of your account.`,
      ],
      action: { label: 'Set a new password', url: `${work.site.baseUrl}/password/${secret}` },
      footer: NOT_YOU,
    },
  });
}

async function enqueueSignUpMail(
  work: Work,
  tx: Transaction,
  email: string,
  { details, next }: { readonly details: SignUpDetails; readonly next: string | undefined },
): Promise<void> {
  const person = { id: null, email };
  const secret = await issueLink(work, tx, { person, purpose: 'sign_up', details, next });
  await postMail(work, tx, {
    to: email,
    subject: 'Finish signing up for Assayer',
    content: {
      paragraphs: [
        'Open this link to confirm your address, choose a password and start.',
        'It works once, for 24 hours.',
      ],
      action: { label: 'Finish signing up', url: `${work.site.baseUrl}/sign-up/${secret}` },
      footer: NOT_YOU,
    },
  });
}

function getLifetimeMinutes(purpose: LinkPurpose): number {
  return LINK_LIFETIMES_MS[purpose] / 60_000;
}

/** One-time links: making them, and the effects of opening one. */
import { randomBytes } from 'node:crypto';
import { addMs, DAY_MS } from '#core/clock.ts';
import type { BrowserOrigin, Work } from '#core/context.ts';
import type { Database, Transaction } from '#core/sql.ts';
import {
  findLink,
  insertLink,
  redeemLink,
  spendLinks,
  type OpenLink,
  type SignUpDetails,
  clearAttempts,
  findPerson,
  markVerified,
} from './store.ts';
import type { People } from './port.ts';
import { LINK_LIFETIMES_MS, type LinkPurpose } from './rules.ts';
import { closeSessions } from './account.ts';
import { dropUnprovenAccess } from './effects.ts';

const SECRET_BYTES = 24;
const SECRET = /^[\w-]{20,100}$/;

interface LinkRequest {
  readonly person: { readonly id: string | null; readonly email: string };
  readonly purpose: LinkPurpose;
  /** Default: the lifetime of its purpose. */
  readonly lifetimeMs?: number;
  /** Details of a sign-up. */
  readonly details?: SignUpDetails;
  /** Path of the page to show afterwards. */
  readonly next?: string | undefined;
}

/** Returns the secret part of the address, which is stored nowhere else. */
export async function issueLink(work: Work, tx: Transaction, request: LinkRequest): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const at = work.clock.now();
  const { person, purpose, lifetimeMs = LINK_LIFETIMES_MS[purpose] } = request;
  await insertLink(tx, {
    secret,
    purpose,
    email: person.email,
    user_id: person.id,
    details: request.details,
    next: request.next,
    created_at: at,
    expires_at: addMs(at, lifetimeMs),
  });
  return secret;
}

/** Issues a one-time link into the portal: whoever opens it within a day is that person. */
export async function issueSignInLink(
  work: Work,
  tx: Transaction,
  person: { readonly userId: string },
): Promise<string> {
  const currentPerson = await findPerson(tx, person.userId);
  if (currentPerson === undefined)
    throw new Error('a sign-in link was requested for a person who does not exist');
  const link = { person: currentPerson, purpose: 'sign_in', lifetimeMs: DAY_MS, next: '/' } as const;
  return `${work.site.baseUrl}/sign-in/link/${await issueLink(work, tx, link)}`;
}

export function isLinkSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Reads a valid link without using it up. */
export async function findValidLink(
  work: Work,
  database: Database,
  link: { readonly secret: string; readonly purpose: LinkPurpose },
): Promise<OpenLink | undefined> {
  if (!isLinkSecret(link.secret)) return undefined;
  return findLink(database.read, { ...link, at: work.clock.now() });
}

/** A session that a link opened. */
export interface OpenedSession {
  /** `Set-Cookie` headers. */
  readonly cookies: readonly string[];
  /** Path of the page that the person asked for; null for the first page. */
  readonly next: string | null;
}

/** Uses a sign-in link; undefined when it no longer works. */
export async function signInByLink(
  work: Work,
  people: People,
  tx: Transaction,
  origin: BrowserOrigin,
  secret: string,
): Promise<OpenedSession | undefined> {
  const at = work.clock.now();
  const link = await redeemLink(tx, { secret, purpose: 'sign_in', at });
  if (link?.user_id === undefined || link.user_id === null) return undefined;
  const userId = link.user_id;
  await proveAddress(work, tx, origin, userId);
  await clearAttempts(tx, { kind: 'password', of: link.email });
  const cookies = await people.runWithin(tx, () => people.openSession(origin, userId, 'link'));
  return { cookies, next: link.next };
}

/**
 * Sets a password by a mailed link. Every session of the person and every other such link ends, so that the owner
 * regains a stolen account.
 */
export async function setPasswordByLink(
  work: Work,
  people: People,
  tx: Transaction,
  origin: BrowserOrigin,
  input: { readonly secret: string; readonly passwordHash: string },
): Promise<OpenedSession | undefined> {
  const at = work.clock.now();
  const purpose = 'set_password';
  const link = await redeemLink(tx, { secret: input.secret, purpose, at });
  if (link?.user_id === undefined || link.user_id === null) return undefined;
  const userId = link.user_id;
  await spendLinks(tx, { userId, purpose, at });
  await spendLinks(tx, { userId, purpose: 'sign_in', at });
  await proveAddress(work, tx, origin, userId);
  await clearAttempts(tx, { kind: 'password', of: link.email });
  await closeSessions(work, tx, origin, { user_id: userId });
  const cookies = await people.runWithin(tx, async () => {
    await people.storePassword(origin, userId, input.passwordHash);
    return people.openSession(origin, userId, 'link');
  });
  return { cookies, next: link.next };
}

/**
 * Records that a person holds an address, because they opened a link that was mailed there; does nothing once that is
 * known. Comes before whatever the person sets up in the same request.
 */
export async function proveAddress(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin,
  userId: string,
): Promise<void> {
  if (await markVerified(tx, userId, work.clock.now())) await dropUnprovenAccess(work, tx, origin, userId);
}

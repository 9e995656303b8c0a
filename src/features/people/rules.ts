/**
 * Rules for passwords, sessions and one-time links, and the limits on attempts.
 * This folder: people, their passwords, passkeys, sessions and links. Not here: what they may do
 * (`features/organizations`).
 */
import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/clock.ts';
import { isOneLine } from '#core/one-line.ts';

/** NIST SP 800-63B-4 §3.1.1.2 asks for at least 8 where a second factor follows and 15 where none does. */
export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 200;

export const SESSION_MS = 30 * DAY_MS;

export type LinkPurpose = 'sign_in' | 'set_password' | 'sign_up' | 'set_up';

/** Lifetime of a mailed link, by its purpose. */
export const LINK_LIFETIMES_MS: Readonly<Record<LinkPurpose, number>> = {
  sign_in: 30 * MINUTE_MS,
  set_password: HOUR_MS,
  sign_up: DAY_MS,
  set_up: DAY_MS,
};

/**
 * At most `max` attempts within a window that starts with the first of them; further attempts are rejected until it
 * ends.
 */
export interface AttemptLimit {
  readonly max: number;
  readonly windowMs: number;
}

export const attemptLimits = {
  /** Failed passwords for one e-mail address. */
  password: { max: 10, windowMs: 15 * MINUTE_MS },
  /** Mails to one e-mail address that anybody can request. */
  mailTo: { max: 5, windowMs: HOUR_MS },
  /** Mails that one client address can request. */
  mailFrom: { max: 30, windowMs: HOUR_MS },
} as const satisfies Readonly<Record<string, AttemptLimit>>;
export type AttemptKind = keyof typeof attemptLimits;

/** Two spellings are one address when they differ only in case or Unicode form. */
export function normalizeEmail(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

const EMAIL = /^[^\s@"<>()[\],;:\\]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9-]{1,63})*$/;

export function isEmail(text: string): boolean {
  return text.length <= 254 && EMAIL.test(text) && isOneLine(text);
}

export function attemptDigest(kind: AttemptKind, of: string): Buffer {
  return createHash('sha256').update(`${kind} ${of}`).digest();
}

/** Says what is wrong with a new password; undefined when nothing is. */
export function findPasswordProblem(password: string, email: string): string | undefined {
  if (password.length < PASSWORD_LENGTH_MIN)
    return `needs at least ${PASSWORD_LENGTH_MIN} characters; a few words do well`;
  if (password.length > PASSWORD_LENGTH_MAX) return `may have at most ${PASSWORD_LENGTH_MAX} characters`;
  const lower = password.toLowerCase();
  const [local = ''] = normalizeEmail(email).split('@');
  if (local.length >= 4 && lower.includes(local))
    return 'may not contain your e-mail address or the part of it before the @';
  if (new Set(lower).size < 5) return 'repeats a few characters; use a few words instead';
  return undefined;
}

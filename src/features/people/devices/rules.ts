/**
 * Sign-in of a program that has no browser: OAuth 2.0 Device Authorization Grant, RFC 8628.
 * This folder: sign-in of a program that has no browser. Not here: tokens themselves (`features/tokens`).
 */
import { removeControls } from '#core/one-line.ts';
import { roles, rolePermissions, type Role } from '#core/permissions.ts';

export const DEVICE_CODE_LIFE_MS = 600_000;
/** Seconds between two polls, and the seconds that each early poll adds (RFC 8628 §3.5). */
export const POLL_INTERVAL_S = 5;
export const SLOW_DOWN_S = 5;
const DEVICE_NAME_LENGTH_MAX = 80;
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
/** The only client id. Any program may use the flow under this id. */
export const DEVICE_CLIENT_ID = 'assayer-cli';

export const lifetimes = ['7d', '30d', '90d', '1y'] as const;
export type Lifetime = (typeof lifetimes)[number];

/**
 * Consonants only, so that codes spell no words and contain no digits to confuse (RFC 8628 §6.1). There are 20^8
 * codes.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const USER_CODE = new RegExp(`^[${LETTERS}]{${CODE_LENGTH}}$`);

/**
 * Makes a code from random bytes; undefined when too few of them are usable. Bytes that would favor some letters are
 * skipped.
 */
export function createUserCode(bytes: Uint8Array): string | undefined {
  const fair = 256 - (256 % LETTERS.length);
  const letters = [...bytes]
    .filter((byte) => byte < fair)
    .map((byte) => LETTERS.charAt(byte % LETTERS.length));
  return letters.length < CODE_LENGTH ? undefined : letters.slice(0, CODE_LENGTH).join('');
}

/** Accepts the code in lower case and with or without the hyphen. Returns undefined when the text is no code. */
export function parseUserCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '');
  return USER_CODE.test(code) ? code : undefined;
}

export function formatUserCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** The name that a program gives its machine, as one line of text. */
export function sanitizeDeviceName(name: string): string {
  return Array.from(removeControls(name)).slice(0, DEVICE_NAME_LENGTH_MAX).join('') || 'a program';
}

/** Roles that a member may give to a program: those without any permission beyond the member's own. */
export function listRolesWithin(own: Role): Role[] {
  return roles.filter((role) => [...rolePermissions[role]].every((each) => rolePermissions[own].has(each)));
}

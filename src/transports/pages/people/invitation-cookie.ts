/**
 * The secret of an invitation while its reader signs in: in a cookie of the browser that opened the link, so that no
 * address of the sign-in, and nothing that keeps addresses, has it.
 */
import type { FastifyRequest } from 'fastify';
import { HOUR_MS } from '#core/clock.ts';

const NAME = 'assayer_invitation';
const PATH = '/invitations';
const LIFE_S = HOUR_MS / 1_000;

/** The page of the invitation whose secret the cookie holds. */
export const CARRIED_PATH = `${PATH}/continue`;

export function writeInvitationCookie(secret: string, baseUrl: string): string {
  return formatCookie(secret, LIFE_S, baseUrl);
}

export function writeInvitationEnd(baseUrl: string): string {
  return formatCookie('', 0, baseUrl);
}

/** Returns the secret that the browser carries; empty without one. */
export function readInvitationCookie({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) ?? '';
}

function formatCookie(value: string, maxAgeS: number, baseUrl: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${NAME}=${value}; Max-Age=${maxAgeS}; Path=${PATH}; HttpOnly${secure}; SameSite=Lax`;
}

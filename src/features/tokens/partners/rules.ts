import { findLineProblem, isOneLine } from '#core/one-line.ts';
import { DAY_MS } from '#core/clock.ts';
import type { Problem } from '#core/failures.ts';
import type { MintTokenRequest } from './contract.ts';

const LIFETIME_DEFAULT_MS = 90 * DAY_MS;
const LIFETIME_MAX_MS = 365 * DAY_MS;
const EMAIL = /^[^\s@<>"',;:()[\]\\]+@[^\s@<>"',;:()[\]\\.]+(?:\.[^\s@<>"',;:()[\]\\.]+)+$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$/i;

export function findMintProblems(request: MintTokenRequest, now: Date): Problem[] {
  const { org, user } = request;
  const problems: Problem[] = [];
  const add = (path: string, message: string): void => void problems.push({ path, message });
  if (!EMAIL.test(user.email) || !isOneLine(user.email)) add('user.email', 'must be an e-mail address');
  const inName = user.name === undefined ? undefined : findLineProblem(user.name);
  if (inName !== undefined) add('user.name', inName);
  if (org.type === 'new_org') {
    const problem = org.name.trim() === '' ? 'must not be blank' : findLineProblem(org.name);
    if (problem !== undefined) add('org.name', problem);
    if (org.domain !== undefined && !DOMAIN.test(org.domain)) add('org.domain', 'must be a domain name');
  }
  return [...problems, ...findEndProblems(request.expires_at, now)];
}

export function findEndProblems(expiresAt: string | null | undefined, now: Date): Problem[] {
  if (expiresAt === undefined || expiresAt === null) return [];
  const createProblems = (message: string): Problem[] => [{ path: 'expires_at', message }];
  const lifetimeMs = Date.parse(expiresAt) - now.getTime();
  // A leap second matches the pattern of an instant but cannot be parsed.
  if (Number.isNaN(lifetimeMs)) return createProblems('must be an instant');
  if (lifetimeMs <= 0) return createProblems('must lie in the future');
  return lifetimeMs > LIFETIME_MAX_MS ? createProblems('must be at most one year away') : [];
}

/** For a request without problems. */
export function computeLifetimeMs(expiresAt: string | null | undefined, now: Date): number {
  return expiresAt === undefined || expiresAt === null
    ? LIFETIME_DEFAULT_MS
    : Date.parse(expiresAt) - now.getTime();
}

const SLUG_LENGTH_MAX = 8;
const SLUG_STEM_LENGTH = 4;
const SLUG_NUMBER_MAX = 9_999;

/** Slugs made from a name, the shortest first, then numbered ones; each has 2 to 8 of A–Z and 0–9. */
export function listSlugCandidates(name: string): string[] {
  const letters = name
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '');
  const stem = letters.length < 2 ? 'ORG' : letters;
  const cuts = [3, 4, 5, 6, 7, SLUG_LENGTH_MAX].map((length) => stem.slice(0, length));
  const numbered = Array.from(
    { length: SLUG_NUMBER_MAX - 1 },
    (_, index) => `${stem.slice(0, SLUG_STEM_LENGTH)}${index + 2}`,
  );
  return [...new Set([...cuts, ...numbered])];
}

/** What a link is, how long it lives, and when it can be read. */
import { DAY_MS } from '#core/clock.ts';
import { rolePermissions, roles } from '#core/permissions.ts';

/** `/shared/{secret}`: the pages behind a link. */
export const SHARED_PATH = '/shared';

/** Open links of an organization at once. */
export const SHARES_MAX = 500;

const LIVES_MS = {
  '1d': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;
type ShareLife = keyof typeof LIVES_MS;
export const SHARE_LIVES = ['1d', '7d', '30d', '90d', '1y'] as const satisfies readonly ShareLife[];
export const SHARE_LIFE: ShareLife = '30d';

export function computeShareLifeMs(life: ShareLife): number {
  return LIVES_MS[life];
}

export const SHARE_STATES = ['open', 'revoked', 'expired', 'withdrawn'] as const;
export type ShareState = (typeof SHARE_STATES)[number];

/** The roles whose members may share, and whose links therefore stand. */
export const SHARING_ROLES = roles.filter((role) => rolePermissions[role].has('share:create'));

/** Whether the token that made a link, and all that made it, stand; a link of a person needs none. */
const TOKEN_STANDS = `(s.token_id is null or exists (select 1 from tokens t where t.id = s.token_id
  and not exists (select 1 from tokens a where a.id = any (t.makers || t.path) and a.revoked_at is not null)))`;

/** The state of a share `s` whose maker is the member `m`. */
export const writeShareState = (now: string, sharingRoles: string): string =>
  `case when s.revoked_at is not null then 'revoked' when s.expires_at <= ${now} then 'expired'
    when coalesce(m.role = any (${sharingRoles}), false) and ${TOKEN_STANDS} then 'open' else 'withdrawn' end`;

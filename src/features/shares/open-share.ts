/** What the secret of a link opens: what a token could read that is limited to one experiment and to its results. */
import type { Work } from '#core/context.ts';
import type { Permission } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { findShareBySecret, touchShare, type SharedRow } from './store.ts';

const SECRET = /^[\w-]{32}$/;

/** Undefined for a secret that was never given out. */
export async function openShare(
  { clock }: Pick<Work, 'clock'>,
  { read }: Pick<Database, 'read'>,
  secret: string,
): Promise<SharedRow | undefined> {
  if (!SECRET.test(secret)) return undefined;
  const at = clock.now();
  const share = await findShareBySecret(labScope, read, secret, at);
  if (share?.status === 'open' && share.is_unseen) await touchShare(labScope, read, share.id, at);
  return share;
}

/** Every reader of a link has the same few rights, which the operations check as they do those of a token. */
export function createReader(share: SharedRow): Principal {
  const permissions: Permission[] = ['result:list', 'result:read'];
  if (share.shows_sequences) permissions.push('sequence:read');
  return {
    userId: share.user_id,
    userEmail: '',
    organizationId: share.organization_id,
    organizationSlug: '',
    role: 'viewer',
    staffRoles: [],
    tokenId: share.id,
    tokenPath: [share.id],
    familyId: share.id,
    isRevoked: false,
    tokenExpiresAt: share.expires_at,
    credential: 'token',
    permissions: new Set(permissions),
    restrictions: {
      isAttenuated: true,
      experiments: [[share.experiment_id]],
      hasSpendLimit: false,
      isLimited: true,
      paymentMethods: null,
    },
  };
}

import { getGrantedRole, type Grant } from '#core/grants.ts';
import type { Role } from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { Lifetime } from './rules.ts';

export interface DeviceLogin {
  readonly id: string;
  readonly user_code: string;
  readonly device_name: string;
  readonly address: string;
  readonly status: 'pending' | 'approved' | 'denied' | 'used';
  readonly interval_s: number;
  readonly last_polled_at: string | null;
  readonly user_id: string | null;
  readonly organization_id: string | null;
  readonly role: Role | null;
  readonly lifetime: Lifetime | null;
  readonly created_at: string;
  readonly expires_at: string;
}

const COLUMNS = `id, user_code, device_name, address, status, interval_s, last_polled_at, user_id, organization_id, role,
  lifetime, created_at, expires_at`;

export interface NewDeviceLogin {
  readonly id: string;
  readonly digest: Buffer;
  readonly user_code: string;
  readonly device_name: string;
  readonly address: string;
  readonly interval_s: number;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export async function insertDeviceLogin(sql: Sql, { digest, ...login }: NewDeviceLogin): Promise<void> {
  await sql.query(
    ...insertInto('device_logins', {
      ...login,
      device_code_digest: digest,
      status: 'pending',
    }),
  );
}

/** Counts the pending requests that came from a network address. */
export async function countWaitingFrom(sql: Sql, address: string, now: Date): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    `select count(*) as count from device_logins where address = $1 and status = 'pending' and expires_at > $2`,
    [address, now],
  );
  return getFirst(rows)?.count ?? 0;
}

/** Finds the pending request with this code. */
export async function findWaiting(sql: Sql, userCode: string, now: Date): Promise<DeviceLogin | undefined> {
  return getFirst(
    await sql.query<DeviceLogin>(
      `select ${COLUMNS} from device_logins where user_code = $1 and status = 'pending' and expires_at > $2`,
      [userCode, now],
    ),
  );
}

/** Decides a pending request once; without a grant it is denied. Returns undefined when nothing is pending. */
export async function recordDecision(
  tx: Transaction,
  userCode: string,
  grant: Grant | null,
  decision: { readonly userId: string; readonly lifetime: Lifetime | null; readonly at: Date },
): Promise<DeviceLogin | undefined> {
  return getFirst(
    await tx.query<DeviceLogin>(
      `update device_logins set status = $2, user_id = $3, organization_id = $4, role = $5, lifetime = $6
       where user_code = $1 and status = 'pending' and expires_at > $7 returning ${COLUMNS}`,
      [
        userCode,
        grant === null ? 'denied' : 'approved',
        decision.userId,
        grant?.organizationId ?? null,
        grant === null ? null : getGrantedRole(createOrganizationScope(grant.organizationId), grant),
        decision.lifetime,
        decision.at,
      ],
    ),
  );
}

/**
 * Locks the request that a program polls for until the transaction ends: two polls at once must not both get a token.
 */
export async function lockByDigest(tx: Transaction, digest: Buffer): Promise<DeviceLogin | undefined> {
  return getFirst(
    await tx.query<DeviceLogin>(
      `select ${COLUMNS} from device_logins where device_code_digest = $1 for update`,
      [digest],
    ),
  );
}

export async function updatePoll(
  tx: Transaction,
  id: string,
  poll: { readonly at: Date; readonly intervalS: number },
): Promise<void> {
  await tx.query(`update device_logins set last_polled_at = $2, interval_s = $3 where id = $1`, [
    id,
    poll.at,
    poll.intervalS,
  ]);
}

export async function markUsed(tx: Transaction, id: string): Promise<void> {
  await tx.query(`update device_logins set status = 'used' where id = $1`, [id]);
}

export async function deleteExpiredDeviceLogins(sql: Sql, before: Date): Promise<void> {
  await sql.query(`delete from device_logins where expires_at < $1`, [before]);
}

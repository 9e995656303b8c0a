import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';

export interface StoredAnswer {
  readonly operation_id: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Claims a key inside the transaction of the effect. A second request with the same key waits here until the first
 * has committed (then it finds the stored answer) or rolled back (then it runs itself). The wait is bounded: after it
 * the database raises `lock_not_available`.
 */
export async function claimKey(
  scope: OrganizationScope,
  tx: Transaction,
  {
    waitMs,
    at,
    ...claim
  }: { key: string; operation_id: string; fingerprint: string; at: Date; waitMs: number },
): Promise<StoredAnswer | undefined> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [`${waitMs}ms`]);
  const inserted = await tx.query<{ key: string }>(
    ...insertOwned(
      scope,
      'idempotency_keys',
      {
        ...claim,
        created_at: at,
      },
      'on conflict (organization_id, key) do nothing returning key',
    ),
  );
  await tx.query(`set local lock_timeout to default`);
  if (inserted.length > 0) return undefined;
  const rows = await tx.query<StoredAnswer>(
    `select operation_id, fingerprint, status, headers, body from idempotency_keys
     where organization_id = $1 and key = $2`,
    [scope.organizationId, claim.key],
  );
  return getFirst(rows);
}

/** Releases a key that was claimed in this transaction. */
export async function dropClaim(scope: OrganizationScope, tx: Transaction, key: string): Promise<void> {
  await tx.query(`delete from idempotency_keys where organization_id = $1 and key = $2 and status is null`, [
    scope.organizationId,
    key,
  ]);
}

export async function storeAnswer(
  scope: OrganizationScope,
  tx: Transaction,
  key: string,
  answer: Pick<StoredAnswer, 'status' | 'headers' | 'body'>,
): Promise<void> {
  await tx.query(
    `update idempotency_keys set status = $3, headers = $4, body = $5 where organization_id = $1 and key = $2`,
    [scope.organizationId, key, answer.status, JSON.stringify(answer.headers), answer.body],
  );
}

/** Deletes keys older than the guaranteed time. The worker calls it. */
export async function deleteExpiredKeys(_lab: LabScope, sql: Sql, before: Date): Promise<void> {
  await sql.query(`delete from idempotency_keys where created_at < $1`, [before]);
}

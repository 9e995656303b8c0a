import type { ActorKind } from './rules.ts';
import { first, type Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope } from '#core/scope.ts';

export interface AuditEntry {
  readonly id: string;
  readonly userId: string | null;
  readonly tokenId: string | null;
  readonly actorKind: ActorKind;
  /** Who, in words: an e-mail address, or `simulated lab`, `payment page`. */
  readonly actor: string;
  readonly operationId: string;
  readonly subject: string | null;
  /** What the operation answered. */
  readonly status: number;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
}

/** Written with the change it tells of; `chainEntries` gives it its place in the chain. */
export async function insertAudit(scope: OrganizationScope, sql: Sql, entry: AuditEntry): Promise<void> {
  await sql.query(
    `insert into audit_log (id, organization_id, user_id, token_id, token_path, actor, operation_id, subject, status,
       request_id, address, details, created_at, actor_kind)
     values ($1, $2, $3, $4, coalesce((select path from tokens where id = $4), '{}'), $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      entry.id,
      organizationOf(scope),
      entry.userId,
      entry.tokenId,
      entry.actor,
      entry.operationId,
      entry.subject,
      entry.status,
      entry.requestId,
      entry.address,
      entry.details === null ? null : JSON.stringify(entry.details),
      entry.createdAt,
      entry.actorKind,
    ],
  );
}

/** The newest entry of one operation since then; undefined when there is none. */
export async function newestOfOperation(
  scope: OrganizationScope,
  sql: Sql,
  operation: string,
  since: Date,
): Promise<(Pick<AuditEntry, 'details'> & { readonly created_at: string }) | undefined> {
  return first(
    await sql.query(
      `select details, created_at from audit_log
       where organization_id = $1 and operation_id = $2 and created_at >= $3
       order by created_at desc, id desc limit 1`,
      [organizationOf(scope), operation, since],
    ),
  );
}

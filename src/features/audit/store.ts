import type { ActorKind } from './rules.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { expression, insertInto } from '#core/write-rows.ts';
import type { OrganizationScope } from '#core/scope.ts';

export interface AuditEntry {
  readonly id: string;
  readonly userId: string | null;
  readonly tokenId: string | null;
  readonly actorKind: ActorKind;
  /** The actor in words: an e-mail address, or `simulated lab`, `payment page`. */
  readonly actor: string;
  readonly operationId: string;
  readonly subject: string | null;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
}

/** Writes the entry in the transaction of the change. `chainEntries` gives it its position in the chain later. */
export async function insertAudit(scope: OrganizationScope, sql: Sql, entry: AuditEntry): Promise<void> {
  await sql.query(
    ...insertInto('audit_log', {
      id: entry.id,
      organization_id: scope.organizationId,
      user_id: entry.userId,
      token_id: entry.tokenId,
      token_path: expression`coalesce((select path from tokens where id = ${entry.tokenId}), '{}')`,
      actor: entry.actor,
      operation_id: entry.operationId,
      subject: entry.subject,
      status: entry.status,
      request_id: entry.requestId,
      address: entry.address,
      details: entry.details === null ? null : JSON.stringify(entry.details),
      created_at: entry.createdAt,
      actor_kind: entry.actorKind,
    }),
  );
}

/** Finds the newest entry of one operation since a time; undefined when there is none. */
export async function selectLatestOfOperation(
  scope: OrganizationScope,
  sql: Sql,
  operation: string,
  since: Date,
): Promise<(Pick<AuditEntry, 'details'> & { readonly created_at: string }) | undefined> {
  return getFirst(
    await sql.query(
      `select details, created_at from audit_log
       where organization_id = $1 and operation_id = $2 and created_at >= $3
       order by created_at desc, id desc limit 1`,
      [scope.organizationId, operation, since],
    ),
  );
}

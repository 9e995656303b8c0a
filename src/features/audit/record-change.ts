/** Writes audit entries of changes, in the transaction of the change: of people, and of the service by itself. */
import type { Origin } from '#core/context.ts';
import type { Clock } from '#core/clock.ts';
import type { Ids } from '#core/ids.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ActorKind } from './rules.ts';
import { insertAudit } from './store.ts';

export interface Change {
  readonly actorKind: Exclude<ActorKind, 'user'>;
  readonly actor: string;
  /** The action, named like an operation id. */
  readonly operation: string;
  /** Id of the changed object. */
  readonly subject: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly origin?: Partial<Origin> | undefined;
}

/** What a person did. */
interface Act {
  readonly by: {
    readonly userId: string | null;
    readonly userEmail: string;
    readonly tokenId?: string | null | undefined;
  };
  /** Named like an operation id. */
  readonly operation: string;
  readonly subject: string | null;
  /** HTTP status of the answer; 200 by default. */
  readonly status?: number | undefined;
  readonly details?: Readonly<Record<string, unknown>> | null | undefined;
  readonly origin?: { readonly requestId?: string; readonly address?: string | null } | undefined;
}

const OK = 200;

export async function recordAct(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  tx: Transaction,
  scope: OrganizationScope,
  { by, operation, subject, status, details, origin }: Act,
): Promise<void> {
  await insertAudit(scope, tx, {
    id: ids.createUuid(),
    user_id: by.userId,
    token_id: by.tokenId ?? null,
    actor_kind: 'user',
    actor: by.userEmail,
    operation_id: operation,
    subject,
    status: status ?? OK,
    request_id: origin?.requestId ?? null,
    address: origin?.address ?? null,
    details: details ?? null,
    created_at: clock.now(),
  });
}

export async function recordChange(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  tx: Transaction,
  scope: OrganizationScope,
  { actorKind: kind, actor, operation, subject, details, origin }: Change,
): Promise<void> {
  await insertAudit(scope, tx, {
    id: ids.createUuid(),
    user_id: null,
    token_id: null,
    actor_kind: kind,
    actor,
    operation_id: operation,
    subject,
    status: OK,
    request_id: origin?.requestId ?? null,
    address: origin?.address ?? null,
    details: details ?? null,
    created_at: clock.now(),
  });
}

/** Writes audit entries for changes without a person's request, in the transaction of the change. */
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

const OK = 200;

export async function recordChange(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  tx: Transaction,
  scope: OrganizationScope,
  { actorKind, actor, operation, subject, details, origin }: Change,
): Promise<void> {
  await insertAudit(scope, tx, {
    id: ids.createUuid(),
    user_id: null,
    token_id: null,
    actor_kind: actorKind,
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

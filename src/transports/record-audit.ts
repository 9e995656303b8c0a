/** Writes the entry of a call in the audit trail, in the transaction of its effect. */
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { insertAudit } from '#features/audit/store.ts';
import type { Reply } from '#core/reply.ts';
import type { Call, DispatcherParts } from './dispatch.ts';
import { findSubject } from './find-subject.ts';

export type Details = Readonly<Record<string, unknown>> | null;

export async function recordAudit(
  parts: DispatcherParts,
  call: Call,
  tx: Transaction,
  {
    principal,
    concerned,
    details = null,
  }: { readonly principal: Principal; readonly concerned: string; readonly details?: Details },
  reply: Reply,
): Promise<void> {
  await insertAudit(createOrganizationScope(concerned), tx, {
    id: parts.ids.createUuid(),
    userId: principal.userId,
    tokenId: principal.tokenId,
    actorKind: 'user',
    actor: principal.userEmail,
    operationId: call.binding.operation.id,
    subject: findSubject(call.input, reply.body),
    status: reply.status,
    requestId: call.requestId,
    address: call.address,
    details,
    createdAt: parts.clock.now(),
  });
}

/** What a partner does to a token stands in the trail of the client as well, whose token it is. */
import type { WriteContext } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { insertAudit } from '../../audit/store.ts';
import type { PartnerToken } from './token-store.ts';

export async function recordForClient(
  { tx, ids, clock, principal, requestId }: WriteContext,
  token: PartnerToken,
  operation: { readonly id: string; readonly success?: number | undefined },
): Promise<void> {
  if (token.organization_id === principal.organizationId) return;
  await insertAudit(createOrganizationScope(token.organization_id), tx, {
    id: ids.createUuid(),
    userId: principal.userId,
    tokenId: principal.tokenId,
    actorKind: 'user',
    actor: principal.userEmail,
    operationId: operation.id,
    subject: token.id,
    status: operation.success ?? 200,
    requestId,
    address: null,
    details: null,
    createdAt: clock.now(),
  });
}

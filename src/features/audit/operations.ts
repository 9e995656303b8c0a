/** The operations of audit, each with what carries it out. */
import { bindLabList, bindList, bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as headContract from './head-contract.ts';
import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { listAuditPage, listAllAuditPage, selectChainEnd } from './store.ts';
import { signHead } from './head.ts';

export const auditOperations: readonly Binding[] = [
  bindList(contract.listAudit, ({ scope, sql }, query) => listAuditPage(scope, sql, query)),
  bindLabList(contract.listAllAudit, ({ scope, sql }, query) => listAllAuditPage(scope, sql, query)),
  bindRead(headContract.getAuditHead, getAuditHead),
];

/** `GET /audit/head`. */
async function getAuditHead({ query }: Input<typeof headContract.getAuditHead>, context: ReadContext) {
  const scope = getScope(context.principal);
  const { position, hash } = await selectChainEnd(scope, context.sql);
  const at = context.clock.now().toISOString();
  const nonce = query.nonce ?? null;
  const head = { organization_id: scope.organizationId, position, hash, signed_at: at, nonce };
  return { ...head, jws: signHead(context.keyring, head) };
}

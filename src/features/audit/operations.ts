/** The operations of audit, each with what carries it out. */
import { bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as headContract from './head-contract.ts';
import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { auditFields, allAuditFields } from './list-fields.ts';
import { listAuditPage, listAllAuditPage, selectChainEnd } from './store.ts';
import { labScope } from '#core/scope.ts';
import { LAB_LIST } from '#core/parse-list.ts';
import { signHead } from './head.ts';

export const auditOperations: readonly Binding[] = [
  bindRead(contract.listAudit, listAudit),
  bindRead(contract.listAllAudit, listAllAudit),
  bindRead(headContract.getAuditHead, getAuditHead),
];

/** `GET /audit`: lists who changed what in the caller's organization. */
function listAudit(input: Input<typeof contract.listAudit>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(auditFields, input.query, {
    cursors: context.cursors,
    cursorList: context.principal.organizationId,
  });
  return listAuditPage(getScope(context.principal), context.sql, query);
}

/** `GET /lab/audit`: lists who changed what in every organization, and in the installation itself. */
function listAllAudit(input: Input<typeof contract.listAllAudit>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(allAuditFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listAllAuditPage(labScope, context.sql, query);
}

/** `GET /audit/head`. */
async function getAuditHead({ query }: Input<typeof headContract.getAuditHead>, context: ReadContext) {
  const scope = getScope(context.principal);
  const { position, hash } = await selectChainEnd(scope, context.sql);
  const { organizationId } = scope;
  const signedAt = context.clock.now().toISOString();
  const nonce = query.nonce ?? null;
  const jws = signHead(context.keyring, { organizationId, position, hash, signedAt, nonce });
  return { organization_id: organizationId, position, hash, signed_at: signedAt, nonce, jws };
}

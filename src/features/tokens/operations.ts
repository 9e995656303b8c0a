/** The operations of tokens, each with what carries it out. */
import { bindList, bindPublic, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as auditHeadContract from '../audit/head-contract.ts';
import * as partnersContract from './partners/contract.ts';
import { createToken } from './create-token.ts';
import { attenuateToken } from './attenuate-token.ts';
import { mintToken } from './partners/mint-token.ts';
import type { ReadContext, WriteContext, PublicContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { tokenFields } from './list-fields.ts';
import { listTokenPage, selectPastRevocations, revokeBranch, selectPublicKeys } from './store.ts';
import { parseList } from '#core/parse-list.ts';
import { fail, createInvalidFieldsFailure } from '#core/failures.ts';
import { listPartnerTokenPage, lockPartnerToken, type PartnerToken } from './partners/store.ts';
import { authorizeGrant } from '#core/grants.ts';
import { computeLifetimeMs, findEndProblems } from './partners/rules.ts';
import { issueRootToken } from './issue-root-token.ts';
import { recordAct } from '../audit/record-change.ts';

export const tokensOperations: readonly Binding[] = [
  bindRead(contract.listTokens, listTokens),
  bindWrite(contract.createToken, createToken),
  bindWrite(contract.attenuateToken, attenuateToken),
  bindWrite(contract.revokeToken, revokeToken),
  bindWrite(contract.revokeTokenById, revokeTokenById),
  bindPublic(auditHeadContract.listSigningKeys, listSigningKeys),
  bindWrite(partnersContract.mintToken, mintToken),
  bindList(partnersContract.listPartnerTokens, ({ scope, sql }, query) =>
    listPartnerTokenPage(scope, sql, query),
  ),
  bindWrite(partnersContract.renewPartnerToken, renewPartnerToken),
  bindWrite(partnersContract.revokePartnerToken, revokePartnerToken),
];

/** `GET /tokens`: lists the caller's own tokens; those of everybody for staff who appoint others. */
function listTokens(input: Input<typeof contract.listTokens>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, tokenFields, input.query);
  const { principal, sql } = context;
  return principal.permissions.has('lab:appoint')
    ? listTokenPage(labScope, sql, query, null)
    : listTokenPage(getScope(principal), sql, query, principal.userId);
}

/**
 * `POST /tokens/revoke`. A limited token revokes itself and its descendants only; any other token revokes its
 * root.
 */
async function revokeToken(_input: unknown, context: WriteContext) {
  const { principal, tx, clock } = context;
  const { tokenId, tokenPath, restrictions } = principal;
  const target = restrictions.isLimited ? tokenId : (tokenPath[0] ?? tokenId);
  if (principal.isRevoked) return repeatRevocation(context, [target, tokenId]);
  const branch = { tokenId: target, userId: null, within: null, at: clock.now() };
  const revoked = await revokeBranch(getScope(principal), tx, branch);
  if (revoked === undefined) throw new Error('a token without a row was accepted');
  return revoked;
}

/** A revoked token revokes nothing more: the answer has the first revocation that it would have repeated. */
async function repeatRevocation({ principal, tx }: WriteContext, tokenIds: readonly string[]) {
  const past = await selectPastRevocations(getScope(principal), tx, tokenIds);
  const earlier = tokenIds.flatMap((id) => past.filter((each) => each.token_id === id))[0];
  if (earlier === undefined) throw fail('token_revoked');
  return { ...earlier, children_revoked: 0 };
}

/** `POST /tokens/{token_id}/revoke`. For a limited token, tokens outside its own branch do not exist. */
async function revokeTokenById(input: Input<typeof contract.revokeTokenById>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const isAdministrator = principal.permissions.has('user:update');
  const revoked = await revokeBranch(getScope(principal), tx, {
    tokenId: input.params.token_id,
    userId: isAdministrator ? null : principal.userId,
    within: principal.restrictions.isLimited ? principal.tokenId : null,
    at: clock.now(),
  });
  if (revoked === undefined) throw fail('token_not_found');
  return revoked;
}

/** `GET /audit/keys`. */
async function listSigningKeys(_input: unknown, { sql }: PublicContext) {
  const keys = await selectPublicKeys(sql);
  return {
    keys: keys.map(({ kid, public_jwk: { kty = '', crv = '', x = '' } }) => ({
      kty,
      crv,
      x,
      kid,
      alg: 'EdDSA',
      use: 'sig',
    })),
  };
}

/** `POST /partners/tokens/{token_id}/renew`: replaces a token that the partner minted. */
async function renewPartnerToken(
  input: Input<typeof partnersContract.renewPartnerToken>,
  context: WriteContext,
) {
  const { tx, clock, keyring, principal } = context;
  const at = clock.now();
  const problems = findEndProblems(input.body.expires_at, at);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  const partner = getScope(principal);
  const old = await lockPartnerToken(partner, tx, input.params.token_id);
  if (old === undefined) throw fail('token_not_found');
  if (old.renewed_by !== null) throw fail('token_renewed_already');
  if (old.member_role === null) throw fail('token_holder_left');
  const { user_id: userId, organization_id: organizationId, role, name } = old;
  const grant = authorizeGrant(principal, 'client', { role, organizationId });
  const branch = { tokenId: old.id, userId: null, within: null, at };
  await revokeBranch(createOrganizationScope(organizationId), tx, branch);
  const lifetimeMs = computeLifetimeMs(input.body.expires_at, at);
  const issued = await issueRootToken(context, tx, keyring, grant, {
    userId,
    name,
    at,
    lifetimeMs,
    partner: { organizationId: partner.organizationId, renewsTokenId: old.id },
  });
  await recordForClient(context, old, partnersContract.renewPartnerToken);
  return {
    token: issued.value,
    token_id: issued.id,
    user_id: old.user_id,
    organization_id: old.organization_id,
    expires_at: issued.expiresAt.toISOString(),
  };
}

/** `POST /partners/tokens/{token_id}/revoke`. */
async function revokePartnerToken(
  input: Input<typeof partnersContract.revokePartnerToken>,
  context: WriteContext,
) {
  const { tx, clock, principal } = context;
  const token = await lockPartnerToken(getScope(principal), tx, input.params.token_id);
  if (token === undefined) throw fail('token_not_found');
  const branch = { tokenId: token.id, userId: null, within: null, at: clock.now() };
  const revoked = await revokeBranch(createOrganizationScope(token.organization_id), tx, branch);
  if (revoked === undefined) throw fail('token_not_found');
  await recordForClient(context, token, partnersContract.revokePartnerToken);
  return revoked;
}

/** What a partner does to a token stands in the trail of the client as well, whose token it is. */
async function recordForClient(
  context: WriteContext,
  token: PartnerToken,
  operation: { readonly id: string; readonly success?: number | undefined },
): Promise<void> {
  const { tx, principal, requestId } = context;
  if (token.organization_id === principal.organizationId) return;
  await recordAct(context, tx, createOrganizationScope(token.organization_id), {
    by: principal,
    operation: operation.id,
    subject: token.id,
    status: operation.success,
    origin: { requestId },
  });
}

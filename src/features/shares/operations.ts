/** The operations of shares, each with what carries it out. */
import { randomBytes } from 'node:crypto';
import { addMs } from '#core/clock.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { parseList } from '#core/parse-list.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { bindRead, bindWrite, type Binding } from '../binding.ts';
import { narrowToExperiment } from '../experiments/require-experiment.ts';
import { findExperiment } from '../experiments/store.ts';
import * as contract from './contract.ts';
import { computeShareLifeMs, SHARE_LIFE, SHARED_PATH, SHARES_MAX } from './rules.ts';
import {
  countShares,
  findShare,
  findSharedSequence,
  insertShare,
  listSharePage,
  revokeShareRow,
} from './store.ts';

export const sharesOperations: readonly Binding[] = [
  bindRead(contract.listShares, listShares),
  bindWrite(contract.createShare, createShare),
  bindWrite(contract.revokeShare, revokeShare),
];

/** `GET /shares`. */
async function listShares(input: Input<typeof contract.listShares>, context: ReadContext): Promise<RawJson> {
  const { experiment_id: named } = input.query;
  const query = parseList(context, contract.sharesList.fields, input.query, ['experiment_id'], named);
  const experimentId = await narrowToExperiment(context, named);
  const at = context.clock.now();
  return listSharePage(getScope(context.principal), context.sql, query, { at, experimentId });
}

const SECRET_BYTES = 24;

/** `POST /shares`. */
async function createShare(input: Input<typeof contract.createShare>, context: WriteContext) {
  const { principal, tx, clock, ids, site } = context;
  const { body } = input;
  const grant = authorizeGrant(principal, 'share', { role: 'viewer' });
  const scope = getScope(principal);
  const shared = await findWhatIsShared(body, context);
  const at = clock.now();
  if ((await countShares(scope, tx, at)) >= SHARES_MAX) throw fail('too_many_shares', { limit: SHARES_MAX });
  const wishedEnd = addMs(at, computeShareLifeMs(body.expires_in ?? SHARE_LIFE));
  const { latestEnd } = grant;
  const id = ids.createUuid();
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await insertShare(scope, tx, grant, {
    ...shared,
    id,
    secret,
    title: body.title ?? null,
    shared_by: body.shared_by ?? null,
    shows_sequences: body.shows_sequences ?? false,
    allows_csv: body.allows_csv ?? false,
    user_id: principal.userId,
    token_id: principal.credential === 'token' ? principal.tokenId : null,
    created_at: at,
    expires_at: latestEnd !== null && latestEnd < wishedEnd ? latestEnd : wishedEnd,
  });
  const made = await requireShare(id, context);
  const { experiment_code, sequence_name, shows_sequences, allows_csv, expires_at } = made;
  context.addAuditDetails({ experiment_code, sequence_name, shows_sequences, allows_csv, expires_at });
  return { ...made, link: `${site.baseUrl}${SHARED_PATH}/${secret}`, link_was_shown: false };
}

type ShareBody = Input<typeof contract.createShare>['body'];

/** Throws `invalid_request`, `experiment_not_found`, `result_not_found` or `results_not_released`. */
async function findWhatIsShared(
  { experiment_id: experimentId = null, result_id: resultId = null }: ShareBody,
  { principal, tx }: WriteContext,
): Promise<{ readonly experiment_id: string; readonly sequence_id: string | null }> {
  if ((experimentId === null) === (resultId === null))
    throw createInvalidFieldsFailure([
      { path: 'experiment_id', message: 'or result_id must be given, and not both' },
    ]);
  const scope = getScope(principal);
  if (resultId !== null) {
    const shared = await findSharedSequence(scope, tx, resultId);
    if (shared === undefined) throw fail('result_not_found');
    return shared;
  }
  const experiment = await findExperiment(scope, tx, experimentId ?? '');
  if (experiment === undefined) throw fail('experiment_not_found');
  if (experiment.results_status === 'none') throw fail('results_not_released');
  return { experiment_id: experiment.id, sequence_id: null };
}

/** `DELETE /shares/{share_id}`. */
async function revokeShare(input: Input<typeof contract.revokeShare>, context: WriteContext) {
  const { share_id: id } = input.params;
  if (!(await revokeShareRow(getScope(context.principal), context.tx, id, context.clock.now())))
    throw fail('share_not_found');
  const revoked = await requireShare(id, context);
  context.addAuditDetails({ experiment_code: revoked.experiment_code, sequence_name: revoked.sequence_name });
  return revoked;
}

async function requireShare(id: string, { principal, tx, clock }: WriteContext) {
  const share = await findShare(getScope(principal), tx, id, clock.now());
  if (share === undefined) throw fail('share_not_found');
  return share;
}

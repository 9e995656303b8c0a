/** The operations of updates, each with what carries it out. */
import { bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext } from '#core/context.ts';
import { type Input, Answer } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { updateFields, sharedUpdateFields } from './list-fields.ts';
import {
  getLastUpdateId,
  listUpdatePage,
  findUpdateJson,
  getLastPartnerUpdateId,
  listPartnerUpdatePage,
  listAllUpdatePage,
  selectAllStreamedUpdates,
} from './store.ts';
import { parseRound } from './rounds.ts';
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import { LAB_LIST } from '#core/parse-list.ts';
import { LiveStream } from '#core/live-stream.ts';
import { openStream } from './open-stream.ts';

export const updatesOperations: readonly Binding[] = [
  bindRead(contract.listUpdates, listUpdates),
  bindRead(contract.getUpdate, getUpdate),
  bindRead(contract.listPartnerUpdates, listPartnerUpdates),
  bindRead(contract.listAllUpdates, listAllUpdates),
  bindRead(contract.streamAllUpdates, streamAllUpdates),
];

/** `GET /updates`: lists the updates of the caller's organization. */
async function listUpdates(
  input: Input<typeof contract.listUpdates>,
  context: ReadContext,
): Promise<RawJson> {
  const scope = getScope(context.principal);
  const findLastId = () => getLastUpdateId(scope, context.sql);
  const page = await parseRound(context, updateFields, input.query, { findLastId });
  return listUpdatePage(scope, context.sql, page, null);
}

/** `GET /updates/{update_id}`: one update. */
async function getUpdate(input: Input<typeof contract.getUpdate>, context: ReadContext): Promise<RawJson> {
  const update = await findUpdateJson(getScope(context.principal), context.sql, input.params.update_id);
  if (update === undefined) throw fail('update_not_found');
  return update;
}

/** The name of the feed over a partner's clients: its cursors are not valid for the partner's own feed. */
const CLIENTS_LIST = 'clients';

/** `GET /partners/updates`: lists the updates of the organizations for which the partner minted a token. */
async function listPartnerUpdates(
  input: Input<typeof contract.listPartnerUpdates>,
  context: ReadContext,
): Promise<RawJson> {
  const partner = getScope(context.principal);
  const findLastId = () => getLastPartnerUpdateId(partner, context.sql);
  const source = { findLastId, listName: CLIENTS_LIST };
  const page = await parseRound(context, sharedUpdateFields, input.query, source);
  return listPartnerUpdatePage(partner, context.sql, page);
}

/** `GET /lab/updates`: lists the updates of every organization. */
async function listAllUpdates(
  input: Input<typeof contract.listAllUpdates>,
  context: ReadContext,
): Promise<RawJson> {
  const findLastId = () => getLastUpdateId(labScope, context.sql);
  const source = { findLastId, listName: LAB_LIST };
  const page = await parseRound(context, sharedUpdateFields, input.query, source);
  return listAllUpdatePage(labScope, context.sql, page);
}

/** `GET /lab/updates/stream`: streams the updates of every organization as server-sent events. */
async function streamAllUpdates(
  input: Input<typeof contract.streamAllUpdates>,
  context: ReadContext,
): Promise<Answer> {
  const { follow, ...listed } = input.query;
  const { headers } = input;
  const findLastId = () => getLastUpdateId(labScope, context.sql);
  const request = { headers, query: listed };
  const { query, after } = await openStream(context, sharedUpdateFields, request, {
    findLastId,
    listName: LAB_LIST,
  });
  const stream = new LiveStream({
    key: JSON.stringify([LAB_LIST, query.context.filter]),
    organizationId: context.principal.organizationId,
    readsAll: true,
    after,
    isFollowing: follow !== false,
    read: (range) => selectAllStreamedUpdates(labScope, context.sql, query, range),
  });
  return new Answer(200, stream);
}

import { isDeepStrictEqual } from 'node:util';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { editPriceList as operation } from './list-contract.ts';
import type { PriceListContent } from './price-list.ts';
import { rewriteDraftList } from './store.ts';
import {
  lockDraft,
  mergeContent,
  refuseContentProblems,
  requirePriceListJson,
} from './price-list-content.ts';

/** `PATCH /lab/price-lists/{price_list_id}`. */
export async function editPriceList(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock } = context;
  const id = input.params.price_list_id;
  const { id: _id, version: _version, status: _status, ...before } = await lockDraft(tx, id);
  const after = mergeContent(input.body, before);
  await refuseContentProblems(tx, after);
  const changes = listChanges(before, after);
  if (changes.length > 0) await rewriteDraftList(tx, id, after, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ changes });
  return requirePriceListJson(tx, id, clock.now());
}

function listChanges(before: PriceListContent, after: PriceListContent) {
  const former = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]: [string, unknown]) =>
    isDeepStrictEqual(former.get(field), value) ? [] : [{ field, before: former.get(field), after: value }],
  );
}

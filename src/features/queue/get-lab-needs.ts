import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getLabNeeds as operation } from './needs-contract.ts';
import { selectNeeds } from './needs-store.ts';
import { listNeedKinds } from './needs.ts';

const ORDERS_OF_EACH = 5;

/** `GET /lab/needs`: reads which orders wait for the person who asks, each once. */
export async function getLabNeeds(_input: Input<typeof operation>, { sql, principal, clock }: ReadContext) {
  const { permissions } = principal;
  const needs = await selectNeeds(labScope, sql, {
    kinds: listNeedKinds(permissions),
    ordersOfEach: ORDERS_OF_EACH,
    showsMoney: permissions.has('lab:bill'),
    at: clock.now(),
  });
  return { needs };
}

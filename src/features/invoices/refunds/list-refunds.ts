import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listRefunds as operation } from './contract.ts';
import { refundFields } from './list-fields.ts';
import { listRefundPage } from './list-store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/refunds`: lists the refunds of every organization. */
export function listRefunds(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  return listRefundPage(labScope, context.sql, parseList(context, refundFields, input.query, [], LAB_LIST));
}

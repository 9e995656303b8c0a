import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listLabRuns as operation } from './run-contract.ts';
import { runFields } from './run-list-fields.ts';
import { listRunPage } from './store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/runs`: lists the planned and started runs of the lab. */
export function listLabRuns(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, runFields, input.query, [], LAB_LIST);
  return listRunPage(context.sql, query);
}

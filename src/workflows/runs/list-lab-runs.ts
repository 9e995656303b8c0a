import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listLabRuns as operation } from '#domain/runs/run-contract.ts';
import { runFields } from '#domain/runs/run-list-fields.ts';
import { listRunPage } from '#domain/runs/store.ts';
import { LAB_LIST, parseList } from '../lists/parse-list.ts';

/** `GET /lab/runs`: lists the planned and started runs of the lab. */
export function listLabRuns(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, runFields, input.query, [], LAB_LIST);
  return listRunPage(context.sql, query);
}

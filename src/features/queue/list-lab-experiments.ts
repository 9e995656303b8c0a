import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listLabExperiments as operation } from './contract.ts';
import { queueFields } from './list-fields.ts';
import { listQueuePage } from './store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/experiments`: lists the experiments of every organization. */
export function listLabExperiments(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, queueFields, input.query, [], LAB_LIST);
  return listQueuePage(labScope, context.sql, query, context.site.baseUrl);
}

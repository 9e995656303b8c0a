/** This folder: what staff read and note of the experiments of every organization. Not here: moves of an experiment. */
import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listLabExperiments as operation } from '#domain/queue/contract.ts';
import { queueFields } from '#domain/queue/list-fields.ts';
import { listQueuePage } from '#domain/queue/store.ts';
import { LAB_LIST, parseList } from '../lists/parse-list.ts';

/** `GET /lab/experiments`: lists the experiments of every organization. */
export function listLabExperiments(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, queueFields, input.query, [], LAB_LIST);
  return listQueuePage(labScope, context.sql, query, context.site.baseUrl);
}

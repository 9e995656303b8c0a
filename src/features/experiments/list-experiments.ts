import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listExperiments as operation } from './contract.ts';
import { experimentFields } from './list-fields.ts';
import { listExperimentPage } from './list-store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /experiments`: lists the experiments of the caller's organization. */
export function listExperiments(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, experimentFields, input.query);
  return listExperimentPage(getScope(context.principal), context.sql, query, context.site.baseUrl);
}

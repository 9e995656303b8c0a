import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listTargets as operation } from './contract.ts';
import { targetFields } from './list-fields.ts';
import { listTargetPage } from './store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /targets`: lists the catalog of targets. */
export function listTargets(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, targetFields, input.query, [
    'selfservice_only',
    'show_conjugated',
    'detailed',
  ]);
  return listTargetPage(getScope(context.principal), context.sql, query, {
    baseUrl: context.site.baseUrl,
    selfServiceOnly: input.query.selfservice_only ?? false,
    showConjugated: input.query.show_conjugated ?? false,
    detailed: input.query.detailed ?? false,
  });
}

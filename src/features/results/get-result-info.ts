import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { RawJson } from '#core/raw-json.ts';
import type { getResultInfo as operation } from './contract.ts';
import { findResultJson } from './store.ts';
import { withPackageLinks } from './package/package-link.ts';
import { getResultForm } from './result-form.ts';

/** `GET /results/{result_id}`: one released result. */
export async function getResultInfo(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const form = getResultForm(context.site);
  const json = await findResultJson(getScope(context.principal), context.sql, input.params.result_id, form);
  if (json === undefined) throw fail('result_not_found');
  return withPackageLinks(context, new RawJson(json));
}

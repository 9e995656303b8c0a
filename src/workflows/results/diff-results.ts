import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { findDifferences } from '#domain/results/diff.ts';
import { selectComparableResult, selectVersionsOfResult } from '#domain/results/version-store.ts';
import type { diffResults as operation } from '#domain/results/versions.ts';

/** `GET /results/{result_id}/diff`. */
export async function diffResults(input: Input<typeof operation>, context: ReadContext) {
  const scope = getScope(context.principal);
  const { result_id: resultId } = input.params;
  const versions = await selectVersionsOfResult(scope, context.sql, resultId);
  const named = versions.find(({ id }) => id === resultId);
  if (named === undefined) throw fail('result_not_found');
  const { against } = input.query;
  const other =
    against === undefined
      ? versions.find(({ version }) => version < named.version)
      : versions.find(({ version }) => version === Number(against));
  if (other === undefined) throw fail('result_version_not_found');
  const before = await selectComparableResult(scope, context.sql, other.id);
  const after = await selectComparableResult(scope, context.sql, named.id);
  return {
    result_id: named.id,
    version: named.version,
    against_id: other.id,
    against_version: other.version,
    changes: findDifferences(before, after),
  };
}

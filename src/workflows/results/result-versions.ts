/** Reading the versions of a result, and what differs between two. */
import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { differences } from '#domain/results/diff.ts';
import { comparableResult, versionsOfResult } from '#domain/results/version-store.ts';
import type { diffResults, listResultVersions } from '#domain/results/versions.ts';

/** `GET /results/{result_id}/versions`. */
export async function resultVersions(input: Input<typeof listResultVersions>, context: ReadContext) {
  const rows = await versionsOfResult(scopeOf(context.principal), context.sql, input.params.result_id);
  const [newest] = rows;
  if (newest === undefined) throw fail('result_not_found');
  return {
    sequence_name: newest.sequence_name,
    versions: rows.map(({ sequence_name: _name, ...version }) => version),
  };
}

/** `GET /results/{result_id}/diff`. */
export async function diffOfResults(input: Input<typeof diffResults>, context: ReadContext) {
  const scope = scopeOf(context.principal);
  const { result_id: resultId } = input.params;
  const versions = await versionsOfResult(scope, context.sql, resultId);
  const named = versions.find(({ id }) => id === resultId);
  if (named === undefined) throw fail('result_not_found');
  const { against } = input.query;
  const other =
    against === undefined
      ? versions.find(({ version }) => version < named.version)
      : versions.find(({ version }) => version === Number(against));
  if (other === undefined) throw fail('result_version_not_found');
  const before = await comparableResult(scope, context.sql, other.id);
  const after = await comparableResult(scope, context.sql, named.id);
  return {
    result_id: named.id,
    version: named.version,
    against_id: other.id,
    against_version: other.version,
    changes: differences(before, after),
  };
}

import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectComparableResult, selectVersionsOfResult } from './release-store.ts';
import type { diffResults as operation } from './contract.ts';

/** `GET /results/{result_id}/diff`. */
export function diffResults(input: Input<typeof operation>, context: ReadContext) {
  return compareVersions(getScope(context.principal), context.sql, {
    resultId: input.params.result_id,
    against: input.query.against,
  });
}

/** Compares two versions that the scope may read. Throws `result_not_found` or `result_version_not_found`. */
export async function compareVersions(
  scope: Scope,
  sql: Sql,
  { resultId, against }: { readonly resultId: string; readonly against: string | undefined },
) {
  const versions = await selectVersionsOfResult(scope, sql, resultId);
  const named = versions.find(({ id }) => id === resultId);
  if (named === undefined) throw fail('result_not_found');
  const other =
    against === undefined
      ? versions.find(({ version }) => version < named.version)
      : versions.find(({ version }) => version === Number(against));
  if (other === undefined) throw fail('result_version_not_found');
  const before = await selectComparableResult(scope, sql, other.id);
  const after = await selectComparableResult(scope, sql, named.id);
  return {
    result_id: named.id,
    version: named.version,
    against_id: other.id,
    against_version: other.version,
    changes: findDifferences(before, after),
  };
}

/** Differences between two JSON values, leaf by leaf. */

interface Difference {
  /** Such as `quantities.kd.value` or `summary.0.replicates.1.tm`. */
  readonly path: string;
  /** Undefined where one side lacks the member. */
  readonly before: unknown;
  readonly after: unknown;
}

/** In the order of the members of `after`; members that only `before` has come at the end of their object. */
export function findDifferences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isMembers(before) && isMembers(after)) {
    const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
    return names.flatMap((name) =>
      findDifferences(
        getMember(before, name),
        getMember(after, name),
        path === '' ? name : `${path}.${name}`,
      ),
    );
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

/** True for objects and lists; lists are compared index by index. */
function isMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function getMember(value: object, name: string): unknown {
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

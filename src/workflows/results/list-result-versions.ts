import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { versionsOfResult } from '#domain/results/version-store.ts';
import type { listResultVersions as operation } from '#domain/results/versions.ts';

/** `GET /results/{result_id}/versions`. */
export async function listResultVersions(input: Input<typeof operation>, context: ReadContext) {
  const rows = await versionsOfResult(scopeOf(context.principal), context.sql, input.params.result_id);
  const [newest] = rows;
  if (newest === undefined) throw fail('result_not_found');
  return {
    sequence_name: newest.sequence_name,
    versions: rows.map(({ sequence_name: _name, ...version }) => version),
  };
}

import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { selectVersionsOfResult } from './version-store.ts';
import type { listResultVersions as operation } from './versions.ts';

/** `GET /results/{result_id}/versions`. */
export async function listResultVersions(input: Input<typeof operation>, context: ReadContext) {
  const rows = await selectVersionsOfResult(getScope(context.principal), context.sql, input.params.result_id);
  const [newest] = rows;
  if (newest === undefined) throw fail('result_not_found');
  return {
    sequence_name: newest.sequence_name,
    versions: rows.flatMap(({ sequence_name: _name, released_at: releasedAt, ...version }) =>
      releasedAt === null ? [] : [{ ...version, released_at: releasedAt }],
    ),
  };
}

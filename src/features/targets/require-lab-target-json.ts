import type { Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { RawJson } from '#core/raw-json.ts';
import type { Sql } from '#core/sql.ts';
import { findLabTargetJson } from './catalog-store.ts';

/** A target as staff see it. Throws `target_not_found`. */
export async function requireLabTargetJson(
  { site }: Pick<Work, 'site'>,
  sql: Sql,
  id: string,
): Promise<RawJson> {
  const json = await findLabTargetJson(sql, id, site.baseUrl);
  if (json === undefined) throw fail('target_not_found');
  return new RawJson(json);
}

/** Names of experiments from which a person chooses. */
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

export interface NamedExperiment {
  readonly code: string;
  readonly name: string;
}

/** The newest experiments of an organization. */
export async function selectNewestExperiments(
  scope: OrganizationScope,
  sql: Sql,
  limit: number,
): Promise<NamedExperiment[]> {
  return sql.query<NamedExperiment>(
    `select code, name from experiments where organization_id = $1 order by created_at desc, id desc limit $2`,
    [scope.organizationId, limit],
  );
}

/** Those of the codes that belong to an experiment of the organization. */
export async function selectCodes(
  scope: OrganizationScope,
  sql: Sql,
  codes: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ code: string }>(
    `select code from experiments where organization_id = $1 and code = any($2::text[])`,
    [scope.organizationId, codes],
  );
  return rows.map((row) => row.code);
}

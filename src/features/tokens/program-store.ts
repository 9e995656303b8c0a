/** The tokens by which programs act for a person over OAuth. */
import type { AttenuationSpec } from '#core/capability.ts';
import { getGrantedTokenRole, type Grant } from '#core/grants.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import { SPENT } from './spending-store.ts';

/** Whether a program may get an access token: its own token has neither ended nor been revoked. */
export async function isProgramAlive(_lab: LabScope, sql: Sql, tokenId: string, at: Date): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from tokens t
     join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
     where t.id::text = $1 and t.client_id is not null and t.revoked_at is null and t.expires_at > $2`,
    [tokenId, at],
  );
  return rows.length > 0;
}

export interface NewProgram {
  readonly id: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly client_id: string;
  readonly name: string;
  readonly limits: AttenuationSpec;
  readonly created_at: Date;
  readonly ends_at: Date;
}

/** The token by which a program acts; nobody holds a value of it. */
export async function insertProgramToken(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  { ends_at: endsAt, limits, ...program }: NewProgram,
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'tokens', {
      ...program,
      kind: 'attenuated',
      role: getGrantedTokenRole(scope, grant, endsAt),
      root_token_id: program.id,
      path: [program.id],
      attenuation_spec: JSON.stringify(limits),
      max_spend_cents: limits.max_spend_cents ?? null,
      expires_at: endsAt,
    }),
  );
}

export interface ProgramRow {
  readonly id: string;
  readonly name: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly limits: AttenuationSpec;
  readonly redirect_uris: readonly string[];
  readonly max_spend_cents: number | null;
  readonly spent_cents: number;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly ends_at: string;
  readonly revoked_at: string | null;
}

/** The programs of a person in all organizations, those that may act first. */
export async function selectPrograms(
  _lab: LabScope,
  sql: Sql,
  person: { readonly userId: string; readonly at: Date; readonly limit: number },
): Promise<ProgramRow[]> {
  return sql.query<ProgramRow>(
    `select t.id, t.name, t.organization_id, o.name as organization_name, t.attenuation_spec as limits,
       c.redirect_uris, t.max_spend_cents, ${SPENT} as spent_cents, t.created_at, t.last_used_at,
       t.expires_at as ends_at, t.revoked_at
     from tokens t
     join organizations o on o.id = t.organization_id
     join oauth_clients c on c.client_id = t.client_id
     where t.user_id = $1
     order by (t.revoked_at is null and t.expires_at > $2) desc, t.created_at desc, t.id limit $3`,
    [person.userId, person.at, person.limit],
  );
}

/** The organization of one of a person's programs. */
export async function findProgramOrganization(
  _lab: LabScope,
  sql: Sql,
  program: { readonly id: string; readonly userId: string },
): Promise<string | undefined> {
  const rows = await sql.query<{ organization_id: string }>(
    `select organization_id from tokens where id = $1 and user_id = $2 and client_id is not null`,
    [program.id, program.userId],
  );
  return getFirst(rows)?.organization_id;
}

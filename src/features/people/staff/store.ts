import type { ListQuery } from '#core/filter/index.ts';
import type { StaffGrant } from '#core/grants.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import { staffRoles, type StaffRole } from '#core/permissions.ts';
import type { RawJson } from '#core/reply.ts';
import type { LabScope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';

export interface StaffRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly roles: StaffRole[];
  /** False for a person who is not an administrator of any organization. */
  readonly is_effective: boolean;
  readonly staff_since: string;
}

const IS_EFFECTIVE = `exists (select from memberships m where m.user_id = u.id and m.role = 'admin')`;

/** Whether roles count depends on the memberships of a person in any organization. */
export function listStaffPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `u.id as user_id, u.email, u.name, u.staff_roles as roles, ${IS_EFFECTIVE} as is_effective, ${writeWireTime('u.staff_since')} as staff_since`,
      from: 'users u',
      alias: 'u',
      joins: [],
      where: 'u.is_staff',
      values: [],
    },
    query,
  );
}

/** Locks all staff until the transaction ends, so that two people cannot dismiss one another at once. */
export async function lockStaff(sql: Sql): Promise<void> {
  await sql.query(`select id from users where is_staff order by id for no key update`);
}

export async function findStaff(_lab: LabScope, sql: Sql, userId: string): Promise<StaffRow | undefined> {
  return getFirst(
    await sql.query<StaffRow>(
      `select u.id as user_id, u.email, u.name, u.staff_roles as roles, ${IS_EFFECTIVE} as is_effective, u.staff_since
       from users u where u.id = $1 and u.is_staff`,
      [userId],
    ),
  );
}

/** Selects the roles of a person in the lab; an empty list for a client. */
export async function selectStaffRoles(sql: Sql, userId: string): Promise<readonly StaffRole[]> {
  const rows = await sql.query<{ roles: readonly StaffRole[] }>(
    `select staff_roles as roles from users where id = $1 for no key update`,
    [userId],
  );
  return getExactlyOne(rows).roles;
}

export async function countOthersWithRole(sql: Sql, role: StaffRole, userId: string): Promise<number> {
  const rows = await sql.query<{ n: number }>(
    `select count(*) as n from users where is_staff and $1 = any(staff_roles) and id <> $2`,
    [role, userId],
  );
  return getExactlyOne(rows).n;
}

/** Writes the roles in their usual order. The time of the appointment is that of the first role. */
export async function setStaffRoles(
  sql: Sql,
  grant: StaffGrant,
  { userId, at }: { readonly userId: string; readonly at: Date },
): Promise<void> {
  const roles = staffRoles.filter((role) => grant.roles.includes(role));
  await sql.query(
    `update users set staff_roles = $2,
       staff_since = case when cardinality($2::text[]) = 0 then null else coalesce(staff_since, $3) end
     where id = $1`,
    [userId, roles, at],
  );
}

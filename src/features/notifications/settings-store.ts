/** What people chose, and who they are in the places that notices come from. */
import type { Role, StaffRole } from '#core/permissions.ts';
import type { LabScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { Choices, Standing } from './events.ts';

/** The settings of one person: for an organization, or with null for the lab. */
export interface Place {
  readonly user_id: string;
  readonly organization_id: string | null;
}

export interface SettingsRow {
  readonly choices: Choices;
  readonly digest_hour: number;
}

/** They belong to a person, who may read them in whichever organization; so this takes no scope. */
export async function findSettings(
  sql: Sql,
  { user_id: userId, organization_id: organizationId }: Place,
): Promise<SettingsRow | undefined> {
  return getFirst(
    await sql.query<SettingsRow>(
      `select choices, digest_hour from notification_settings
       where user_id = $1 and organization_id is not distinct from $2::uuid`,
      [userId, organizationId],
    ),
  );
}

/** Holds the person until the transaction ends, so that two changes at once both count. Answers false for nobody. */
export async function lockPerson(tx: Transaction, userId: string): Promise<boolean> {
  const rows = await tx.query(`select id from users where id = $1 for no key update`, [userId]);
  return rows.length > 0;
}

export async function saveSettings(
  tx: Transaction,
  place: Place,
  { choices, digest_hour: hour }: SettingsRow,
  at: Date,
): Promise<void> {
  await tx.query(
    ...insertInto(
      'notification_settings',
      {
        user_id: place.user_id,
        organization_id: place.organization_id,
        choices: JSON.stringify(choices),
        digest_hour: hour,
        updated_at: at,
      },
      `on conflict (user_id, organization_id) do update set choices = excluded.choices,
         digest_hour = excluded.digest_hour, updated_at = excluded.updated_at`,
    ),
  );
}

/** A person who may be told something, with what the person is and chose there. */
export interface RecipientRow extends Standing {
  readonly user_id: string;
  readonly email: string;
  /** Null for staff. */
  readonly organization_id: string | null;
  readonly choices: Choices | null;
  readonly digest_hour: number | null;
}

/** Rights of staff need an administrator's membership, in whichever organization. */
const HELD = `case when exists (select 1 from memberships a where a.user_id = u.id and a.role = 'admin')
  then u.staff_roles else '{}' end`;
const CHOSEN = 's.choices, s.digest_hour';

interface MemberRow extends Omit<RecipientRow, 'role' | 'staffRoles'> {
  readonly role: Role | null;
  readonly staff_roles: readonly StaffRole[];
}

const toRecipient = ({ staff_roles: staffRoles, ...row }: MemberRow): RecipientRow => ({
  ...row,
  staffRoles,
});

/** Selects the members of these organizations. */
export async function selectMembers(
  _lab: LabScope,
  sql: Sql,
  organizationIds: readonly string[],
): Promise<RecipientRow[]> {
  const rows = await sql.query<MemberRow>(
    `select m.user_id, u.email, m.organization_id, m.role, '{}'::text[] as staff_roles, ${CHOSEN}
     from memberships m join users u on u.id = m.user_id
     left join notification_settings s on s.user_id = m.user_id and s.organization_id = m.organization_id
     where m.organization_id = any($1::uuid[]) order by m.organization_id, m.created_at, m.user_id`,
    [organizationIds],
  );
  return rows.map(toRecipient);
}

export async function selectStaffToTell(_lab: LabScope, sql: Sql): Promise<RecipientRow[]> {
  const rows = await sql.query<MemberRow>(
    `select u.id as user_id, u.email, null::uuid as organization_id, null::text as role, ${HELD} as staff_roles,
       ${CHOSEN}
     from users u left join notification_settings s on s.user_id = u.id and s.organization_id is null
     where u.is_staff order by u.staff_since, u.id`,
  );
  return rows.map(toRecipient);
}

/** Finds what a person is now in an organization, or with null in the lab; undefined for nobody. */
export async function findRecipient(
  _lab: LabScope,
  sql: Sql,
  { user_id: userId, organization_id: organizationId }: Place,
): Promise<RecipientRow | undefined> {
  const rows = await sql.query<MemberRow>(
    `select u.id as user_id, u.email, m.organization_id, m.role,
       case when $2::uuid is null then ${HELD} else '{}' end as staff_roles, ${CHOSEN}
     from users u left join memberships m on m.user_id = u.id and m.organization_id = $2
     left join notification_settings s on s.user_id = u.id and s.organization_id is not distinct from $2::uuid
     where u.id = $1`,
    [userId, organizationId],
  );
  const [row] = rows;
  return row === undefined ? undefined : toRecipient(row);
}

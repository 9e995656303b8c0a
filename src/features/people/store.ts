/** People with their passkeys and mailed links, and the limits on their sign-in. */
import { computeSecretDigest } from '#core/sealer.ts';
import { addMs } from '#core/clock.ts';
import type { LabScope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { expression, insertInto } from '#core/write-rows.ts';
import { attemptDigest, attemptLimits, type AttemptKind, type LinkPurpose } from './rules.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

export async function findPerson(sql: Sql, userId: string): Promise<Person | undefined> {
  return getFirst(await sql.query<Person>(`select id, email, name from users where id = $1`, [userId]));
}

export async function findPersonByEmail(sql: Sql, email: string): Promise<Person | undefined> {
  return getFirst(await sql.query<Person>(`select id, email, name from users where email = $1`, [email]));
}

/** A person who opens a mailed link holds the address; returns whether nobody had proved it before. */
export async function markVerified(sql: Sql, userId: string, at: Date): Promise<boolean> {
  const rows = await sql.query(
    `update users set email_verified = true, updated_at = $2 where id = $1 and not email_verified returning id`,
    [userId, at],
  );
  return rows.length > 0;
}

export async function isAddressProven(sql: Sql, userId: string): Promise<boolean> {
  const rows = await sql.query(`select 1 from users where id = $1 and email_verified`, [userId]);
  return rows.length > 0;
}

/** Removes the password and the passkeys of a person. */
export async function deleteCredentials(sql: Sql, userId: string): Promise<void> {
  await sql.query(`delete from accounts where user_id = $1 and provider_id = 'credential'`, [userId]);
  await sql.query(`delete from passkeys where user_id = $1`, [userId]);
}

export async function renamePerson(
  sql: Sql,
  person: { readonly id: string; readonly name: string | null; readonly at: Date },
): Promise<void> {
  await sql.query(`update users set name = $2, updated_at = $3 where id = $1`, [
    person.id,
    person.name,
    person.at,
  ]);
}

/** Stores the e-mail address and the name that the first administrator gives. */
export async function readdressPerson(
  sql: Sql,
  person: { readonly id: string; readonly email: string; readonly name: string | null; readonly at: Date },
): Promise<void> {
  await sql.query(
    `update users set email = $2, name = $3, email_verified = true, updated_at = $4 where id = $1`,
    [person.id, person.email, person.name, person.at],
  );
}

export async function hasPassword(sql: Sql, userId: string): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from accounts where user_id = $1 and provider_id = 'credential' and password is not null`,
    [userId],
  );
  return rows.length > 0;
}

/** Lists the organizations of a person, because a change to the person is recorded in each of them. */
export async function selectOrganizationIdsOfUser(
  _lab: LabScope,
  sql: Sql,
  userId: string,
): Promise<string[]> {
  const rows = await sql.query<{ organization_id: string }>(
    `select organization_id from memberships where user_id = $1 order by organization_id`,
    [userId],
  );
  return rows.map((row) => row.organization_id);
}

interface Attempts {
  readonly count: number;
  readonly first_at: string;
}

interface Attempt {
  readonly kind: AttemptKind;
  readonly of: string;
  readonly at: Date;
}

/** Counts one more attempt; starts again at one when the window has ended. */
export async function countAttempt(sql: Sql, attempt: Attempt): Promise<Attempts> {
  const start = computeWindowStart(attempt);
  const rows = await sql.query<Attempts>(
    ...insertInto(
      'attempts',
      { digest: attemptDigest(attempt.kind, attempt.of), count: 1, first_at: attempt.at },
      expression`on conflict (digest) do update set
        count = case when attempts.first_at > ${start} then attempts.count + 1 else 1 end,
        first_at = case when attempts.first_at > ${start} then attempts.first_at else excluded.first_at end
        returning count, first_at`,
    ),
  );
  return getExactlyOne(rows);
}

function computeWindowStart({ kind, at }: Attempt): Date {
  return addMs(at, -attemptLimits[kind].windowMs);
}

export async function clearAttempts(sql: Sql, attempt: Omit<Attempt, 'at'>): Promise<void> {
  await sql.query(`delete from attempts where digest = $1`, [attemptDigest(attempt.kind, attempt.of)]);
}

export async function deleteOldAttempts(sql: Sql, before: Date): Promise<void> {
  await sql.query(`delete from attempts where first_at < $1`, [before]);
}

export interface PasskeyRow {
  readonly id: string;
  readonly name: string | null;
  readonly created_at: string | null;
}

export async function selectPasskeys(sql: Sql, userId: string): Promise<PasskeyRow[]> {
  return sql.query<PasskeyRow>(
    `select id, name, created_at from passkeys where user_id = $1 order by created_at, id`,
    [userId],
  );
}

/** Returns whether a passkey of that id existed. */
export async function deletePasskey(
  sql: Sql,
  passkey: { readonly id: string; readonly userId: string },
): Promise<boolean> {
  const rows = await sql.query(`delete from passkeys where id = $1 and user_id = $2 returning id`, [
    passkey.id,
    passkey.userId,
  ]);
  return rows.length > 0;
}

/** One-time links that were mailed; only their digests are stored. */

interface NewLink {
  readonly secret: string;
  readonly purpose: LinkPurpose;
  readonly email: string;
  readonly user_id: string | null;
  readonly details?: SignUpDetails | undefined;
  /** Path of the page to show afterwards. */
  readonly next?: string | undefined;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** The details that a sign-up will store. */
export interface SignUpDetails {
  readonly name: string;
  readonly organization: string;
}

export interface OpenLink {
  readonly email: string;
  readonly user_id: string | null;
  readonly details: SignUpDetails | null;
  readonly next: string | null;
}

export async function insertLink(sql: Sql, { secret, ...link }: NewLink): Promise<void> {
  await sql.query(
    ...insertInto('person_links', {
      ...link,
      digest: computeSecretDigest(secret),
      details: link.details === undefined ? null : JSON.stringify(link.details),
      next: link.next ?? null,
    }),
  );
}

/** Finds what a valid link is for, without using it up. */
export async function findLink(
  sql: Sql,
  link: { readonly secret: string; readonly purpose: LinkPurpose; readonly at: Date },
): Promise<OpenLink | undefined> {
  return getFirst(
    await sql.query<OpenLink>(
      `select email, user_id, details, next from person_links
       where digest = $1 and purpose = $2 and used_at is null and expires_at > $3`,
      [computeSecretDigest(link.secret), link.purpose, link.at],
    ),
  );
}

/** Uses a link once; undefined when it is unknown, used or expired. */
export async function redeemLink(
  sql: Sql,
  link: { readonly secret: string; readonly purpose: LinkPurpose; readonly at: Date },
): Promise<OpenLink | undefined> {
  return getFirst(
    await sql.query<OpenLink>(
      `update person_links set used_at = $3
       where digest = $1 and purpose = $2 and used_at is null and expires_at > $3
       returning email, user_id, details, next`,
      [computeSecretDigest(link.secret), link.purpose, link.at],
    ),
  );
}

/** The page that a link leads to, whether or not it still works; undefined for an unknown one. */
export async function findLinkNext(sql: Sql, secret: string): Promise<string | undefined> {
  const rows = await sql.query<{ next: string | null }>(`select next from person_links where digest = $1`, [
    computeSecretDigest(secret),
  ]);
  return getFirst(rows)?.next ?? undefined;
}

/** Invalidates all other links of the person for this purpose. */
export async function spendLinks(
  sql: Sql,
  links: { readonly userId: string; readonly purpose: LinkPurpose; readonly at: Date },
): Promise<void> {
  await sql.query(
    `update person_links set used_at = $3 where user_id = $1 and purpose = $2 and used_at is null`,
    [links.userId, links.purpose, links.at],
  );
}

export async function deleteExpiredLinks(sql: Sql, before: Date): Promise<void> {
  await sql.query(`delete from person_links where expires_at < $1`, [before]);
}

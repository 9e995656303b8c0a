/** One-time links that were mailed; only their digests are stored. */
import { createHash } from 'node:crypto';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { LinkPurpose } from './rules.ts';

export interface NewLink {
  readonly secret: string;
  readonly purpose: LinkPurpose;
  readonly email: string;
  readonly userId: string | null;
  readonly details?: SignUpDetails | undefined;
  /** Path of the page to show afterwards. */
  readonly next?: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
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

function computeDigest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function insertLink(sql: Sql, link: NewLink): Promise<void> {
  await sql.query(
    ...insertInto('person_links', {
      digest: computeDigest(link.secret),
      purpose: link.purpose,
      email: link.email,
      user_id: link.userId,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
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
      [computeDigest(link.secret), link.purpose, link.at],
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
      [computeDigest(link.secret), link.purpose, link.at],
    ),
  );
}

/** The page that a link leads to, whether or not it still works; undefined for an unknown one. */
export async function findLinkNext(sql: Sql, secret: string): Promise<string | undefined> {
  const rows = await sql.query<{ next: string | null }>(`select next from person_links where digest = $1`, [
    computeDigest(secret),
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

import type { ListQuery } from '#core/filter/index.ts';
import { getGrantedTokenRole, type Grant } from '#core/grants.ts';
import { listPage } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { computeSecretDigest } from '#core/sealer.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import { sharesList } from './contract.ts';
import { SHARING_ROLES, writeShareState, type ShareState } from './rules.ts';

const JOINS = [
  { alias: 'e', sql: 'join experiments e on e.id = s.experiment_id' },
  { alias: 'q', sql: 'left join sequences q on q.id = s.sequence_id' },
  { alias: 'u', sql: 'join users u on u.id = s.user_id' },
  {
    alias: 'm',
    sql: 'left join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id',
  },
];
const WHERE = 's.organization_id = $1 and $2::timestamptz is not null and $3::text[] is not null';

/** Lists the links of the organization; only of one experiment when `experimentId` is given. */
export function listSharePage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  { at, experimentId }: { readonly at: Date; readonly experimentId: string | null },
): Promise<RawJson> {
  const values = [scope.organizationId, at, SHARING_ROLES];
  return listPage(
    sql,
    {
      item: sharesList.columns,
      from: 'shares s',
      alias: 's',
      joins: JOINS,
      ...(experimentId === null
        ? { where: WHERE, values }
        : { where: `${WHERE} and s.experiment_id = $4`, values: [...values, experimentId] }),
    },
    query,
  );
}

type ShareItem = typeof sharesList.sample;

/** Reads one link as the list has it. */
export async function findShare(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
  at: Date,
): Promise<ShareItem | undefined> {
  const rows = await sql.query<{ item: ShareItem }>(
    `select row_to_json(item) as item from (select ${sharesList.columns} from shares s
       ${JOINS.map((join) => join.sql).join(' ')} where ${WHERE} and s.id = $4) item`,
    [scope.organizationId, at, SHARING_ROLES, id],
  );
  return getFirst(rows)?.item;
}

interface NewShare {
  readonly id: string;
  readonly secret: string;
  readonly experiment_id: string;
  readonly sequence_id: string | null;
  readonly title: string | null;
  readonly shared_by: string | null;
  readonly shows_sequences: boolean;
  readonly allows_csv: boolean;
  readonly user_id: string;
  readonly token_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Stores a link by the digest of its secret. A reader has less than the role of the grant, and not for longer. */
export async function insertShare(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  { secret, ...share }: NewShare,
): Promise<void> {
  getGrantedTokenRole(scope, grant, share.expires_at);
  await sql.query(...insertOwned(scope, 'shares', { ...share, digest: computeSecretDigest(secret) }));
}

/** Counts the links that neither ended nor were revoked. */
export async function countShares(scope: OrganizationScope, sql: Sql, at: Date): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    `select count(*)::int as count from shares where organization_id = $1 and revoked_at is null and expires_at > $2`,
    [scope.organizationId, at],
  );
  return getExactlyOne(rows).count;
}

/** Revokes a link; false when there is none. A second time changes nothing. */
export async function revokeShareRow(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
  at: Date,
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `update shares set revoked_at = coalesce(revoked_at, $3) where organization_id = $1 and id = $2 returning id`,
    [scope.organizationId, id, at],
  );
  return getFirst(rows) !== undefined;
}

/** Finds the sequence and the experiment of a released result of any version. */
export async function findSharedSequence(
  scope: OrganizationScope,
  sql: Sql,
  resultId: string,
): Promise<{ readonly experiment_id: string; readonly sequence_id: string } | undefined> {
  const rows = await sql.query<{ experiment_id: string; sequence_id: string }>(
    `select experiment_id, sequence_id from results
     where organization_id = $1 and id = $2 and released_at is not null`,
    [scope.organizationId, resultId],
  );
  return getFirst(rows);
}

/** What a secret opens. */
export interface SharedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly experiment_id: string;
  readonly experiment_code: string;
  readonly experiment_type: string;
  readonly sequence_id: string | null;
  readonly title: string | null;
  readonly shared_by: string | null;
  readonly shows_sequences: boolean;
  readonly allows_csv: boolean;
  readonly expires_at: string;
  readonly status: ShareState;
  /** Whether nobody has opened it in this minute. */
  readonly is_unseen: boolean;
}

/** Finds a link by its secret, whatever its state. */
export async function findShareBySecret(
  _lab: LabScope,
  sql: Sql,
  secret: string,
  at: Date,
): Promise<SharedRow | undefined> {
  const rows = await sql.query<SharedRow>(
    `select s.id, s.organization_id, s.user_id, s.experiment_id, e.code as experiment_code, e.experiment_type,
       s.sequence_id, s.title, s.shared_by, s.shows_sequences, s.allows_csv, s.expires_at,
       ${writeShareState('$2::timestamptz', '$3::text[]')} as status,
       (s.opened_at is null or s.opened_at < $2::timestamptz - interval '1 minute') as is_unseen
     from shares s ${JOINS.map((join) => join.sql).join(' ')} where s.digest = $1`,
    [computeSecretDigest(secret), at, SHARING_ROLES],
  );
  return getFirst(rows);
}

export async function touchShare(_lab: LabScope, sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(`update shares set opened_at = $2 where id = $1`, [id, at]);
}

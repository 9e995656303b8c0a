/** Challenges and attempts of machine payments. */
import type { MachineMethod } from '#core/capability.ts';
import { addMs } from '#core/clock.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { expression, insertOwned } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Attempt, Challenge, NewChallenge, PaidOutcome, Refusal } from './machine-rail.ts';

const COLUMNS = `a.id, a.organization_id, a.invoice_id, a.rail, a.n, a.external_key, a.state, a.request,
  a.handed_over_at, a.outcome, a.refusal`;
const LIVE = `a.state in ('prepared', 'settling')`;
/** How long an attempt waits for the request that recorded it, before others may end it. */
const RESERVED_MS = 5_000;
const OWN = `($1::uuid is null or a.organization_id = $1)`;
const CHALLENGES_KEPT_IN_VIEW = 50;

/** Newest first. */
export async function selectChallenges(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
  rail: MachineMethod,
): Promise<Challenge[]> {
  return sql.query<Challenge>(
    `select c.id, c.headers, c.terms, c.expires_at from payment_challenges c
     where ($1::uuid is null or c.organization_id = $1) and c.invoice_id = $2 and c.rail = $3
     order by c.created_at desc, c.id desc limit $4`,
    [getOrganizationId(scope), invoiceId, rail, CHALLENGES_KEPT_IN_VIEW],
  );
}

export async function insertChallenge(
  scope: OrganizationScope,
  sql: Sql,
  challenge: NewChallenge & {
    readonly id: string;
    readonly invoice_id: string;
    readonly rail: MachineMethod;
    readonly created_at: Date;
  },
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'payment_challenges', {
      ...challenge,
      headers: JSON.stringify(challenge.headers),
      terms: JSON.stringify(challenge.terms),
    }),
  );
}

export async function findAttempt(scope: Scope, sql: Sql, id: string): Promise<Attempt | undefined> {
  const rows = await sql.query<Attempt>(
    `select ${COLUMNS} from payment_attempts a where ${OWN} and a.id = $2`,
    [getOrganizationId(scope), id],
  );
  return getFirst(rows);
}

/** The attempt made with a credential, whatever invoice it was for. */
export async function findAttemptByKey(
  _lab: Scope,
  sql: Sql,
  rail: MachineMethod,
  externalKey: string,
): Promise<Attempt | undefined> {
  const rows = await sql.query<Attempt>(
    `select ${COLUMNS} from payment_attempts a where ${OWN} and a.rail = $2 and a.external_key = $3`,
    [getOrganizationId(_lab), rail, externalKey],
  );
  return getFirst(rows);
}

/** Selects the one attempt that may still move money for this invoice. */
export async function selectLiveAttempt(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
): Promise<Attempt | undefined> {
  const rows = await sql.query<Attempt>(
    `select ${COLUMNS} from payment_attempts a where ${OWN} and a.invoice_id = $2 and ${LIVE}`,
    [getOrganizationId(scope), invoiceId],
  );
  return getFirst(rows);
}

/** Finds the attempt that paid the invoice. */
export async function selectPaidAttempt(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
): Promise<Attempt | undefined> {
  const rows = await sql.query<Attempt>(
    `select ${COLUMNS} from payment_attempts a where ${OWN} and a.invoice_id = $2 and a.state = 'paid'`,
    [getOrganizationId(scope), invoiceId],
  );
  return getFirst(rows);
}

/** Finds the attempt that collected money, by the rail's reference of the payment. */
export async function selectTakenAttempt(
  scope: Scope,
  sql: Sql,
  invoiceId: string,
  reference: Readonly<Record<string, unknown>>,
): Promise<Attempt | undefined> {
  const rows = await sql.query<Attempt>(
    `select ${COLUMNS} from payment_attempts a where ${OWN} and a.invoice_id = $2
       and a.state in ('paid', 'returned') and a.outcome->'reference' = $3::jsonb`,
    [getOrganizationId(scope), invoiceId, JSON.stringify(reference)],
  );
  return getFirst(rows);
}

/**
 * The caller holds the row of the invoice, so the numbers have no gaps, and drives the attempt next. Returns false when the credential belongs to
 * an attempt for another invoice; that row is visible then.
 */
export async function insertAttempt(
  scope: OrganizationScope,
  sql: Sql,
  {
    at,
    ...attempt
  }: {
    readonly id: string;
    readonly invoice_id: string;
    readonly rail: MachineMethod;
    readonly external_key: string;
    readonly request: unknown;
    readonly at: Date;
  },
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    ...insertOwned(
      scope,
      'payment_attempts',
      {
        ...attempt,
        n: expression`(select coalesce(max(n), 0) + 1 from payment_attempts where invoice_id = ${attempt.invoice_id})`,
        state: 'prepared',
        request: JSON.stringify(attempt.request),
        reserved_until: addMs(at, RESERVED_MS),
        created_at: at,
        updated_at: at,
      },
      'on conflict (rail, external_key) do nothing returning id',
    ),
  );
  return rows.length > 0;
}

/** Reopens an attempt that was rejected before it was handed over, for another try with the same credential. */
export async function reopenAttempt(scope: Scope, sql: Sql, id: string, at: Date): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update payment_attempts a set state = 'prepared', refusal = null, reserved_until = $4, updated_at = $3
     where ${OWN} and a.id = $2 and a.state = 'refused' and a.handed_over_at is null returning a.id`,
    [getOrganizationId(scope), id, at, addMs(at, RESERVED_MS)],
  );
  getExactlyOne(rows);
}

/**
 * Leases the attempt to the caller; undefined when another process holds the lease or the attempt is finished, and for
 * a caller who has no credential for it, also while it is reserved for one who has.
 */
export async function takeAttempt(
  scope: Scope,
  sql: Sql,
  id: string,
  lease: { readonly at: Date; readonly until: Date; readonly hasCredential: boolean },
): Promise<Attempt | undefined> {
  const rows = await sql.query<Attempt>(
    `update payment_attempts a set lease_until = $4, reserved_until = null
     where ${OWN} and a.id = $2 and ${LIVE} and (a.lease_until is null or a.lease_until <= $3)
       and ($5 or a.reserved_until is null or a.reserved_until <= $3)
     returning ${COLUMNS}`,
    [getOrganizationId(scope), id, lease.at, lease.until, lease.hasCredential],
  );
  return getFirst(rows);
}

export async function giveBackAttempt(scope: Scope, sql: Sql, id: string): Promise<void> {
  await sql.query(`update payment_attempts a set lease_until = null where ${OWN} and a.id = $2`, [
    getOrganizationId(scope),
    id,
  ]);
}

/** Marks the attempt as handed over: from now on the outside may move money at any time. */
export async function markHandedOver(scope: Scope, sql: Sql, id: string, at: Date): Promise<Attempt> {
  const rows = await sql.query<Attempt>(
    `update payment_attempts a set state = 'settling', handed_over_at = coalesce(a.handed_over_at, $3), updated_at = $3
     where ${OWN} and a.id = $2 and ${LIVE} returning ${COLUMNS}`,
    [getOrganizationId(scope), id, at],
  );
  return getExactlyOne(rows);
}

/** Returns false when the attempt was finished before. */
export async function finishAttempt(
  scope: Scope,
  sql: Sql,
  id: string,
  end: { readonly at: Date } & (
    | { readonly state: 'paid' | 'returned'; readonly outcome: PaidOutcome }
    | { readonly state: 'refused'; readonly refusal: Refusal }
  ),
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `update payment_attempts a set state = $3, outcome = $4, refusal = $5, lease_until = null, updated_at = $6
     where ${OWN} and a.id = $2 and (${LIVE} or (a.state = 'refused' and $3 <> 'refused')) returning a.id`,
    [
      getOrganizationId(scope),
      id,
      end.state,
      end.state === 'refused' ? null : JSON.stringify(end.outcome),
      end.state === 'refused' ? JSON.stringify(end.refusal) : null,
      end.at,
    ],
  );
  return rows.length > 0;
}

/** Live attempts that nobody works on or is about to, the longest unattended first. */
export async function selectUnattendedAttempts(
  scope: Scope,
  sql: Sql,
  due: { readonly at: Date; readonly untouchedSince: Date; readonly limit: number },
): Promise<Attempt[]> {
  return sql.query<Attempt>(
    `select ${COLUMNS} from payment_attempts a
     where ${OWN} and ${LIVE} and (a.lease_until is null or a.lease_until <= $2) and a.updated_at <= $3
       and (a.reserved_until is null or a.reserved_until <= $2)
     order by a.updated_at limit $4`,
    [getOrganizationId(scope), due.at, due.untouchedSince, due.limit],
  );
}

/** Moves an attempt that was just reconciled to the end of the queue. */
export async function markLookedAt(scope: Scope, sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    `update payment_attempts a set updated_at = $3, lease_until = null where ${OWN} and a.id = $2`,
    [getOrganizationId(scope), id, at],
  );
}

/**
 * Frees the attempts of a process that is known to be dead. Called at the start of the only process on a database.
 */
export async function releaseAttempts(scope: Scope, sql: Sql): Promise<void> {
  await sql.query(
    `update payment_attempts a set lease_until = null, reserved_until = null where ${OWN} and ${LIVE}`,
    [getOrganizationId(scope)],
  );
}

/** The sandbox processor's records for shared payment tokens: tokens, charges and refunds. */
import { getExactlyOne, getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';

export interface TestTokenRow {
  readonly token: string;
  readonly organization_id: string;
  readonly max_amount_cents: number;
  readonly currency: string;
  readonly behavior: 'pays' | 'declines';
  readonly expires_at: string;
  readonly deactivated_at: string | null;
}

export interface TestChargeRow {
  readonly id: string;
  readonly token: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly status: 'charged' | 'declined';
  readonly reason: string | null;
}

export interface NewTestToken {
  readonly token: string;
  readonly max_amount_cents: number;
  readonly currency: string;
  readonly behavior: TestTokenRow['behavior'];
  readonly expires_at: Date;
  readonly at: Date;
}

export async function insertTestToken(
  scope: OrganizationScope,
  tx: Transaction,
  { behavior, at, ...token }: NewTestToken,
): Promise<void> {
  await tx.query(
    ...insertOwned(scope, 'test_payment_tokens', {
      ...token,
      behaviour: behavior,
      created_at: at,
    }),
  );
}

const TOKEN =
  'token, organization_id, max_amount_cents, currency, behaviour as behavior, expires_at, deactivated_at';

export async function findTestToken(
  scope: Scope,
  sql: Sql,
  token: string,
): Promise<TestTokenRow | undefined> {
  return getFirst(
    await sql.query<TestTokenRow>(
      `select ${TOKEN} from test_payment_tokens where ($1::uuid is null or organization_id = $1) and token = $2`,
      [getOrganizationId(scope), token],
    ),
  );
}

export async function lockTestToken(
  scope: Scope,
  tx: Transaction,
  token: string,
): Promise<TestTokenRow | undefined> {
  return getFirst(
    await tx.query<TestTokenRow>(
      `select ${TOKEN} from test_payment_tokens
       where ($1::uuid is null or organization_id = $1) and token = $2 for update`,
      [getOrganizationId(scope), token],
    ),
  );
}

/** A token pays once. */
export async function deactivateTestToken(
  scope: Scope,
  tx: Transaction,
  token: string,
  at: Date,
): Promise<void> {
  await tx.query(
    `update test_payment_tokens set deactivated_at = coalesce(deactivated_at, $3)
     where ($1::uuid is null or organization_id = $1) and token = $2`,
    [getOrganizationId(scope), token, at],
  );
}

export async function findTestCharge(
  scope: Scope,
  sql: Sql,
  idempotencyKey: string,
): Promise<TestChargeRow | undefined> {
  return getFirst(
    await sql.query<TestChargeRow>(
      `select id, token, amount_cents, currency, status, reason from test_charges
       where ($1::uuid is null or organization_id = $1) and idempotency_key = $2`,
      [getOrganizationId(scope), idempotencyKey],
    ),
  );
}

export async function insertTestCharge(
  scope: OrganizationScope,
  tx: Transaction,
  {
    at,
    ...charge
  }: TestChargeRow & {
    readonly idempotency_key: string;
    readonly invoice_id: string;
    readonly at: Date;
  },
): Promise<void> {
  await tx.query(
    ...insertOwned(scope, 'test_charges', {
      ...charge,
      created_at: at,
    }),
  );
}

/** The cents of a charge that have not been sent back. Locks the charge; undefined when nothing was charged. */
export async function lockRefundable(
  scope: Scope,
  tx: Transaction,
  chargeId: string,
): Promise<number | undefined> {
  const charges = await tx.query<{ amount_cents: number }>(
    `select amount_cents from test_charges
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'charged' for update`,
    [getOrganizationId(scope), chargeId],
  );
  const charge = getFirst(charges);
  if (charge === undefined) return undefined;
  const sums = await tx.query<{ sent: number }>(
    `select coalesce(sum(amount_cents), 0)::bigint as sent from test_refunds where charge_id = $1`,
    [chargeId],
  );
  return charge.amount_cents - getExactlyOne(sums).sent;
}

export async function findTestRefund(
  scope: Scope,
  sql: Sql,
  idempotencyKey: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ id: string }>(
    `select id from test_refunds where ($1::uuid is null or organization_id = $1) and idempotency_key = $2`,
    [getOrganizationId(scope), idempotencyKey],
  );
  return getFirst(rows)?.id;
}

export async function insertTestRefund(
  scope: OrganizationScope,
  tx: Transaction,
  {
    at,
    ...refund
  }: {
    readonly id: string;
    readonly charge_id: string;
    readonly idempotency_key: string;
    readonly amount_cents: number;
    readonly at: Date;
  },
): Promise<void> {
  await tx.query(
    ...insertOwned(scope, 'test_refunds', {
      ...refund,
      created_at: at,
    }),
  );
}

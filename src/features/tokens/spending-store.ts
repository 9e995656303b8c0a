/** What tokens may spend, and what they have committed to. */
import type { OrganizationScope } from '#core/scope.ts';
import type { Static } from '#core/schema.ts';
import type { Sql } from '#core/sql.ts';
import { createManyValues, insertManyOwned } from '#core/write-rows.ts';
import type { AttenuationSpec, MachinePaymentPolicy } from './contract.ts';

export interface SpendLimit {
  readonly id: string;
  readonly max_spend_cents: number;
  readonly spent_cents: number;
}

/** Reads the limits along a path and locks them until the transaction ends, always from the root downward. */
export async function lockSpendLimits(
  scope: OrganizationScope,
  sql: Sql,
  path: readonly string[],
): Promise<SpendLimit[]> {
  return sql.query<SpendLimit>(
    `select id, max_spend_cents, spent_cents from tokens
     where organization_id = $1 and id = any($2::uuid[]) and max_spend_cents is not null
     order by id for no key update`,
    [scope.organizationId, path],
  );
}

export async function addSpending(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
  amountCents: number,
): Promise<void> {
  await sql.query(`update tokens set spent_cents = spent_cents + $3 where organization_id = $1 and id = $2`, [
    scope.organizationId,
    id,
    amountCents,
  ]);
}

/** What has been counted for this quote with each token of a path. */
export async function selectCounted(
  scope: OrganizationScope,
  sql: Sql,
  path: readonly string[],
  quoteId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ token_id: string; amount_cents: number }>(
    `select token_id, amount_cents from token_spending
     where organization_id = $1 and token_id = any($2::uuid[]) and quote_id = $3`,
    [scope.organizationId, path, quoteId],
  );
  return new Map(rows.map((row) => [row.token_id, row.amount_cents]));
}

/** What a request commits a token to: the price of a quote, when it accepts the quote or pays its invoice. */
export interface Commitment {
  readonly quote_id: string;
  readonly amount_cents: number;
}

export async function insertSpending(
  scope: OrganizationScope,
  sql: Sql,
  tokenIds: readonly string[],
  commitment: Commitment & { readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertManyOwned(scope, 'token_spending', {
      token_id: createManyValues('uuid', tokenIds),
      quote_id: commitment.quote_id,
      amount_cents: commitment.amount_cents,
      created_at: commitment.at,
    }),
  );
}

export async function updateSpending(
  scope: OrganizationScope,
  sql: Sql,
  tokenIds: readonly string[],
  { quote_id: quoteId, amount_cents: amountCents }: Commitment,
): Promise<void> {
  await sql.query(
    `update token_spending set amount_cents = $4
     where organization_id = $1 and token_id = any($2::uuid[]) and quote_id = $3`,
    [scope.organizationId, tokenIds, quoteId, amountCents],
  );
}

/** What one token of a path says about itself. */
export interface TokenTerms {
  readonly id: string;
  readonly kind: 'root' | 'attenuated';
  readonly role: string;
  readonly attenuation_spec: Static<typeof AttenuationSpec> | null;
  readonly payment_policy: Static<typeof MachinePaymentPolicy> | null;
  readonly max_spend_cents: number | null;
  readonly spent_cents: number;
}

/**
 * The SQL that sums what a token `t` has committed to. A token without a limit keeps no sum of its own, so that
 * requests with it need not wait for one another.
 */
export const SPENT = `greatest(t.spent_cents,
  (select coalesce(sum(s.amount_cents), 0)::bigint from token_spending s where s.token_id = t.id))`;

/** The terms of each token of a path, from the root down. */
export async function selectTokenTerms(
  scope: OrganizationScope,
  sql: Sql,
  path: readonly string[],
): Promise<TokenTerms[]> {
  return sql.query<TokenTerms>(
    `select t.id, t.kind, t.role, t.attenuation_spec, t.payment_policy, t.max_spend_cents, ${SPENT} as spent_cents
     from tokens t where t.organization_id = $1 and t.id = any($2::uuid[])
     order by array_position($2::uuid[], t.id)`,
    [scope.organizationId, path],
  );
}

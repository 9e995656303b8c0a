/** Secrets that sign the deliveries to the address of an experiment. */
import { getOrganizationId, type LabScope, type Scope } from '#core/scope.ts';
import { getExactlyOne, type Sql, type Transaction } from '#core/sql.ts';

export interface KeptSecret {
  /** As it was kept before secrets were sealed. */
  readonly webhook_secret: string | null;
  readonly sealed_webhook_secret: string | null;
}

export async function selectWebhookSecret(scope: Scope, sql: Sql, experimentId: string): Promise<KeptSecret> {
  return getExactlyOne(
    await sql.query<KeptSecret>(
      `select webhook_secret, sealed_webhook_secret from experiments
       where ($1::uuid is null or organization_id = $1) and id = $2`,
      [getOrganizationId(scope), experimentId],
    ),
  );
}

export async function setWebhookSecret(
  scope: Scope,
  sql: Sql,
  experimentId: string,
  sealed: string | null,
): Promise<void> {
  await sql.query(
    `update experiments set sealed_webhook_secret = $3, webhook_secret = null
     where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), experimentId, sealed],
  );
}

/** Holds experiments whose secret is not sealed, until the transaction ends. */
export function lockPlainSecrets(
  _lab: LabScope,
  tx: Transaction,
  limit: number,
): Promise<{ readonly id: string; readonly webhook_secret: string }[]> {
  return tx.query(
    `select id, webhook_secret from experiments where webhook_secret is not null
     order by id limit $1 for update skip locked`,
    [limit],
  );
}

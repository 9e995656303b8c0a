/**
 * Reads the records of our own processors, the built-in one and the sandbox's one for test tokens, like those of any
 * outside book. It also reads the wallets and tokens in which payments on a chain were ever requested.
 */
import type { Sql } from '#core/sql.ts';
import type { LabScope } from '#core/scope.ts';

export interface OwnMovement {
  readonly id: string;
  readonly direction: 'received' | 'sent_back';
  readonly invoice_id: string;
  /** The refund that sent it back: the key of each of its attempts is made from its id. */
  readonly refund_id: string | null;
  readonly amount_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

export type OwnBookName = 'builtin' | 'test tokens';

const writeRefundSubquery = (payment: 'p' | 'c'): string => `(
      select r.id::text from refunds r
      where r.invoice_id = ${payment}.invoice_id and starts_with(b.idempotency_key, 'refund:' || r.id || ':'))`;

const BOOKS: Readonly<Record<OwnBookName, string>> = {
  builtin: `
    select p.id, 'received' as direction, p.invoice_id, null as refund_id, p.amount_cents, p.currency,
      p.created_at
    from processor_payments p where p.amount_cents > 0
    union all
    select b.id, 'sent_back', p.invoice_id, ${writeRefundSubquery('p')}, b.amount_cents, b.currency, b.created_at
    from processor_refunds b join processor_payments p on p.id = b.payment_id`,
  'test tokens': `
    select c.id, 'received' as direction, c.invoice_id, null as refund_id, c.amount_cents, c.currency,
      c.created_at
    from test_charges c where c.status = 'charged'
    union all
    select b.id, 'sent_back', c.invoice_id, ${writeRefundSubquery('c')}, b.amount_cents, c.currency, b.created_at
    from test_refunds b join test_charges c on c.id = b.charge_id`,
};

/** Lists movements by id, after the given one. */
export function selectOwnMovementsSince(
  _lab: LabScope,
  sql: Sql,
  book: OwnBookName,
  page: { readonly since: Date; readonly afterId: string; readonly limit: number },
): Promise<OwnMovement[]> {
  return sql.query<OwnMovement>(
    `select * from (${BOOKS[book]}) book where created_at >= $1 and id > $2 order by id limit $3`,
    [page.since, page.afterId, page.limit],
  );
}

export function selectOwnMovement(
  _lab: LabScope,
  sql: Sql,
  book: OwnBookName,
  id: string,
): Promise<OwnMovement[]> {
  return sql.query<OwnMovement>(`select * from (${BOOKS[book]}) book where id = $1`, [id]);
}

/** A wallet and token that invoices were to be paid to. */
export interface AskedWallet {
  readonly network: string;
  /** Lower case, as `pay_to`. */
  readonly asset: string;
  readonly pay_to: string;
  /** Base units of the token for one cent; a whole number. */
  readonly units_per_cent: string;
  readonly first_asked_at: string;
}

/** Includes earlier wallets and tokens, because a challenge never changes. */
export function selectAskedWallets(_lab: LabScope, sql: Sql): Promise<AskedWallet[]> {
  return sql.query<AskedWallet>(
    `select c.asked->>'network' as network, lower(c.asked->>'asset') as asset, lower(c.asked->>'payTo') as pay_to,
       min(div((c.asked->>'amount')::numeric, i.total_cents))::text as units_per_cent, min(c.created_at) as first_asked_at
     from (select c.terms->'accepts'->0 as asked, c.invoice_id, c.created_at from payment_challenges c
       where c.rail = 'x402-exact' and c.terms ? 'accepts') c
       join invoices i on i.id = c.invoice_id
     where i.total_cents > 0 group by 1, 2, 3`,
  );
}

/** Returns those of the addresses (lower case) that ever paid an invoice. */
export async function selectPayersAmong(
  _lab: LabScope,
  sql: Sql,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ payer: string }>(
    `select distinct lower(a.request->'authorization'->>'from') as payer from payment_attempts a
     where a.rail = 'x402-exact' and a.state in ('paid', 'returned')
       and lower(a.request->'authorization'->>'from') = any($1)`,
    [addresses],
  );
  return new Set(rows.map(({ payer }) => payer));
}

/** Compares the service with the model: orders, money, releases, the feed and the trail. */
import assert from 'node:assert/strict';
import { moves } from '#core/lifecycle.ts';
import type { Sql } from '#core/sql.ts';
import type { Client } from './world.ts';
import type { Model, ModelOrder } from './model.ts';
import { getItems, getText } from '../service.ts';

const KNOWN_MOVES: ReadonlySet<string> = new Set(moves.map(({ from, to }) => `${from} → ${to}`));

interface Found {
  readonly id: string;
  readonly status: string;
  readonly results_status: string;
  readonly moves: number;
  readonly invoice_status: string | null;
  readonly total_cents: number | null;
}

/** Orders in both, each with its status, the length of its feed, what is released and its newest invoice. */
export async function assertOrders(sql: Sql, model: Model, organizations: readonly string[]): Promise<void> {
  const rows = await sql.query<Found>(
    `select e.id, e.status, e.results_status, i.status as invoice_status, i.total_cents,
       (select count(*) from updates u where u.experiment_id = e.id and u.type = 'status_change') as moves
     from experiments e
     left join lateral (select status, total_cents from invoices where experiment_id = e.id
       order by created_at desc, id desc limit 1) i on true
     where e.organization_id = any($1) order by e.id`,
    [organizations],
  );
  const expected = model.orders.map((order): Found => ({
    id: order.id,
    status: order.status,
    results_status: order.released.size === 0 ? 'none' : order.status === 'done' ? 'all' : 'partial',
    moves: order.moves,
    invoice_status: order.invoice?.status ?? null,
    total_cents: order.invoice?.totalCents ?? null,
  }));
  assert.deepEqual(
    rows,
    expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
}

/** The ledger balances, and it holds the cents of the model. */
export async function assertMoney(sql: Sql, model: Model, organizations: readonly string[]): Promise<void> {
  const [books] = await sql.query<Readonly<Record<string, number>>>(
    `select
       (select coalesce(sum(debit_cents - credit_cents), 0)::float8 from ledger_entries where organization_id = any($1)) as balance,
       (select coalesce(sum(debit_cents - credit_cents), 0)::float8 from ledger_entries
        where organization_id = any($1) and account = 'cash') as cash,
       (select coalesce(sum(debit_cents - credit_cents), 0)::float8 from ledger_entries
        where organization_id = any($1) and account = 'receivable') as receivable,
       (select coalesce(sum(amount_cents), 0)::float8 from refunds
        where organization_id = any($1) and status <> 'refunded') as owed`,
    [organizations],
  );
  const open = model.orders.flatMap(({ invoice }) =>
    invoice?.status === 'open' ? [invoice.totalCents] : [],
  );
  assert.deepEqual(books, {
    balance: 0,
    cash: model.cashCents,
    receivable: open.reduce((sum, cents) => sum + cents, 0),
    owed: model.owedCents,
  });
}

/** Each update continues the one before it by a move of the table, and the last one names the present status. */
export async function assertFeed(sql: Sql, order: ModelOrder): Promise<void> {
  const rows = await sql.query<{ from: string | null; to: string }>(
    `select previous_status as "from", status as "to" from updates
     where experiment_id = $1 and type = 'status_change' order by arrival`,
    [order.id],
  );
  let status = 'draft';
  for (const { from, to } of rows) {
    if (from === null) continue;
    assert.equal(from, status, `${order.code} moved from ${from}`);
    assert.ok(KNOWN_MOVES.has(`${from} → ${to}`), `${order.code}: ${from} → ${to}`);
    status = to;
  }
  assert.equal(status, order.status);
  const [files] = await sql.query<{ count: number }>(
    `select count(*) as count from updates where experiment_id = $1 and name = 'Raw file recorded'`,
    [order.id],
  );
  assert.equal(files?.count, order.recordings, `updates about files of ${order.code}`);
}

/** A client reads exactly what is released, and nothing of the newest analysis that is not. */
export async function assertReleases(
  sql: Sql,
  { model, owner }: { readonly model: Model; readonly owner: Client },
  order: ModelOrder,
): Promise<void> {
  const { body, text } = await owner.ask('GET', '/results?limit=100');
  const seen = getItems(body.items).map(
    (item) => `${getText(item.experiment_code)} ${getText(item.sequence_name)}`,
  );
  const released = model.orders
    .filter(({ client }) => client === order.client)
    .flatMap(({ code, released: names }) => [...names].map((name) => `${code} ${name}`));
  assert.deepEqual(seen.toSorted(), released.toSorted(), text.slice(0, 400));
  const [hidden] = await sql.query<{ id: string }>(
    'select id from results where experiment_id = $1 and released_at is null order by version desc, id limit 1',
    [order.id],
  );
  if (hidden === undefined) return;
  assert.equal(
    (await owner.ask('GET', `/results/${hidden.id}`)).status,
    404,
    'a result that is not released',
  );
}

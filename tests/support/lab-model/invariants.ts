/** Compares the service with the model: orders, money, releases, the feed and the audit trail. */
import assert from 'node:assert/strict';
import { moves } from '#core/lifecycle.ts';
import type { Sql } from '#core/sql.ts';
import type { Client } from './world.ts';
import type { Model, ModelOrder } from './model.ts';
import { getItems, getNumber, getText } from '../service.ts';

const KNOWN_MOVES: ReadonlySet<string> = new Set(moves.map(({ from, to }) => `${from} → ${to}`));

/** An order as the service has it. */
export interface FoundOrder {
  readonly id: string;
  readonly status: string;
  readonly results_status: string;
  readonly invoice_status: string | null;
  readonly total_cents: number | null;
  /** The moves in its feed, in order: the status before and after each. */
  readonly moves: readonly (readonly [string | null, string])[];
  readonly recordings: number;
  /** Id of an unreleased result of its newest analysis; null without one. */
  readonly hidden: string | null;
}

/** What the service stores, read by one statement. Amounts are in cents. */
export interface Found {
  readonly orders: readonly FoundOrder[];
  readonly balance: number;
  readonly cash: number;
  readonly receivable: number;
  readonly owed: number;
  /** Number of changes by requests after `lastEntry`. */
  readonly entries: number;
  /** Number of the last entry of the audit trail. */
  readonly last_entry: number;
}

interface Question {
  readonly organizations: readonly string[];
  /** Null asks about every order. */
  readonly orderIds: readonly string[] | null;
  readonly lastEntry: number;
}

/** Reads the orders, the ledger, and the new part of the audit trail; nothing may chain the trail meanwhile. */
export async function readFound(sql: Sql, question: Question): Promise<Found> {
  const [found] = await sql.query<Found>(
    `select coalesce((select json_agg(json_build_object(
         'id', e.id, 'status', e.status, 'results_status', e.results_status,
         'invoice_status', i.status, 'total_cents', i.total_cents,
         'moves', (select coalesce(json_agg(json_build_array(u.previous_status, u.status) order by u.arrival), '[]')
           from updates u where u.experiment_id = e.id and u.type = 'status_change'),
         'recordings', (select count(*) from updates u
           where u.experiment_id = e.id and u.name = 'Raw file recorded'),
         'hidden', (select r.id from results r where r.experiment_id = e.id and r.released_at is null
           order by r.version desc, r.id limit 1)) order by e.id)
       from experiments e
       left join lateral (select status, total_cents from invoices where experiment_id = e.id
         order by created_at desc, id desc limit 1) i on true
       where e.organization_id = any($1) and ($2::uuid[] is null or e.id = any($2))), '[]') as orders,
       l.balance, l.cash, l.receivable, t.entries, t.last_entry,
       (select coalesce(sum(amount_cents), 0)::float8 from refunds
        where organization_id = any($1) and status <> 'refunded') as owed
     from (select coalesce(sum(cents), 0)::float8 as balance,
         coalesce(sum(cents) filter (where account = 'cash'), 0)::float8 as cash,
         coalesce(sum(cents) filter (where account = 'receivable'), 0)::float8 as receivable
       from (select account, debit_cents - credit_cents as cents from ledger_entries
         where organization_id = any($1)) each) l,
       (select count(*) filter (where request_id is not null) as entries,
         coalesce(max(sequence), $3) as last_entry from audit_log
       where chain_position is null and sequence > $3) t`,
    [question.organizations, question.orderIds, question.lastEntry],
  );
  if (found === undefined) throw new Error('the statement about the orders and the ledger returned no row');
  return found;
}

/** Each order has its status, its newest invoice, its feed, and as much released as the model says. */
export function assertOrders(found: readonly FoundOrder[], orders: readonly ModelOrder[]): void {
  assert.deepEqual(
    found.map((order) => ({
      id: order.id,
      status: order.status,
      results_status: order.results_status,
      invoice_status: order.invoice_status,
      total_cents: order.total_cents,
      moves: order.moves.length,
    })),
    orders
      .map((order) => ({
        id: order.id,
        status: order.status,
        results_status: order.released.size === 0 ? 'none' : order.status === 'done' ? 'all' : 'partial',
        invoice_status: order.invoice?.status ?? null,
        total_cents: order.invoice?.totalCents ?? null,
        moves: order.moves,
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  for (const order of orders) assertFeed(requireFound(found, order), order);
}

export function requireFound(found: readonly FoundOrder[], { id, code }: ModelOrder): FoundOrder {
  const order = found.find((each) => each.id === id);
  if (order === undefined) throw new Error(`the service has no ${code}`);
  return order;
}

/** The ledger balances, and it holds the cents of the model. */
export function assertMoney({ balance, cash, receivable, owed }: Found, model: Model): void {
  const open = model.orders.flatMap(({ invoice }) =>
    invoice?.status === 'open' ? [invoice.totalCents] : [],
  );
  assert.deepEqual(
    { balance, cash, receivable, owed },
    {
      balance: 0,
      cash: model.cashCents,
      receivable: open.reduce((sum, cents) => sum + cents, 0),
      owed: model.owedCents,
    },
  );
}

/** Each update continues the one before it by a move of the table, and the last one names the current status. */
function assertFeed({ moves: taken, recordings }: FoundOrder, order: ModelOrder): void {
  let status = 'draft';
  for (const [from, to] of taken) {
    if (from === null) continue;
    assert.equal(from, status, `${order.code} moved from ${from}`);
    assert.ok(KNOWN_MOVES.has(`${from} → ${to}`), `${order.code}: ${from} → ${to}`);
    status = to;
  }
  assert.equal(status, order.status);
  assert.equal(recordings, order.recordings, `updates about files of ${order.code}`);
}

/** The newest page of a client's feed: its places have no gap, and each order's moves stand there as they came about. */
export async function assertFeedPage(found: readonly FoundOrder[], owner: Client): Promise<void> {
  const { body } = await owner.ask('GET', '/updates?limit=100');
  const items = getItems(body.items).toSorted((a, b) => getNumber(a.sequence) - getNumber(b.sequence));
  const [first] = items;
  if (first === undefined) return;
  const places = items.map(({ sequence }) => getNumber(sequence));
  assert.deepEqual(
    places,
    places.map((_, index) => getNumber(first.sequence) + index),
  );
  for (const { id, moves: steps } of found) {
    const read = items
      .filter((item) => getText(item.experiment_id) === id && getText(item.type) === 'status_change')
      .map((item) => [item.previous_status, item.status]);
    assert.deepEqual(read, read.length === 0 ? [] : steps.slice(-read.length), `the feed of ${id}`);
  }
}

/** A client reads exactly the released results of its orders. */
export async function assertReleases(model: Model, owner: Client, number: number): Promise<void> {
  const { body, text } = await owner.ask('GET', '/results?limit=100');
  const seen = getItems(body.items).map(
    (item) => `${getText(item.experiment_code)} ${getText(item.sequence_name)}`,
  );
  const released = model.orders
    .filter(({ client }) => client === number)
    .flatMap(({ code, released: names }) => [...names].map((name) => `${code} ${name}`));
  assert.deepEqual(seen.toSorted(), released.toSorted(), text.slice(0, 400));
}

/** The client of an order reads exactly its released results. */
export async function assertOrderReleases(order: ModelOrder, owner: Client): Promise<void> {
  const { body, text } = await owner.ask('GET', `/experiments/${order.id}/results`);
  const seen = getItems(body.items).map((item) => getText(item.sequence_name));
  assert.deepEqual(seen.toSorted(), [...order.released].toSorted(), text.slice(0, 400));
}

/** A client cannot read an unreleased result of the newest analysis. */
export async function assertHidden({ hidden }: FoundOrder, owner: Client): Promise<void> {
  if (hidden === null) return;
  const { status } = await owner.ask('GET', `/results/${hidden}`);
  assert.equal(status, 404, 'a client reads a result that is not released');
}

/**
 * The service that is compared with the model. Its clients and staff act at random; after each operation the service
 * must hold what the model says.
 */
import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS } from '#core/clock.ts';
import { createRandomSource } from '#sandbox/models/random.ts';
import { createSequences, expectStatus, type Targets } from '../builders.ts';
import type { createFragileConnections } from '../fragile-connections.ts';
import { getNumber, getText, type Ask, type TestAnswer, type TestService } from '../service.ts';
import { CUSTOM_CENTS, STAFF, type Draw, type Plan } from './actions.ts';
import { listCandidates } from './candidates.ts';
import {
  assertFeedPage,
  assertHidden,
  assertMoney,
  assertOrderReleases,
  assertOrders,
  assertReleases,
  readFound,
  requireFound,
  type Found,
  type FoundOrder,
} from './invariants.ts';
import { createModel, createModelOrder, expireQuotes, moveTo, type Model, type ModelOrder } from './model.ts';
import { FaultySender } from './send.ts';

const CLIENTS = 2;
const ORDERS_MAX = 14;
/** Lifetime of the tokens, longer than the clock advances in one test. */
const TOKEN_LIFETIME_MS = 365 * DAY_MS;
/** After so many operations the test compares the whole service, and not only what the last operation changed. */
const COMPARE_ALL_EVERY = 40;

/** What an operation may have changed: one order, only sums of money, or anything. */
type Changed = ModelOrder | 'money' | 'anything';

export interface Client {
  readonly organizationId: string;
  readonly ask: (method: string, path: string, options?: Ask) => Promise<TestAnswer>;
}

export interface WorldParts {
  readonly service: TestService;
  readonly targets: Targets;
  readonly connections: ReturnType<typeof createFragileConnections>;
}

export class World {
  readonly model: Model = createModel();
  /** The operations so far, for the message of a failed test. */
  readonly log: string[] = [];
  readonly #parts: WorldParts;
  readonly #draw: Draw;
  readonly #sender: FaultySender;
  #clients: readonly Client[] = [];
  #staff: readonly string[] = [];
  #operations = 0;
  /** Number of the last entry of the audit trail that was compared. */
  #lastEntry = 0;
  /** The numbers of entries that the operation may have added to the audit trail. */
  #expectedEntries: readonly number[] = [0];
  /** Whether the operation changed something, so that jobs may be due. */
  #hasChanged = false;
  /** For each order, the state of its results when its client last tried to read an unreleased one. */
  readonly #triedStates = new Map<string, string>();

  constructor(parts: WorldParts, seed: number) {
    const source = createRandomSource('lab model', seed);
    this.#parts = parts;
    this.#draw = {
      number: (count) => Math.floor(source.drawUniform() * count),
      isHit: (probability) => source.drawUniform() < probability,
    };
    this.#sender = new FaultySender({ draw: this.#draw, seed, connections: parts.connections });
  }

  /** Makes the organizations and the tokens of clients and staff. */
  async open(): Promise<void> {
    const { service } = this.#parts;
    this.#staff = await Promise.all(
      Array.from({ length: STAFF }, () =>
        service.issueToken({ ownOrganization: true, isStaff: true, tokenLifetimeMs: TOKEN_LIFETIME_MS }),
      ),
    );
    const tokens = await Promise.all(
      Array.from({ length: CLIENTS }, () =>
        service.issueToken({ role: 'member', ownOrganization: true, tokenLifetimeMs: TOKEN_LIFETIME_MS }),
      ),
    );
    this.#clients = await Promise.all(
      tokens.map(async (token): Promise<Client> => {
        const ask: Client['ask'] = (method, path, options) =>
          service.ask(method, path, { ...options, token });
        const { body } = expectStatus(await ask('GET', '/whoami'), 200);
        return { ask, organizationId: getText(body.active_organization_id) };
      }),
    );
    this.#lastEntry = (await this.#readFound([])).last_entry;
  }

  /** Somebody does one operation; then the service is compared with the model. */
  async step(): Promise<void> {
    this.#expectedEntries = [0];
    this.#hasChanged = false;
    const changed = await this.#act();
    if (this.#hasChanged) await this.#settle();
    this.#operations += 1;
    if (changed === 'anything' || this.#operations % COMPARE_ALL_EVERY === 0) await this.assertAll();
    else await this.#assertChanged(changed);
  }

  /** Of 100 operations 8 create an order, 4 advance the clock, 4 record refunds, 8 quote by hand, and 1 is a stranger's. */
  async #act(): Promise<Changed> {
    const { model } = this;
    const chance = this.#draw.number(100);
    if (model.orders.length < 2 || (chance < 8 && model.orders.length < ORDERS_MAX))
      return this.#createOrder();
    if (chance < 12) return this.#advanceClock();
    if (chance < 16) return this.#recordRefund();
    const order = this.#choose(model.orders);
    if (chance < 24) return this.#quoteByHand();
    if (chance < 25) return this.#askAsStranger(order);
    return this.#takeAction();
  }

  #choose<T>(list: readonly T[]): T {
    const chosen = list[this.#draw.number(list.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  /** Of 10 actions 2 are any of the model, 1 is an action that the service must refuse, and 7 bring an order further. */
  async #takeAction(): Promise<Changed> {
    const chance = this.#draw.number(10);
    const { due, tempting } = listCandidates(this.model, this.#draw, chance < 2);
    const candidates = chance === 2 && tempting.length > 0 ? tempting : due;
    if (candidates.length === 0) return this.#createOrder();
    const { action, order, plan } = this.#choose(candidates);
    await this.#send(action.operation, order, plan);
    return order;
  }

  async #send(operation: string, order: ModelOrder, plan: Plan): Promise<void> {
    const ask = (options: Ask) => {
      const token = 'staff' in plan.person ? this.#staff[plan.person.staff] : undefined;
      const request = { body: plan.body, ...options };
      if (token !== undefined) return this.#parts.service.ask('POST', plan.path, { ...request, token });
      return this.#getClient(order.client).ask('POST', plan.path, request);
    };
    const { answer, delivery } = await this.#sender.send(ask, plan);
    const isDone = answer.status < 300;
    this.log.push(`${operation} ${order.code} (${order.status}) ${delivery}: ${answer.status}`);
    assert.ok(answer.status < 500, answer.text);
    if (plan.expected !== 'either')
      assert.equal(
        isDone ? 'done' : 'refused',
        plan.expected,
        `${operation} of ${order.status}: ${answer.text}`,
      );
    this.#hasChanged = isDone;
    const mayHaveRepeated = plan.isOutward && delivery === 'over a lost connection';
    this.#expectedEntries = isDone ? (mayHaveRepeated ? [1, 2] : [1]) : [0];
    if (isDone) plan.apply();
  }

  async #createOrder(): Promise<ModelOrder> {
    const client = this.#draw.number(CLIENTS);
    const isPriced = this.#draw.isHit(0.75);
    const sequences = createSequences(1 + this.#draw.number(2));
    const { perSequence, byHand } = this.#parts.targets;
    const target = isPriced ? perSequence : byHand;
    const spec = { experiment_type: 'screening', method: 'bli', target_id: target, sequences };
    const body = { name: 'an order of the model', experiment_spec: spec };
    const made = expectStatus(await this.#getClient(client).ask('POST', '/experiments', { body }), 201).body;
    const order = createModelOrder({
      client,
      id: getText(made.experiment_id),
      code: getText(made.experiment_code),
      names: Object.keys(sequences),
      isPriced,
    });
    this.model.orders.push(order);
    this.#noteChanges(1);
    this.log.push(`create ${order.code}`);
    return order;
  }

  async #quoteByHand(): Promise<Changed> {
    const waiting = this.model.orders.filter(({ status }) => status === 'waiting_for_confirmation');
    if (waiting.length === 0) return this.#takeAction();
    const order = this.#choose(waiting);
    const token = this.#staff[0] ?? '';
    const { ask } = this.#parts.service;
    const line = { description: 'As agreed', quantity: 1, unit_price_cents: CUSTOM_CENTS };
    const body = { experiment_id: order.id, line_items: [line] };
    const draft = expectStatus(await ask('POST', '/lab/quotes', { body, token }), 201).body;
    const hidden = await this.#getClient(order.client).ask('GET', `/quotes/${getText(draft.id)}`);
    assert.equal(hidden.status, 404, 'a client reads a quote that is not open');
    expectStatus(await ask('POST', `/lab/quotes/${getText(draft.id)}/open`, { body: {}, token }), 200);
    moveTo(order, 'quote_sent');
    this.#noteChanges(2);
    this.log.push(`quote ${order.code} by hand`);
    return order;
  }

  async #recordRefund(): Promise<Changed> {
    const [refund] = await this.#read<{ id: string; amount_cents: number }>(
      `select id, amount_cents from refunds where organization_id = any($1) and status <> 'refunded'
       order by created_at, id limit 1`,
      [this.#listOrganizations()],
    );
    if (refund === undefined) return this.#takeAction();
    const body = { reference: `RETURN ${refund.id}` };
    const token = this.#staff[0] ?? '';
    expectStatus(
      await this.#parts.service.ask('POST', `/lab/refunds/${refund.id}/record`, { body, token }),
      200,
    );
    this.#noteChanges(1);
    this.model.owedCents -= refund.amount_cents;
    this.model.cashCents -= refund.amount_cents;
    this.log.push(`record refund of ${refund.amount_cents}`);
    return 'money';
  }

  async #advanceClock(): Promise<Changed> {
    const { clock } = this.#parts.service;
    const ms = this.#draw.isHit(0.5)
      ? HOUR_MS * (1 + this.#draw.number(40))
      : DAY_MS * (1 + this.#draw.number(9));
    clock.advance(ms);
    this.log.push(`advance the clock by ${ms / HOUR_MS} h`);
    const hasExpired = expireQuotes(this.model, clock.now().getTime());
    // A chore ends quotes. Chores also chain the audit trail, which is safe here: no request has added an entry.
    if (hasExpired) await this.#parts.service.service.worker.runChores();
    await this.#settle();
    return hasExpired ? 'anything' : 'money';
  }

  /** The other client acts on an order, and the service answers as if the order did not exist. */
  async #askAsStranger(order: ModelOrder): Promise<ModelOrder> {
    const { ask } = this.#getClient((order.client + 1) % CLIENTS);
    for (const path of ['submit', 'cancel', 'quote/confirm'])
      assert.equal((await ask('POST', `/experiments/${order.id}/${path}`, { body: {} })).status, 404, path);
    for (const path of ['', '/sequences', '/results', '/updates', '/quote', '/invoice', '/data-package'])
      assert.equal((await ask('GET', `/experiments/${order.id}${path}`)).status, 404, path);
    const [result] = await this.#read<{ id: string }>(
      'select id from results where experiment_id = $1 order by id limit 1',
      [order.id],
    );
    if (result !== undefined) assert.equal((await ask('GET', `/results/${result.id}`)).status, 404);
    for (const path of ['release', 'materials'])
      assert.equal(
        (await ask('POST', `/lab/experiments/${order.id}/${path}`, { body: {} })).status,
        403,
        path,
      );
    this.log.push(`a stranger asks for ${order.code}`);
    return order;
  }

  /** Runs all due jobs, and copies what they made into the model. */
  async #settle(): Promise<void> {
    while ((await this.#parts.service.service.worker.runDue()) > 0);
    await this.#readQuotes();
    await this.#readInvoices();
  }

  /** Copies ids and amounts of new quotes into the model, which decides their status itself. */
  async #readQuotes(): Promise<void> {
    for (const order of this.model.orders) {
      if (order.status !== 'quote_sent' || order.quote !== null) continue;
      const answer = await this.#getClient(order.client).ask('GET', `/experiments/${order.id}/quote`);
      const { quote_id: id, amount_total: total, expires_at: end } = expectStatus(answer, 200).body;
      const validUntilMs = Date.parse(getText(end));
      order.quote = { id: getText(id), totalCents: getNumber(total), validUntilMs };
    }
  }

  /** Copies ids and amounts of new invoices into the model. */
  async #readInvoices(): Promise<void> {
    for (const order of this.model.orders) {
      const isOrdered = !['draft', 'waiting_for_confirmation', 'quote_sent', 'canceled'].includes(
        order.status,
      );
      if (!isOrdered || order.invoice !== null) continue;
      const [row] = await this.#read<{ id: string; total_cents: number; quote_cents: number }>(
        `select i.id, i.total_cents, q.total_cents as quote_cents from invoices i join quotes q on q.id = i.quote_id
         where i.experiment_id = $1 order by i.created_at desc, i.id desc limit 1`,
        [order.id],
      );
      assert.ok(row !== undefined, `${order.code} is ordered and has no invoice`);
      assert.equal(row.total_cents, row.quote_cents);
      order.invoice = { id: row.id, status: 'open', totalCents: row.total_cents, creditedCents: 0 };
    }
  }

  /** Compares every order, and what each client reads. */
  async assertAll(): Promise<void> {
    const { model } = this;
    const found = await this.#readFound(null);
    this.#assertTrail(found);
    assertMoney(found, model);
    assertOrders(found.orders, model.orders);
    for (const order of model.orders) await this.#assertHidden(requireFound(found.orders, order), order);
    for (const [number, client] of this.#clients.entries()) {
      await assertReleases(model, client, number);
      await assertFeedPage(found.orders, client);
    }
  }

  async #assertChanged(changed: ModelOrder | 'money'): Promise<void> {
    const orders = changed === 'money' ? [] : [changed];
    const found = await this.#readFound(orders.map(({ id }) => id));
    this.#assertTrail(found);
    assertMoney(found, this.model);
    assertOrders(found.orders, orders);
    for (const order of orders) {
      const isNew = await this.#assertHidden(requireFound(found.orders, order), order);
      if (isNew) await assertOrderReleases(order, this.#getClient(order.client));
    }
  }

  /**
   * Tries to read an unreleased result as its client, once for each state of the results. Returns whether there is
   * something to compare in a new state.
   */
  async #assertHidden(found: FoundOrder, { id, client, released }: ModelOrder): Promise<boolean> {
    const state = `${found.status} ${found.hidden} ${released.size}`;
    if (this.#triedStates.get(id) === state) return false;
    this.#triedStates.set(id, state);
    await assertHidden(found, this.#getClient(client));
    return found.hidden !== null || released.size > 0;
  }

  #assertTrail({ entries, last_entry: last }: Found): void {
    assert.ok(
      this.#expectedEntries.includes(entries),
      `the trail has ${entries} new entries: ${this.log.at(-1)}`,
    );
    this.#lastEntry = last;
    this.#expectedEntries = [0];
  }

  #readFound(orderIds: readonly string[] | null): Promise<Found> {
    return readFound(this.#parts.service.service.database.read, {
      organizations: this.#listOrganizations(),
      orderIds,
      lastEntry: this.#lastEntry,
    });
  }

  #noteChanges(entries: number): void {
    this.#hasChanged = true;
    this.#expectedEntries = [entries];
  }

  #getClient(number: number): Client {
    const client = this.#clients[number];
    if (client === undefined) throw new Error(`there is no client ${number}`);
    return client;
  }

  #listOrganizations(): string[] {
    return this.#clients.map(({ organizationId }) => organizationId);
  }

  #read<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#parts.service.service.database.read.query<Row>(text, values);
  }
}

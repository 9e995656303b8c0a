/** The service under the model: its people, the requests that they send, and what goes wrong on the way. */
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

const CLIENTS = 2;
const ORDERS_MAX = 14;
const TRIES = 6;
/** Statements of a request, among which one loses its connection. */
const STATEMENTS = 24;
/** Longer than the clock of a seed moves. */
const YEAR_MS = 365 * DAY_MS;
const LOST = 'over a lost connection';
/** Every so many operations the whole service is compared, and not only what the operation touched. */
const WHOLE_EVERY = 40;

/** What an operation may have changed: an order, nothing but sums of money, or anything. */
type Touched = ModelOrder | 'money' | 'whole';

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
  /** What happened, for the message of a failure. */
  readonly log: string[] = [];
  readonly #parts: WorldParts;
  readonly #draw: Draw;
  readonly #seed: number;
  #clients: readonly Client[] = [];
  #staff: readonly string[] = [];
  #requests = 0;
  #operations = 0;
  #lastEntry = 0;
  /** How many entries the operation may have left. */
  #entries: readonly number[] = [0];
  /** Whether the operation changed something, so that work may be due. */
  #isChanged = false;
  /** The state of the results of each order when its client last asked for them. */
  readonly #asked = new Map<string, string>();

  constructor(parts: WorldParts, seed: number) {
    const source = createRandomSource('lab model', seed);
    this.#parts = parts;
    this.#seed = seed;
    this.#draw = {
      number: (count) => Math.floor(source.drawUniform() * count),
      isHit: (probability) => source.drawUniform() < probability,
    };
  }

  async open(): Promise<void> {
    const { service } = this.#parts;
    this.#staff = await Promise.all(
      Array.from({ length: STAFF }, () =>
        service.issueToken({ ownOrganization: true, isStaff: true, tokenLifetimeMs: YEAR_MS }),
      ),
    );
    const tokens = await Promise.all(
      Array.from({ length: CLIENTS }, () =>
        service.issueToken({ role: 'member', ownOrganization: true, tokenLifetimeMs: YEAR_MS }),
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

  /** One operation of somebody, and then everything that must hold of what it touched. */
  async step(): Promise<void> {
    this.#entries = [0];
    this.#isChanged = false;
    const touched = await this.#act();
    if (this.#isChanged) await this.#settle();
    this.#operations += 1;
    if (touched === 'whole' || this.#operations % WHOLE_EVERY === 0) await this.assertWhole();
    else await this.#assertTouched(touched);
  }

  async #act(): Promise<Touched> {
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

  /** Mostly what is due for some order; at times anything, or what is due and yet to be refused. */
  async #takeAction(): Promise<Touched> {
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
      const given = { body: plan.body, ...options };
      if (token !== undefined) return this.#parts.service.ask('POST', plan.path, { ...given, token });
      return this.#getClient(order.client).ask('POST', plan.path, given);
    };
    const { answer, how } = await this.#sendSomehow(ask, plan);
    const isDone = answer.status < 300;
    this.log.push(`${operation} ${order.code} (${order.status}) ${how}: ${answer.status}`);
    assert.ok(answer.status < 500, answer.text);
    if (plan.expected !== 'either')
      assert.equal(
        isDone ? 'done' : 'refused',
        plan.expected,
        `${operation} of ${order.status}: ${answer.text}`,
      );
    this.#isChanged = isDone;
    this.#entries = !isDone ? [0] : plan.isOutward && how === LOST ? [1, 2] : [1];
    if (isDone) plan.apply();
  }

  /** Once; or twice under one key; or twice at once; or over a connection that is lost in the middle. */
  async #sendSomehow(
    ask: (options: Ask) => Promise<TestAnswer>,
    plan: Plan,
  ): Promise<{ readonly answer: TestAnswer; readonly how: string }> {
    const chance = this.#draw.number(1_000);
    const headers = { 'idempotency-key': `model-${this.#seed}-${(this.#requests += 1)}` };
    if (chance < 120) {
      const answer = await ask({ headers });
      const again = await ask({ headers });
      if (answer.status < 300) assert.deepEqual([again.status, again.body], [answer.status, answer.body]);
      return { answer, how: 'twice' };
    }
    if (chance < 220 && plan.isOnce && plan.expected === 'done') {
      const answers = await Promise.all([ask({}), ask({})]);
      const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
      if (first === undefined) throw new Error('there was no answer');
      for (const other of others)
        assert.ok(other.status >= 400 && other.status < 500, `both succeeded: ${other.text}`);
      return { answer: first, how: 'at once' };
    }
    if (chance < 240) return { answer: await this.#sendOverLoss(ask, headers), how: LOST };
    return { answer: await ask({}), how: 'once' };
  }

  async #sendOverLoss(
    ask: (options: Ask) => Promise<TestAnswer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<TestAnswer> {
    const { connections } = this.#parts;
    connections.lose(this.#draw.number(STATEMENTS), this.#draw.isHit(0.5) ? 'before' : 'after');
    let answer = await ask({ headers });
    connections.stop();
    for (let attempt = 1; answer.status >= 500 && attempt < TRIES; attempt += 1)
      answer = await ask({ headers });
    return answer;
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

  async #quoteByHand(): Promise<Touched> {
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

  async #recordRefund(): Promise<Touched> {
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

  async #advanceClock(): Promise<Touched> {
    const { clock } = this.#parts.service;
    const ms = this.#draw.isHit(0.5)
      ? HOUR_MS * (1 + this.#draw.number(40))
      : DAY_MS * (1 + this.#draw.number(9));
    clock.advance(ms);
    this.log.push(`advance the clock by ${ms / HOUR_MS} h`);
    const hasExpired = expireQuotes(this.model, clock.now().getTime());
    // Chores are what ends quotes; they also chain the trail, which holds nothing new by requests here.
    if (hasExpired) await this.#parts.service.service.worker.runChores();
    await this.#settle();
    return hasExpired ? 'whole' : 'money';
  }

  /** Somebody else acts on an order, and it answers as if it did not exist. */
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

  async #settle(): Promise<void> {
    while ((await this.#parts.service.service.worker.runDue()) > 0);
    await this.#readQuotes();
    await this.#readInvoices();
  }

  /** Takes ids and sums of quotes that were opened; their status is the model's own. */
  async #readQuotes(): Promise<void> {
    for (const order of this.model.orders) {
      if (order.status !== 'quote_sent' || order.quote !== null) continue;
      const answer = await this.#getClient(order.client).ask('GET', `/experiments/${order.id}/quote`);
      const { quote_id: id, amount_total: total, expires_at: end } = expectStatus(answer, 200).body;
      const validUntilMs = Date.parse(getText(end));
      order.quote = { id: getText(id), totalCents: getNumber(total), validUntilMs };
    }
  }

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
  async assertWhole(): Promise<void> {
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

  async #assertTouched(touched: ModelOrder | 'money'): Promise<void> {
    const orders = touched === 'money' ? [] : [touched];
    const found = await this.#readFound(orders.map(({ id }) => id));
    this.#assertTrail(found);
    assertMoney(found, this.model);
    assertOrders(found.orders, orders);
    for (const order of orders) {
      const isNew = await this.#assertHidden(requireFound(found.orders, order), order);
      if (isNew) await assertOrderReleases(order, this.#getClient(order.client));
    }
  }

  /** Asks for a result that is not released, once for each state that it is in; answers whether the state is new. */
  async #assertHidden(found: FoundOrder, { id, client, released }: ModelOrder): Promise<boolean> {
    const state = `${found.status} ${found.hidden} ${released.size}`;
    if (this.#asked.get(id) === state) return false;
    this.#asked.set(id, state);
    await assertHidden(found, this.#getClient(client));
    return found.hidden !== null || released.size > 0;
  }

  #assertTrail({ entries, last_entry: last }: Found): void {
    assert.ok(this.#entries.includes(entries), `the trail has ${entries} new entries: ${this.log.at(-1)}`);
    this.#lastEntry = last;
    this.#entries = [0];
  }

  #readFound(orderIds: readonly string[] | null): Promise<Found> {
    return readFound(this.#parts.service.service.database.read, {
      organizations: this.#listOrganizations(),
      orderIds,
      lastEntry: this.#lastEntry,
    });
  }

  #noteChanges(entries: number): void {
    this.#isChanged = true;
    this.#entries = [entries];
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

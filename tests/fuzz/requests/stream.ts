/**
 * The stream of requests: made in lots from one seed, sent, held to what is declared, and read for what the next ones
 * can build upon. A lot is made before any of it is sent, so that a seed makes the same requests again.
 */
import { DAY_MS } from '#core/clock.ts';
import { hasBody } from '#core/operation.ts';
import { isRecord } from '#core/records.ts';
import { bindings } from '#transports/operations.ts';
import { watchHolds } from '#testing/thread-holds.ts';
import { createFreshRequest, readTokenId } from '#testing/requests.ts';
import { checkAnswer } from './check-answer.ts';
import { checkPage } from './check-page.ts';
import { findBinding, checkRest, checkUnrouted } from './check-rest.ts';
import { checkSocket } from './check-socket.ts';
import { checkTool } from './check-tool.ts';
import { sendShot, LoopWatch } from './gun.ts';
import type { Draft } from './mutate.ts';
import { planRequest, type Base, type Plan } from './plan.ts';
import { draftPrepared } from './rest-shots.ts';
import { describeShot, type Answer, type Door } from './shot.ts';
import { sendOnSocket } from './socket-shots.ts';
import { signIn, type World } from './world.ts';

const LOT = Number(process.env['ASSAYER_FUZZ_AT_ONCE'] ?? 8);
const LOTS_BETWEEN_STEPS = 12;
/** How often a prepared request is sent: as it is, then changed, in the same lot where there is room. */
const ROW_USES = 2;
/** Once every operation has succeeded; until then each lot has a prepared request. */
const LOTS_BETWEEN_ROWS = 3;
const STEP_MS_MAX = 60_000;
const STALL_MS = 1_000;
const SLOWEST_SHOWN = 5;
/** After this share of the requests, so much time goes by at once. */
const LATER_AFTER = 0.75;
const LATER_MS = 31 * DAY_MS;
const TOKEN = /asy_test_[\w-]+\.[\w-]+\.[\w-]{86}[0-9A-Za-z]{6}/g;

export interface Tally {
  sent: number;
  /** By door and by the first digit of the status. */
  readonly byDoor: Map<string, number>;
  /** Operations that succeeded, at any door. */
  readonly succeeded: Set<string>;
  /** Codes of failures that were answered. */
  readonly codes: Set<string>;
  readonly slowest: { readonly ms: number; readonly what: string }[];
  /** Operations without a state of their own, each with the reason. */
  readonly unprepared: string[];
  /** Processor time of the longest turn of the event loop of each lot, that of the checks of its answers left out. */
  readonly heldMs: number[];
  /** Wall time by what it went into. */
  readonly spentMs: Map<string, number>;
}

export class Stream {
  readonly #world: World;
  readonly #seed: number;
  readonly #loop = new LoopWatch();
  /** Rows of the tests' table that are yet to come, in the table's order. */
  #row = 0;
  readonly tally: Tally = {
    sent: 0,
    byDoor: new Map(),
    succeeded: new Set(),
    codes: new Set(),
    slowest: [],
    unprepared: [],
    heldMs: [],
    spentMs: new Map(),
  };

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#seed = seed;
  }

  async run(count: number): Promise<void> {
    let bases: Base[] = [];
    let isLater = false;
    for (let lot = 0; this.tally.sent < count; lot++) {
      if (lot % LOTS_BETWEEN_STEPS === 0) await this.#measureTime('the lab', () => this.#advanceLab());
      if (bases.length === 0 && (this.#isMissingRows() || lot % LOTS_BETWEEN_ROWS === 0))
        bases = await this.#measureTime('prepared states', () => this.#prepareRow());
      const first = this.tally.sent;
      if (!isLater && first > count * LATER_AFTER) {
        // Quotes expire, and some credentials.
        this.#world.service.clock.advance(LATER_MS);
        isLater = true;
      }
      const plans = Array.from({ length: Math.min(LOT, count - first) }, (_, index) =>
        planRequest(this.#world, this.#seed, first + index, bases.shift()),
      );
      await this.#measureTime('requests', () => this.#send(plans));
    }
    this.#loop.stop();
  }

  async #measureTime<T>(what: string, work: () => Promise<T>): Promise<T> {
    const before = performance.now();
    try {
      return await work();
    } finally {
      const { spentMs } = this.tally;
      spentMs.set(what, (spentMs.get(what) ?? 0) + performance.now() - before);
    }
  }

  /** Lets the lab work and the clock go on, a little at a time: credentials and quotes end as they do. */
  async #advanceLab(): Promise<void> {
    const { service, clock } = this.#world.service;
    await service.worker.runDue();
    const [next] = await service.database.read.query<{ due: string | null }>(
      'select min(next_at) as due from jobs where done_at is null and failed_at is null',
    );
    const due =
      next?.due === null || next?.due === undefined
        ? STEP_MS_MAX
        : Date.parse(next.due) - clock.now().getTime();
    clock.advance(Math.min(STEP_MS_MAX, Math.max(1, due)));
    await service.worker.runDue();
  }

  /** A request that would succeed, on a state of its own, and the changes of it. */
  async #prepareRow(): Promise<Base[]> {
    const { build, records, callers } = this.#world;
    const { operation } = this.#chooseRow() ?? {};
    if (operation === undefined) return [];
    try {
      const request = await createFreshRequest(operation, build, records);
      const keeper = callers.getCaller('keeper');
      const text = JSON.stringify(request)
        .replaceAll('id-of-the-token-of-the-caller', readTokenId(keeper.token ?? ''))
        .replaceAll('token-of-the-caller', keeper.token ?? '');
      const fitted: typeof request = JSON.parse(text);
      const makeDraft = (): Draft => draftPrepared(operation, fitted, callers.getCaller('keeper'));
      return Array.from({ length: ROW_USES }, (_, use) => ({ draft: makeDraft, isKept: use === 0 }));
    } catch (error) {
      // What the requests did to the price list or to the people may keep a state from being made.
      this.tally.unprepared.push(
        `${operation.id}: ${error instanceof Error ? error.message : String(error)}`,
      );
      return [];
    }
  }

  #isMissingRows(): boolean {
    return (
      this.#row < bindings.length || bindings.some(({ operation }) => !this.tally.succeeded.has(operation.id))
    );
  }

  /** After all rows once, those come first whose operation has not succeeded: which do depends on the order of answers. */
  #chooseRow(): (typeof bindings)[number] | undefined {
    const row = this.#row++;
    const isRepeat = row >= bindings.length;
    const missing = bindings.find(({ operation }) => !this.tally.succeeded.has(operation.id));
    return isRepeat && missing !== undefined ? missing : bindings[row % bindings.length];
  }

  async #send(plans: readonly Plan[]): Promise<void> {
    const { log, findings, callers, secrets } = this.#world;
    this.#loop.start();
    const holds = watchHolds();
    const answers = await Promise.all(plans.map(async (plan) => this.#sendPlan(plan)));
    const heldMs = this.#loop.getHeldMs();
    holds.stop();
    this.tally.heldMs.push(holds.takeLongestMs());
    if (heldMs > STALL_MS) {
      const lot = plans
        .map(({ shot }) => describeShot(shot, (text) => text.replaceAll(TOKEN, '$TOKEN')))
        .join('\n');
      findings.add(
        'no stall',
        'a lot of requests',
        `the event loop was held for ${Math.round(heldMs)} ms\n${lot}`,
      );
    }
    const leaks = log.read([...secrets, ...callers.secrets, ...this.#world.words.listProteins()]);
    for (const { line, secret } of leaks) {
      const index = answers.findIndex((own) =>
        own.some(({ headers }) => line.includes(headers['x-request-id'] ?? 'none')),
      );
      findings.add('no secret in the log', secret, line.slice(0, 600), plans[Math.max(0, index)]?.shot);
    }
    this.#blame(plans, answers);
    for (const [index, plan] of plans.entries()) await this.#take(plan, answers[index] ?? []);
    this.tally.sent += plans.length;
  }

  /** Lines of errors, each with the request that caused it; what broke off has no answer to tell it by. */
  #blame(plans: readonly Plan[], answers: readonly (readonly Answer[])[]): void {
    for (const { line, requestId } of this.#world.log.takeErrors()) {
      const index = answers.findIndex((own) =>
        own.some(({ headers }) => headers['x-request-id'] === requestId),
      );
      const bySocket = plans.filter(({ socket }) => socket !== undefined);
      const { shot } = (index >= 0 ? plans[index] : bySocket[0]) ?? {};
      const [head = line.slice(0, 300)] = /"detail":"[^"\\]*/.exec(line) ?? [];
      const suspects = bySocket.map(({ shot: { aim } }) => aim).join(' or ');
      const where =
        index < 0 ? `without its answer, after ${suspects}` : `${shot?.door ?? ''} ${shot?.aim ?? ''}`;
      this.#world.findings.add(
        'no 5xx',
        'the log has an error',
        `${head} ${where}`,
        shot,
        answers[index]?.[0],
      );
    }
  }

  async #sendPlan({ shot, socket }: Plan): Promise<readonly Answer[]> {
    const { service, port, findings } = this.#world;
    const before = performance.now();
    if (socket !== undefined) {
      const outcome = await sendOnSocket(port, socket);
      return checkSocket(this.#world, socket, shot, outcome);
    }
    const answer = await sendShot(service.service.app, shot);
    this.#recordTime(
      performance.now() - before,
      `${shot.door} ${shot.method} ${shot.url.slice(0, 100)} ${shot.aim}`,
    );
    if (answer !== undefined) return [answer];
    findings.add('no stall', shot.aim, 'no answer came', shot);
    return [];
  }

  #recordTime(ms: number, what: string): void {
    const { slowest } = this.tally;
    slowest.push({ ms: Math.round(ms), what });
    slowest.sort((a, b) => b.ms - a.ms);
    slowest.length = Math.min(slowest.length, SLOWEST_SHOWN);
  }

  /** Checks an answer and learns from it. */
  async #take(plan: Plan, answers: readonly Answer[]): Promise<void> {
    const { shot } = plan;
    for (const answer of answers) {
      this.#count(shot.door, answer);
      const logged = this.#world.log.takeLogged(answer.headers['x-request-id'] ?? '');
      if (shot.door === 'sockets') continue;
      checkAnswer(this.#world, `${shot.method} ${logged?.route ?? shot.aim}`, shot, answer);
      this.#check(plan, answer, logged?.route ?? null, logged?.tool);
      await this.#learn(plan, answer);
    }
  }

  #check({ shot, visitor }: Plan, answer: Answer, route: string | null, tool: string | undefined): void {
    const world = this.#world;
    const binding = findBinding(shot.method, route);
    if (binding !== undefined) {
      checkRest(world, world.declared, binding, shot, answer);
      if (answer.status < 400) this.#recordSuccess(binding.operation.id);
      if (answer.status < 400 && hasBody(binding.operation))
        world.pool.harvest(answer.json, binding.operation);
      return;
    }
    if (route?.startsWith('/mcp') === true) {
      const result = checkTool(world, tool, shot, answer);
      if (tool !== undefined && result !== undefined) {
        const called = bindings.find(({ operation }) => operation.id === tool)?.operation;
        world.pool.harvest(result, called);
        this.#recordSuccess(tool);
      }
      return;
    }
    // Beside the operations, a person is told by a page that nothing is there, and a program in JSON.
    const isApi = route === '/*' && answer.headers['content-type']?.startsWith('text/html') !== true;
    if (route === null || isApi) checkUnrouted(world, 'no route', shot, answer);
    else checkPage(world, route, shot, answer);
    if (visitor !== undefined && shot.method === 'GET') visitor.learn(answer.text);
  }

  #recordSuccess(operationId: string): void {
    this.tally.succeeded.add(operationId);
  }

  #count(door: Door, answer: Answer): void {
    const key = `${door} ${Math.floor(answer.status / 100)}xx`;
    this.tally.byDoor.set(key, (this.tally.byDoor.get(key) ?? 0) + 1);
    if (isRecord(answer.json) && typeof answer.json.code === 'string') this.tally.codes.add(answer.json.code);
  }

  /** New tokens join the callers; credentials that ended are made again. */
  async #learn({ shot, visitor }: Plan, answer: Answer): Promise<void> {
    const { callers } = this.#world;
    if (answer.status < 400) for (const [token] of answer.text.matchAll(TOKEN)) callers.adopt(token);
    const isOutside = visitor !== undefined && answer.headers.location === '/organizations';
    if (isOutside) await callers.renew(callers.getCaller(visitor.name));
    if (answer.status !== 401 && !isOutside) return;
    if (visitor !== undefined) await signIn(visitor, callers);
    const isOwn =
      shot.headers.authorization === shot.caller.headers.authorization &&
      shot.headers['x-service-api-key'] === undefined;
    const isCurrent = callers.all.some((caller) => caller === shot.caller);
    if (shot.caller.isLive && isOwn && isCurrent) await callers.renew(shot.caller);
  }
}

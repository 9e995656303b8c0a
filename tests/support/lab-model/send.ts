/**
 * Sends a request of the model, at times with what goes wrong on the way: twice under one idempotency key, twice at
 * once, or over a database connection that is lost.
 */
import assert from 'node:assert/strict';
import type { createFragileConnections } from '../fragile-connections.ts';
import type { Ask, TestAnswer } from '../service.ts';
import type { Draw, Plan } from './actions.ts';

/** Requests until one reaches the service over a connection that is not lost. */
const ATTEMPTS_MAX = 6;
/** A connection is lost at one of so many statements of a request. */
const STATEMENTS_PER_REQUEST = 24;

type Delivery = 'once' | 'twice' | 'twice at once' | 'over a lost connection';

interface Sent {
  readonly answer: TestAnswer;
  readonly delivery: Delivery;
}

type Send = (options: Ask) => Promise<TestAnswer>;

interface SenderParts {
  readonly draw: Draw;
  readonly seed: number;
  readonly connections: ReturnType<typeof createFragileConnections>;
}

export class FaultySender {
  readonly #parts: SenderParts;
  #requests = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Of 1,000 requests about 120 are sent twice, 100 twice at once, and 20 over a lost connection. */
  async send(ask: Send, plan: Plan): Promise<Sent> {
    const { draw, seed } = this.#parts;
    const chance = draw.number(1_000);
    const headers = { 'idempotency-key': `model-${seed}-${(this.#requests += 1)}` };
    if (chance < 120) return { answer: await sendTwice(ask, headers), delivery: 'twice' };
    if (chance < 220 && plan.isOnce && plan.expected === 'done')
      return { answer: await sendTwiceAtOnce(ask), delivery: 'twice at once' };
    if (chance < 240)
      return { answer: await this.#sendOverLostConnection(ask, headers), delivery: 'over a lost connection' };
    return { answer: await ask({}), delivery: 'once' };
  }

  /** Repeats the request under its key until the service no longer answers that its database is unavailable. */
  async #sendOverLostConnection(ask: Send, headers: Readonly<Record<string, string>>): Promise<TestAnswer> {
    const { draw, connections } = this.#parts;
    connections.lose(draw.number(STATEMENTS_PER_REQUEST), draw.isHit(0.5) ? 'before' : 'after');
    let answer = await ask({ headers });
    connections.stop();
    for (let attempt = 1; answer.status >= 500 && attempt < ATTEMPTS_MAX; attempt += 1)
      answer = await ask({ headers });
    return answer;
  }
}

/** Both requests have the same key, so the second gets the answer of a successful first. */
async function sendTwice(ask: Send, headers: Readonly<Record<string, string>>): Promise<TestAnswer> {
  const answer = await ask({ headers });
  const again = await ask({ headers });
  if (answer.status < 300) assert.deepEqual([again.status, again.body], [answer.status, answer.body]);
  return answer;
}

/** Only one of the requests may succeed; returns its answer. */
async function sendTwiceAtOnce(ask: Send): Promise<TestAnswer> {
  const answers = await Promise.all([ask({}), ask({})]);
  const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
  if (first === undefined) throw new Error('there was no answer');
  for (const other of others)
    assert.ok(other.status >= 400 && other.status < 500, `both succeeded: ${other.text}`);
  return first;
}

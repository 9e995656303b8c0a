/** Rounds in which clients work until something is killed. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { RandomSource } from '#sandbox/models/random.ts';

/** That one client begins in one round. */
const ORDERS_MAX = 3;
/** A kill comes after so many answers at most, and then within this time of the next questions. */
const ANSWERS_MAX = 20;
const MOMENT_MS_MAX = 100;

export interface KilledOrder {
  isPaid: boolean;
}

/**
 * Clients, each with a book of its own, take their orders on step by step until, at a time that `random` says,
 * something is killed; ends when all of them have noticed. What a client was not answered it asks again in its next
 * round. Throws when an answer was wrong.
 */
export async function workUntilKill<Order extends KilledOrder>(work: {
  readonly books: readonly Order[][];
  readonly begin: (book: readonly Order[]) => Order;
  readonly step: (order: Order) => Promise<void>;
  readonly random: RandomSource;
  readonly kill: () => Promise<void>;
}): Promise<void> {
  const { books, begin, step, random, kill } = work;
  const [stop, enough] = [new AbortController(), Promise.withResolvers<void>()];
  let answersLeft = Math.floor(random.drawUniform() * ANSWERS_MAX);

  async function runClient(book: Order[]): Promise<void> {
    for (let begun = 0; !stop.signal.aborted;) {
      let order = book.find(({ isPaid }) => !isPaid);
      if (order === undefined) {
        if (begun === ORDERS_MAX) return;
        order = begin(book);
        book.push(order);
        begun += 1;
      }
      await step(order);
      if (answersLeft === 0) enough.resolve();
      answersLeft -= 1;
    }
  }

  const clients = Promise.all(books.map((book) => runClient(book).catch(assertConnectionLost)));
  await Promise.race([enough.promise, clients]);
  await wait(random.drawUniform() * MOMENT_MS_MAX);
  await kill();
  stop.abort();
  await clients;
}

/** The kill is the expected end of a client; an answer that was wrong is not. */
function assertConnectionLost(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error;
}

/** How a test says which round failed, and how to run it alone. */
export const describeRound = (seed: number): string => `in the round of ASSAYER_SEED=${seed}`;

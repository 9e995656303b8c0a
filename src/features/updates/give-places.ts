/** Gives updates their places in the feed, after the commit of what they tell of. */
import type { Clock } from '#core/clock.ts';
import type { Feed } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { updateDeliveryPlaces } from '../webhooks/delivery-store.ts';
import { assignPlaces } from './places.ts';
import { hasWaitingUpdates, lockHead, placeUpdates, selectWaitingUpdates } from './store.ts';

const BATCH = 500;

/** Creates the feed of one process; any number of processes may share a database. */
export function createFeed(database: Database, clock: Clock): Feed {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  function begin(): Promise<void> {
    const pass = giveAll(database, clock).finally(() => {
      if (running === pass) running = undefined;
    });
    running = pass;
    return pass;
  }

  /** A pass that runs already may have begun before the caller's update was committed, so the caller waits for the next. */
  function passAfterNow(): Promise<void> {
    if (running === undefined) return begin();
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return begin();
      });
    return following;
  }

  return {
    async settle() {
      if (await hasWaitingUpdates(labScope, database.read)) await passAfterNow();
    },
  };
}

async function giveAll(database: Database, clock: Clock): Promise<void> {
  while ((await giveBatch(database, clock)) === BATCH);
}

function giveBatch(database: Database, clock: Clock): Promise<number> {
  return database.runTransaction(async (tx) => {
    const lastId = await lockHead(tx);
    const waiting = await selectWaitingUpdates(labScope, tx, BATCH);
    const places = assignPlaces(lastId, waiting, clock.now());
    await placeUpdates(labScope, tx, places);
    const drawn = new Map(waiting.map(({ arrival, id }) => [arrival, id]));
    await updateDeliveryPlaces(
      labScope,
      tx,
      places.map(({ arrival, id, sequence }) => ({ drawnId: drawn.get(arrival) ?? id, id, sequence })),
    );
    return waiting.length;
  });
}

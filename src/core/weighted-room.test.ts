import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { WeightedRoom } from './weighted-room.ts';

const createRoom = (): WeightedRoom => new WeightedRoom({ capacity: 10, freeMax: 1 });

/** Takes room for each weight, and tells which have it. */
function takeAll(room: WeightedRoom, weights: readonly number[]) {
  const inside = new Map<number, () => void>();
  for (const [index, weight] of weights.entries())
    void room.take(weight).then((leave) => inside.set(index, leave));
  return {
    leave: (index: number) => {
      inside.get(index)?.();
      inside.delete(index);
    },
    async list(): Promise<number[]> {
      await setImmediate();
      return [...inside.keys()].sort((a, b) => a - b);
    },
  };
}

test('weighted room: two fit and a third does not → it waits until one of them ends, and those behind it wait too', async () => {
  const work = takeAll(createRoom(), [5, 5, 6, 2]);
  assert.deepEqual(await work.list(), [0, 1]);
  work.leave(0);
  assert.deepEqual(await work.list(), [1]);
  work.leave(1);
  assert.deepEqual(await work.list(), [2, 3]);
});

test('weighted room: work is heavier than all the room → it is done alone', async () => {
  const work = takeAll(createRoom(), [2, 50, 2]);
  assert.deepEqual(await work.list(), [0]);
  work.leave(0);
  assert.deepEqual(await work.list(), [1]);
  work.leave(1);
  assert.deepEqual(await work.list(), [2]);
});

test('weighted room: light work comes while all the room is taken → it does not wait', async () => {
  const work = takeAll(createRoom(), [10, 4, 1]);
  assert.deepEqual(await work.list(), [0, 2]);
});

test('weighted room: one ends twice → its room is given back once', async () => {
  const room = createRoom();
  const leave = await room.take(10);
  leave();
  leave();
  const work = takeAll(room, [10, 10]);
  assert.deepEqual(await work.list(), [0]);
});

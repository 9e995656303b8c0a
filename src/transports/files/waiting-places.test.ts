/** Who may wait for a data package when many are asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaitingPlaces } from './waiting-places.ts';

const OVERLOADED = { code: 'overloaded' };

function takeMany(places: WaitingPlaces, owner: string, count: number): (() => void)[] {
  return Array.from({ length: count }, () => places.take(owner));
}

test('overloaded: one owner takes a seventeenth place → rejected, and another owner waits', () => {
  const places = new WaitingPlaces();
  takeMany(places, 'a', 16);
  assert.throws(() => places.take('a'), OVERLOADED);
  assert.doesNotThrow(() => places.take('b'));
});

test('overloaded: all places are taken → rejected until one is free, and a place is freed once', () => {
  const places = new WaitingPlaces();
  const [free] = ['a', 'b', 'c', 'd'].flatMap((owner) => takeMany(places, owner, 16));
  assert.throws(() => places.take('e'), OVERLOADED);
  free?.();
  free?.();
  assert.doesNotThrow(() => places.take('e'));
  assert.throws(() => places.take('f'), OVERLOADED);
});

/** Who may have an archive written when several are asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchivePlaces } from './archive-places.ts';

const OVERLOADED = { code: 'overloaded' };

test('overloaded: one owner takes a third place → rejected, and another owner is served', () => {
  const places = new ArchivePlaces();
  places.take('a');
  places.take('a');
  assert.throws(() => places.take('a'), OVERLOADED);
  assert.doesNotThrow(() => places.take('b'));
});

test('overloaded: all places are taken → rejected until one is free, and a place is freed once', () => {
  const places = new ArchivePlaces();
  const [free] = ['a', 'a', 'b', 'b'].map((owner) => places.take(owner));
  assert.throws(() => places.take('c'), OVERLOADED);
  free?.();
  free?.();
  assert.doesNotThrow(() => places.take('c'));
  assert.throws(() => places.take('d'), OVERLOADED);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assignPlaces, FIRST_ID, type WaitingUpdate } from './places.ts';

const NOW = new Date('2026-03-02T09:00:00.000Z');

function createWaiting(count: number, organizations: readonly string[]): WaitingUpdate[] {
  return Array.from({ length: count }, (_, index) => ({
    arrival: index + 1,
    id: `01980000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    organization_id: organizations[index % organizations.length] ?? '',
    last_sequence: 10,
  }));
}

describe('places in the feed', () => {
  it('sequence: updates of two organizations → each goes on from its own last one', () => {
    const places = assignPlaces(FIRST_ID, createWaiting(5, ['a', 'b']), NOW);
    assert.deepEqual(
      places.map(({ sequence }) => sequence),
      [11, 12, 13, 11, 12],
    );
  });

  it('id: another organization has more updates in the same pass → the ids of the first are as far apart as without', () => {
    const countApart = (organizations: readonly string[]): number[] => {
      const waiting = createWaiting(3 * organizations.length, organizations);
      const places = assignPlaces(FIRST_ID, waiting, NOW).filter(({ arrival }) =>
        waiting.some((each) => each.arrival === arrival && each.organization_id === 'a'),
      );
      return places.map(({ id }) => Number.parseInt(id.slice(15, 18), 16));
    };
    assert.deepEqual(countApart(['b', 'b', 'a']), countApart(['a']));
    assert.deepEqual(countApart(['a']), [0, 1, 2]);
  });

  it('id: thousands of updates in one millisecond → each greater than the one before, all UUIDv7', () => {
    const ids = assignPlaces(FIRST_ID, createWaiting(9_000, ['a']), NOW).map(({ id }) => id);
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('id: the clock is behind the last id → the next is greater all the same', () => {
    const [ahead] = assignPlaces(FIRST_ID, createWaiting(1, ['a']), new Date(NOW.getTime() + 60_000));
    const [next] = assignPlaces(ahead?.id ?? '', createWaiting(1, ['a']), NOW);
    assert.ok((next?.id ?? '') > (ahead?.id ?? ''));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProblems } from './compare-known.ts';
import { limitKept } from './family.ts';
import type { KnownMiss } from './known-misses.ts';

const limits = limitKept(0.9);

const list = (silent: number, kept: number, known: readonly KnownMiss[] = []) =>
  listProblems(
    {
      family: 'any',
      counts: { silent_miss: { hits: silent, of: 50 }, kept: { hits: kept, of: 50 } },
      seeds: { silent_miss: [3] },
    },
    limits,
    known,
  );

const silentKnown: KnownMiss = { family: 'any', outcome: 'silent_miss', share: 0.2, cause: 'any' };
const keptKnown: KnownMiss = { family: 'any', outcome: 'kept', share: 0.3, cause: 'any' };

describe('known misses of the attack', () => {
  it('limit: held, or missed by one run of fifty → no problem', () => {
    assert.deepEqual(list(0, 50), []);
    assert.deepEqual(list(1, 45), []);
  });

  it('limit: missed beyond chance and not listed → a problem with its seeds', () => {
    assert.deepEqual(list(5, 50), ['silent_miss 5 of 50: beyond the limit of 0.005; seeds 3']);
    assert.deepEqual(list(0, 30), ['kept 30 of 50: beyond the limit of 0.9']);
  });

  it('known miss: as bad as listed → permitted', () => {
    assert.deepEqual(list(10, 15, [silentKnown, keptKnown]), []);
  });

  it('known miss: much worse than listed → a problem', () => {
    assert.match(list(25, 50, [silentKnown]).join('\n'), /worse than the known 0\.2/u);
    assert.match(list(0, 2, [keptKnown]).join('\n'), /worse than the known 0\.3/u);
  });

  it('known miss: mended with margin → a problem, so that the list is mended', () => {
    assert.match(list(0, 50, [silentKnown]).join('\n'), /better than the known 0\.2/u);
    assert.match(list(0, 45, [keptKnown]).join('\n'), /better than the known 0\.3/u);
  });

  it('known miss: of another family → permits nothing here', () => {
    assert.equal(list(5, 50, [{ ...silentKnown, family: 'other' }]).length, 1);
  });
});

/** The comparison of two freezes: what it lets pass, and what it must not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFreezes, toJson, type Json } from './compare.ts';

const TOLERANCES = { value: 1e-9, interval: 1e-3, floor: 1e-16 };

function listPaths(before: Json, after: Json): string[] {
  return compareFreezes(before, after, TOLERANCES).differences.map(({ path }) => path);
}

test('freeze: a value beyond its tolerance → a difference with its size', () => {
  const { differences, numbers } = compareFreezes({ kdM: 1e-9 }, { kdM: 1.001e-9 }, TOLERANCES);
  assert.deepEqual([differences.length, differences[0].path, numbers], [1, '/kdM', 1]);
  assert.ok(Math.abs((differences[0].size ?? 0) - 1e-3) < 1e-5);
  assert.deepEqual(listPaths({ kdM: 1e-9 }, { kdM: 1e-9 * (1 + 1e-10) }), []);
});

test('freeze: the end of an interval → a tolerance of its own', () => {
  assert.deepEqual(listPaths({ ci95Low: 1 }, { ci95Low: 1.0005 }), []);
  assert.deepEqual(listPaths({ ci95Low: 1 }, { ci95Low: 1.005 }), ['/ci95Low']);
});

test('freeze: a relation, a flag, a null or a missing case → a difference without size', () => {
  const before = { a: { kd: { relation: '=' }, flags: [{ code: 'DRIFT' }], tm: null }, b: 1 };
  const after = { a: { kd: { relation: '~' }, flags: [], tm: 60 } };
  assert.deepEqual(listPaths(before, after), ['/a/kd/relation', '/a/flags/length', '/a/tm', '/b']);
});

test('freeze: two numbers below the floor → both are zero', () => {
  assert.deepEqual(listPaths({ ssr: 1e-20 }, { ssr: -3e-19 }), []);
});

test('freeze: plain JSON → sorted keys, long columns summed up, no packed bytes', () => {
  const curve = Float64Array.from({ length: 100 }, (_, i) => i - 50);
  const frozen = toJson({ z: Number.NaN, a: curve, packed: new Uint8Array(3), left: undefined });
  assert.deepEqual(Object.keys(frozen ?? {}), ['a', 'packed', 'z']);
  assert.deepEqual(frozen, {
    a: { first: -50, largest: 50, last: 49, length: 100, meanSize: 25, numbers: 100, rms: Math.sqrt(833.5) },
    packed: 'some bytes',
    z: 'NaN',
  });
});

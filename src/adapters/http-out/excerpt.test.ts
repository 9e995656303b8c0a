import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatExcerpt } from './outgoing.ts';

const VALUE = 'Bearer "very-secret"/of-ours';

test('excerpt: a receiver repeats a header in any form, also across the cut → no part of it is shown', () => {
  for (const repeated of [
    VALUE,
    '"very-secret"/of-ours',
    JSON.stringify({ authorization: VALUE }),
    `?a=${encodeURIComponent(VALUE)}`,
  ])
    for (const before of [0, 480, 490, 499]) {
      const shown = formatExcerpt(`${'x'.repeat(before)}${repeated}`, [VALUE]);
      assert.doesNotMatch(shown, /very|secret|of-ours/, `${before} ${repeated}`);
      assert.ok(shown.length <= 500);
    }
});

test('excerpt: an answer without a header that was sent → as it is, in one line', () => {
  assert.equal(formatExcerpt('not\n found\u0007: Bearer', [VALUE]), 'not found : Bearer');
  assert.equal(formatExcerpt('a'.repeat(900), []).length, 500);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureCodes, getFailureSentence } from './failures.ts';
import { fillSentence } from './failures.ts';

test('counts: one of what a sentence counts → the singular; more, none or a text → the plural', () => {
  const wait = (value: number | string) => fillSentence('Wait {s} seconds, then {{}} {s}.', { s: value });
  assert.equal(wait(1), 'Wait 1 second, then {} 1.');
  assert.equal(wait(0), 'Wait 0 seconds, then {} 0.');
  assert.equal(wait(61), 'Wait 61 seconds, then {} 61.');
  assert.equal(wait('$&'), 'Wait $& seconds, then {} $&.');
  assert.equal(fillSentence('Wait {s} seconds.', {}), 'Wait {s} seconds.');
});

/** What ends in s behind a placeholder and is no plural. */
const NO_PLURAL = new Set(['is', 'has', 'needs', 'was', 'fits', 'collects', 'belongs']);

test('counts: every sentence of the catalog with a value of one → no plural behind it', () => {
  for (const code of failureCodes) {
    const sentence = getFailureSentence(code);
    const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const filled = fillSentence(sentence, Object.fromEntries(names.map((name) => [name, 1])));
    for (const [, word = ''] of filled.matchAll(/\b1 (\w+s)\b/g))
      assert.ok(NO_PLURAL.has(word), `${code}: ${filled}`);
  }
});
